#include "server/core/room_table.h"

namespace minichat::core {

SessionPtr RoomTable::OpenSession(SessionOwner owner, std::shared_ptr<ClientLink> link) {
  if (sessions_.size() >= node_.options.max_sessions) return nullptr;
  auto session =
      std::make_shared<Session>(MakeSessionId(node_.scheduler().Random(), ++last_session_),
                                std::move(owner), std::move(link), node_.scheduler());
  sessions_.emplace(session->id, session);
  node_.metrics().sessions.Increment();
  return session;
}

SessionPtr RoomTable::FindSession(const SessionId& id) const {
  const auto it = sessions_.find(id);
  return it == sessions_.end() ? nullptr : it->second;
}

std::vector<RoomId> RoomTable::CloseSession(const SessionPtr& session) {
  const std::vector<RoomId> rooms(session->rooms.begin(), session->rooms.end());
  for (const RoomId& room : rooms) Leave(session, room);
  session->open = false;
  session->link.reset();
  if (sessions_.erase(session->id) != 0) node_.metrics().sessions.Decrement();
  return rooms;
}

std::vector<SessionPtr> RoomTable::sessions() const {
  std::vector<SessionPtr> all;
  all.reserve(sessions_.size());
  for (const auto& [id, session] : sessions_) all.push_back(session);
  return all;
}

std::shared_ptr<RoomSequencer> RoomTable::Find(const RoomId& room) const {
  const auto it = rooms_.find(room);
  return it == rooms_.end() ? nullptr : it->second;
}

std::shared_ptr<RoomSequencer> RoomTable::Enter(const SessionPtr& session, const RoomId& room,
                                                Seq cursor, Seq head) {
  auto& sequencer = rooms_[room];
  if (!sequencer) {
    sequencer = std::make_shared<RoomSequencer>(node_, membership_, reader_, room);
    node_.metrics().rooms.Increment();
  }
  sequencer->Add(session, cursor, head);
  session->rooms.insert(room);
  return sequencer;
}

void RoomTable::Leave(const SessionPtr& session, const RoomId& room) {
  session->rooms.erase(room);
  const auto it = rooms_.find(room);
  if (it == rooms_.end()) return;
  it->second->Remove(session->id);
  if (!it->second->empty()) return;
  rooms_.erase(it);
  node_.metrics().rooms.Decrement();
}

std::vector<RoomId> RoomTable::rooms() const {
  std::vector<RoomId> all;
  all.reserve(rooms_.size());
  for (const auto& [room, sequencer] : rooms_) all.push_back(room);
  return all;
}

Route RoomTable::RouteOf(const Session& session) const {
  const NodeEntry& self = membership_.self();
  return {session.id, session.user, self.name, self.incarnation};
}

std::vector<std::pair<RoomId, std::vector<Route>>> RoomTable::Routes() const {
  std::vector<std::pair<RoomId, std::vector<Route>>> all;
  for (const auto& [room, sequencer] : rooms_) {
    std::vector<Route> routes;
    for (const SessionPtr& session : sequencer->sessions()) routes.push_back(RouteOf(*session));
    all.emplace_back(room, std::move(routes));
  }
  return all;
}

void RoomTable::OnGeneration() {
  for (const auto& [room, sequencer] : rooms_) sequencer->OnGeneration();
}

}  // namespace minichat::core
