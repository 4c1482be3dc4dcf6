#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "relay/peer_link.h"

namespace minichat::relay {

// The links to all live nodes, by name. A node that comes back under its name, or moves to another
// address, gets a new link: nothing of the old channel's state (backoff, half-dead connections)
// stands in its way.
//
// Threading: confined to the core thread.
class PeerTable {
 public:
  using MakeLink = std::function<std::shared_ptr<PeerLink>(const core::NodeEntry&)>;

  explicit PeerTable(MakeLink make_link) : make_link_(std::move(make_link)) {}

  void Set(const std::vector<core::NodeEntry>& peers);
  // Null when this incarnation isn't among the live nodes.
  PeerLink* Find(const core::NodeName& name, const core::Incarnation& incarnation) const;

  // Dropped links whose calls have not all ended are among them.
  void CancelAll();
  std::size_t open() const;  // see PeerLink

 private:
  void Drop(std::shared_ptr<PeerLink> link);

  MakeLink make_link_;
  std::map<core::NodeName, std::shared_ptr<PeerLink>> links_;
  std::vector<std::weak_ptr<PeerLink>> dropped_;  // kept alive by their calls
};

}  // namespace minichat::relay
