#include "relay/peer_table.h"

#include <algorithm>
#include <utility>

#include "server/base/log.h"

namespace minichat::relay {

void PeerTable::Set(const std::vector<core::NodeEntry>& peers) {
  std::map<core::NodeName, std::shared_ptr<PeerLink>> before = std::exchange(links_, {});
  for (const core::NodeEntry& peer : peers) {
    if (peer.relay_address.empty()) continue;
    const auto old = before.find(peer.name);
    if (old != before.end() && old->second->IsTo(peer)) {
      links_.emplace(peer.name, std::move(old->second));
      before.erase(old);
      continue;
    }
    if (old != before.end()) {
      Drop(std::move(old->second));  // first, so that the new link has the last word on the gauges
      before.erase(old);
    }
    log::Info("peer_up", {{"peer", peer.name.value()}, {"address", peer.relay_address}});
    links_.emplace(peer.name, make_link_(peer));
  }
  for (auto& [name, link] : before) Drop(std::move(link));
}

PeerLink* PeerTable::Find(const core::NodeName& name, const core::Incarnation& incarnation) const {
  const auto it = links_.find(name);
  if (it == links_.end() || it->second->peer().incarnation != incarnation) return nullptr;
  return it->second.get();
}

void PeerTable::Drop(std::shared_ptr<PeerLink> link) {
  log::Info("peer_down", {{"peer", link->peer().name.value()}});
  link->Retire();
  std::erase_if(dropped_, [](const auto& each) { return each.expired(); });
  dropped_.push_back(link);
}

void PeerTable::CancelAll() {
  for (const auto& [name, link] : links_) link->CancelAll();
  for (const auto& each : dropped_) {
    if (const auto link = each.lock()) link->CancelAll();
  }
}

std::size_t PeerTable::open() const {
  std::size_t open = 0;
  for (const auto& [name, link] : links_) open += link->open();
  for (const auto& each : dropped_) {
    if (const auto link = each.lock()) open += link->open();
  }
  return open;
}

}  // namespace minichat::relay
