#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/core/ports/room_directory.h"
#include "tests/sim/sim_redis.h"

namespace minichat::sim {

class SimScheduler;

// A node's connection to SimRedis. Request and reply are two events; in between the server, the
// connection or the node may be gone.
class SimDirectory final : public core::RoomDirectory {
 public:
  SimDirectory(SimWorld& world, SimNode& node, SimScheduler& scheduler);

  void SetListener(Listener* listener) override { listener_ = listener; }
  bool connected() const override { return !run_id_.empty(); }
  void Connect(Deadline deadline, Callback<Result<std::string>> done) override;
  // The connection to the server of this run breaks.
  void Lose(const std::string& run_id);
  const std::string& run_id() const { return run_id_; }

  void GetGeneration(Deadline deadline, Callback<Result<core::GenerationMark>> done) override;
  void SetGeneration(core::Generation number, core::GenerationMark seen, Deadline deadline,
                     Callback<Result<core::GenerationMark>> done) override;
  void Register(const core::NodeIdentity& node, Deadline deadline,
                Callback<Result<core::RegisterOutcome>> done) override;
  void Heartbeat(const core::NodeIdentity& node, Deadline deadline,
                 Callback<Result<core::HeartbeatReply>> done) override;
  void Unregister(const core::NodeIdentity& node, Deadline deadline,
                  Callback<Status> done) override;
  void CleanDeadRoutes(core::Generation generation, Deadline deadline,
                       Callback<Status> done) override;
  void SetRelayMode(const std::string& mode, Deadline deadline,
                    Callback<Result<core::RelayModeSetting>> done) override;
  void AddAccessChange(const core::AccessChange& change, Deadline deadline,
                       Callback<Result<std::uint64_t>> done) override;
  void AccessChangesAfter(std::uint64_t version, Deadline deadline,
                          Callback<Result<core::AccessNews>> done) override;
  void Join(const core::RoomId& room, const core::Route& route, core::Generation generation,
            Deadline deadline, Callback<Result<core::JoinOutcome>> done) override;
  void Leave(const core::RoomId& room, const core::SessionId& session, const core::NodeName& node,
             core::Generation generation, Deadline deadline, Callback<Status> done) override;
  void Reroute(const core::RoomId& room, std::vector<core::Route> routes,
               core::Generation generation, Deadline deadline, Callback<Status> done) override;
  void Routes(const core::RoomId& room, core::Generation generation, Deadline deadline,
              Callback<Result<core::RoomRoutes>> done) override;
  void Commit(const core::CommitRequest& request, Deadline deadline,
              Callback<Result<core::CommitReply>> done) override;
  void TakeUnstored(const core::RoomId& room, std::vector<core::MessageId> ids,
                    core::Generation generation, Deadline deadline,
                    Callback<Result<std::vector<core::UnstoredPlace>>> done) override;
  void MarkStored(const core::RoomId& room,
                  std::vector<std::pair<core::MessageId, core::Seq>> stored,
                  core::Generation generation, Deadline deadline, Callback<Status> done) override;
  void UnstoredOlderThan(Duration age, std::size_t limit, core::Generation generation,
                         Deadline deadline,
                         Callback<Result<std::vector<core::PlacedMessage>>> done) override;
  void Window(const core::WindowRequest& request, Deadline deadline,
              Callback<Result<core::WindowReply>> done) override;
  void Heads(std::vector<core::RoomId> rooms, core::Generation generation, Deadline deadline,
             Callback<Result<std::vector<core::RoomHead>>> done) override;
  void Lease(const core::RoomId& room, const std::string& token, core::Generation generation,
             Deadline deadline, Callback<Result<core::LeaseOutcome>> done) override;
  void Warm(const core::WarmRequest& request, Deadline deadline,
            Callback<Result<core::WarmOutcome>> done) override;

  // In which generation the session's present membership began, as the observer wants to know.
  core::Generation JoinGeneration(const core::SessionId& session, const core::RoomId& room) const;

 private:
  // Sends `script`; `run` gets (server, time) there and answers a T or nothing.
  template <class T, class Run>
  void Send(const char* script, Deadline deadline, Callback<Result<T>> done, Run run);
  template <class Run>
  void SendStatus(const char* script, Deadline deadline, Callback<Status> done, Run run);

  SimWorld& world_;
  SimNode& node_;
  SimScheduler& scheduler_;
  Listener* listener_ = nullptr;
  std::string run_id_;      // empty: not connected
  std::uint64_t link_ = 0;  // counts the connections
  std::map<std::pair<core::SessionId, core::RoomId>, core::Generation> joined_in_;
};

}  // namespace minichat::sim
