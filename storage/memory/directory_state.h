#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "server/core/ports/room_directory.h"
#include "server/core/protocol_rules.h"

namespace minichat::memory {

// The shared directory as a pure state machine: each method is one atomic script of
// core::RoomDirectory, a function of the state, the time and the arguments. Copying it takes a
// snapshot.
//
// Threading: thread-compatible.
// Limits:    DirectoryLimits. What has expired is removed when it is met, or by Clean...().
class DirectoryState {
 public:
  explicit DirectoryState(core::DirectoryLimits limits = {}, core::ProtocolRules rules = {});

  // Generations; `run_id` is that of the server which holds this memory.
  core::GenerationMark GetGeneration(const std::string& run_id) const;
  core::GenerationMark SetGeneration(std::int64_t now_ms, const std::string& run_id,
                                     core::Generation number, const core::GenerationMark& seen);

  // Nodes.
  core::RegisterOutcome Register(std::int64_t now_ms, const core::NodeIdentity& node);
  core::HeartbeatReply Heartbeat(std::int64_t now_ms, const core::NodeIdentity& node);
  void Unregister(const core::NodeIdentity& node);
  void CleanDeadRoutes(std::int64_t now_ms, core::Generation generation);
  core::RelayModeSetting SetRelayMode(const std::string& mode);
  std::uint64_t AddAccessChange(const core::AccessChange& change);
  core::AccessNews AccessChangesAfter(std::uint64_t version) const;

  // Routes.
  core::JoinOutcome Join(std::int64_t now_ms, const core::RoomId& room, const core::Route& route,
                         core::Generation generation);
  void Leave(std::int64_t now_ms, const core::RoomId& room, const core::SessionId& session,
             const core::NodeName& node, core::Generation generation);
  void Reroute(std::int64_t now_ms, const core::RoomId& room,
               const std::vector<core::Route>& routes, core::Generation generation);
  core::RoomRoutes Routes(std::int64_t now_ms, const core::RoomId& room,
                          core::Generation generation);

  // Messages.
  core::CommitReply Commit(std::int64_t now_ms, const core::CommitRequest& request);
  std::vector<core::UnstoredPlace> TakeUnstored(std::int64_t now_ms, const core::RoomId& room,
                                                const std::vector<core::MessageId>& ids,
                                                core::Generation generation);
  void MarkStored(std::int64_t now_ms, const core::RoomId& room,
                  const std::vector<std::pair<core::MessageId, core::Seq>>& stored,
                  core::Generation generation);
  std::vector<core::PlacedMessage> UnstoredOlderThan(std::int64_t now_ms, Duration age,
                                                     std::size_t limit,
                                                     core::Generation generation);
  core::WindowReply Window(std::int64_t now_ms, const core::WindowRequest& request);
  std::vector<core::RoomHead> Heads(std::int64_t now_ms, const std::vector<core::RoomId>& rooms,
                                    core::Generation generation);

  // Warming.
  core::LeaseOutcome Lease(std::int64_t now_ms, const core::RoomId& room, const std::string& token,
                           core::Generation generation);
  core::WarmOutcome Warm(std::int64_t now_ms, const core::WarmRequest& request);

  std::uint64_t window_bytes() const { return total_bytes_; }

 private:
  struct Unstored {
    core::Place place;
    core::BodyHash hash = 0;
    std::int64_t sent_at_ms = 0;
    std::int64_t placed_at_ms = 0;
  };
  struct Room {
    core::Generation generation = 0;
    core::Seq head = 0;
    std::uint64_t route_version = 0;
    bool recently_used = false;
    std::optional<std::int64_t> expires_at_ms;  // none while something has no row
    std::map<core::Seq, core::PlacedMessage> hot;
    std::map<core::MessageId, Unstored> unstored;  // "u"
    std::uint64_t bytes = 0;                       // of `hot`
  };
  struct Known {  // a dedup entry
    core::Place place;
    core::BodyHash hash = 0;
    core::Attempt attempt = 0;
    std::int64_t sent_at_ms = 0;
    std::int64_t expires_at_ms = 0;
  };
  struct Node {
    core::NodeEntry entry;
    core::Generation generation = 0;
    std::int64_t expires_at_ms = 0;
  };
  struct HeldLease {
    std::string token;
    std::int64_t expires_at_ms = 0;
  };

  // Null: the room is cold in `generation`.
  Room* Find(std::int64_t now_ms, const core::RoomId& id, core::Generation generation);
  const Known* FindKnown(std::int64_t now_ms, const core::MessageId& id,
                         core::Generation generation) const;
  const Node* FindNode(std::int64_t now_ms, const core::NodeName& name,
                       core::Generation generation) const;
  bool MustBeLookedUp(std::int64_t now_ms, const Room& room,
                      const core::CommitRequest& request) const;
  bool IsGood(std::int64_t now_ms, const core::CommitRequest& request) const;
  std::optional<core::CommitReply> AnswerKnown(std::int64_t now_ms, const Room& room,
                                               const core::CommitRequest& request) const;
  core::CommitReply PlaceNew(std::int64_t now_ms, Room& room, const core::CommitRequest& request);
  void Trim(Room& room);
  void RemoveRoom(std::map<core::RoomId, Room>::iterator it);
  void ForgetExpiredKnown(std::int64_t now_ms);

  core::DirectoryLimits limits_;
  core::ProtocolRules rules_;
  core::GenerationMark mark_;
  core::RelayModeSetting relay_mode_;
  std::uint64_t access_version_ = 0;
  std::deque<core::AccessChange> access_changes_;  // the last ones, up to access_version_
  std::map<core::RoomId, Room> rooms_;
  std::map<core::RoomId, std::map<core::SessionId, core::Route>> routes_;
  std::map<core::NodeName, Node> nodes_;
  std::map<core::RoomId, HeldLease> leases_;
  std::unordered_map<core::MessageId, Known> known_;
  std::deque<std::pair<std::int64_t, core::MessageId>> known_by_age_;  // (expiry, id)
  std::uint64_t total_bytes_ = 0;
};

}  // namespace minichat::memory
