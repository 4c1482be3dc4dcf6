#include "storage/contract/room_directory_contract.h"

namespace minichat::contract {

using namespace std::chrono_literals;

core::DirectoryLimits RoomDirectoryContract::Limits() {
  core::DirectoryLimits limits;
  limits.dedup_ttl = 10'000s;
  limits.room_ttl = 50'000s;
  limits.node_ttl = 600s;
  limits.heartbeat = 100s;
  limits.lease_ttl = 200s;
  limits.window_events = 4;
  return limits;
}

void RoomDirectoryContract::Use(const core::DirectoryLimits& limits) {
  directory_ = nullptr;
  harness_ = GetParam()(limits);
  if (harness_ == nullptr) GTEST_SKIP() << "the service is not installed";
  directory_ = std::make_unique<SyncDirectory>(*harness_);
  directory_->Connect();
  generation_ = 1;
  const core::GenerationMark mark = directory_->SetGeneration(generation_, {});
  ASSERT_EQ(mark.number, generation_);
}

void RoomDirectoryContract::NextGeneration() {
  ++generation_;
  const core::GenerationMark seen = directory_->GetGeneration();
  ASSERT_EQ(directory_->SetGeneration(generation_, seen).number, generation_);
}

void RoomDirectoryContract::Warm(const core::RoomId& room, core::Seq max_seq, bool recently_used) {
  ASSERT_EQ(directory_->Lease(room, "token", generation_), core::LeaseOutcome::kGranted);
  ASSERT_EQ(directory_->Warm({room, generation_, "token", max_seq, recently_used}),
            core::WarmOutcome::kDone);
}

core::MessagePtr RoomDirectoryContract::Text(const core::RoomId& room, const std::string& cid,
                                             const std::string& body) {
  return core::MakeMessage(room, core::UserId("alice"), core::ClientMessageId(cid),
                           core::BodyKind::kText, body, 1'234);
}

core::CommitRequest RoomDirectoryContract::Request(core::MessagePtr message,
                                                   core::Attempt attempt) const {
  core::CommitRequest request;
  request.message = std::move(message);
  request.attempt = attempt;
  request.generation = generation_;
  return request;
}

core::CommitReply RoomDirectoryContract::Commit(const core::RoomId& room, const std::string& cid,
                                                core::Attempt attempt) {
  return directory_->Commit(Request(Text(room, cid), attempt));
}

void RoomDirectoryContract::MarkStored(const core::RoomId& room, const std::string& cid,
                                       core::Seq seq) {
  directory_->MarkStored(room, {{Text(room, cid)->id, seq}}, generation_);
}

core::WindowReply RoomDirectoryContract::Window(const core::RoomId& room) {
  core::WindowRequest request;
  request.room = room;
  request.generation = generation_;
  request.limit = 1000;
  return directory_->Window(request);
}

core::RoomHead RoomDirectoryContract::Head(const core::RoomId& room) {
  const auto heads = directory_->Heads({room}, generation_);
  return heads.size() == 1 ? heads[0] : core::RoomHead{};
}

core::RoomHead RoomDirectoryContract::NumbersOf(const core::RoomId& room) {
  core::RoomHead head = Head(room);
  head.route_version = 0;
  head.routes = 0;
  return head;
}

core::Route RoomDirectoryContract::RouteOf(const std::string& session,
                                           const core::NodeEntry& node) const {
  return {core::SessionId(session), core::UserId("user-of-" + session), node.name,
          node.incarnation};
}

core::NodeIdentity RoomDirectoryContract::Node(const std::string& name,
                                               const std::string& incarnation) const {
  return {{core::NodeName(name), core::Incarnation(incarnation), name + ":7000"}, generation_};
}

}  // namespace minichat::contract
