#pragma once

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "server/core/ports/room_directory.h"
#include "storage/contract/sync_directory.h"

namespace minichat::contract {

// What every implementation of core::RoomDirectory must do. A test program of an implementation
// lists the room_directory_*_contract.cc files among its sources and instantiates the suite with
// its harness:
//
//   INSTANTIATE_TEST_SUITE_P(Memory, RoomDirectoryContract, testing::Values(MakeMemoryHarness));
class RoomDirectoryContract : public testing::TestWithParam<HarnessFactory> {
 protected:
  void SetUp() override { Use(Limits()); }

  // Times are long, so that the time which the test itself takes changes nothing.
  static core::DirectoryLimits Limits();
  // A new, empty directory with these limits, in generation 1.
  void Use(const core::DirectoryLimits& limits);
  void Advance(Duration duration) { harness_->Advance(duration); }

  // The mark of the next generation, as after a loss of memory that left old data behind.
  void NextGeneration();
  // Lease and warm; the room has rows up to `max_seq`.
  void Warm(const core::RoomId& room, core::Seq max_seq = 0, bool recently_used = false);

  static core::MessagePtr Text(const core::RoomId& room, const std::string& cid,
                               const std::string& body = "hello");
  core::CommitRequest Request(core::MessagePtr message, core::Attempt attempt = 1) const;
  core::CommitReply Commit(const core::RoomId& room, const std::string& cid,
                           core::Attempt attempt = 1);
  void MarkStored(const core::RoomId& room, const std::string& cid, core::Seq seq);
  core::WindowReply Window(const core::RoomId& room);
  core::RoomHead Head(const core::RoomId& room);
  // The same without what it says of the routes.
  core::RoomHead NumbersOf(const core::RoomId& room);
  core::Route RouteOf(const std::string& session, const core::NodeEntry& node) const;
  core::NodeIdentity Node(const std::string& name, const std::string& incarnation) const;

  const core::RoomId room_{"general"};
  core::Generation generation_ = 1;
  std::unique_ptr<DirectoryHarness> harness_;
  std::unique_ptr<SyncDirectory> directory_;
};

}  // namespace minichat::contract
