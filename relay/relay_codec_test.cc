#include "relay/relay_codec.h"

#include <grpcpp/impl/codegen/proto_utils.h>
#include <gtest/gtest.h>

#include "relay/cluster_secret.h"
#include "relay/relay_mode.h"
#include "tests/support/relay_nodes.h"

namespace minichat::relay {
namespace {

v1::DeliverRequest Parse(grpc::ByteBuffer bytes) {
  v1::DeliverRequest request;
  const grpc::Status status =
      grpc::SerializationTraits<v1::DeliverRequest>::Deserialize(&bytes, &request);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return request;
}

v1::DeliverRequest GoodRequest() {
  return Parse(EncodedEvent(*MakeEvent()).Request(core::Incarnation("i"), Sessions(3), 0, 3));
}

TEST(RelayCodecTest, RequestSurvivesTheWire) {
  const core::EventPtr event = MakeEvent();

  const auto relay = DecodeRequest(
      Parse(EncodedEvent(*event).Request(core::Incarnation("i7"), Sessions(5), 1, 3)));

  ASSERT_TRUE(relay.ok());
  EXPECT_EQ(relay->target, core::Incarnation("i7"));
  EXPECT_EQ(relay->event->room, event->room);
  EXPECT_EQ(relay->event->place, event->place);
  EXPECT_EQ(relay->event->id, event->id);
  EXPECT_EQ(relay->event->hash, event->hash);
  EXPECT_EQ(*relay->event->encoded, *event->encoded);
  EXPECT_EQ(relay->recipients,
            (std::vector<core::SessionId>{core::SessionId("s1"), core::SessionId("s2"),
                                          core::SessionId("s3")}));
}

TEST(RelayCodecTest, RefusesWhatNoNodeSends) {
  const auto refused = [](const std::function<void(v1::DeliverRequest&)>& spoil) {
    v1::DeliverRequest request = GoodRequest();
    spoil(request);
    return !DecodeRequest(std::move(request)).ok();
  };

  EXPECT_FALSE(refused([](auto&) {}));
  EXPECT_TRUE(refused([](auto& r) { r.clear_recipients(); }));
  EXPECT_TRUE(refused([](auto& r) {
    while (r.recipients_size() <= static_cast<int>(kMaxRecipientsPerCall)) r.add_recipients("s");
  }));
  EXPECT_TRUE(refused([](auto& r) { r.clear_room(); }));
  EXPECT_TRUE(refused([](auto& r) { r.clear_event(); }));
  EXPECT_TRUE(refused([](auto& r) { r.set_id("short"); }));
  EXPECT_TRUE(refused([](auto& r) { r.set_seq(0); }));
  EXPECT_TRUE(refused([](auto& r) { r.set_seq(core::kMaxSeq + 1); }));
  EXPECT_TRUE(refused([](auto& r) { r.set_prev(r.seq()); }));
}

TEST(RelayCodecTest, CutsByCountAndByBytes) {
  const auto sessions = Sessions(1000);  // "s0" … "s999": 2 to 4 bytes, and 3 of overhead each

  EXPECT_EQ(ChunkFrom(sessions, 0, 100, 512, 1 << 20), 512u);
  EXPECT_EQ(ChunkFrom(sessions, 900, 100, 512, 1 << 20), 100u);
  EXPECT_EQ(ChunkFrom(sessions, 100, 100, 512, 170), 10u);
  EXPECT_EQ(ChunkFrom(sessions, 100, 1000, 512, 170), 1u);  // too large as it is: one at a time
}

TEST(RelayCodecTest, ResultsSurviveTheWire) {
  using core::RelayResult;
  for (const auto result : {RelayResult::kQueued, RelayResult::kNotHere, RelayResult::kQueueFull,
                            RelayResult::kFailed}) {
    EXPECT_EQ(FromWire(ToWire(result)), result);
  }
}

TEST(RelayModeTest, NamesReadBack) {
  for (const RelayMode mode : kRelayModes) EXPECT_EQ(ParseRelayMode(ToString(mode)), mode);
  EXPECT_FALSE(ParseRelayMode("streams"));
  EXPECT_FALSE(ParseRelayMode(""));
}

TEST(ClusterSecretTest, OnlyTheSameIsTheSame) {
  EXPECT_TRUE(SameSecret("secret", "secret"));
  EXPECT_FALSE(SameSecret("secret", "secreT"));
  EXPECT_FALSE(SameSecret("secret", "secretsecret"));
  EXPECT_FALSE(SameSecret("secret", "sec"));
  EXPECT_FALSE(SameSecret("secret", ""));
  EXPECT_FALSE(SameSecret("", ""));
}

TEST(ClusterSecretTest, MustFitIntoAHeaderAndIsNeverRepeated) {
  EXPECT_TRUE(CheckClusterSecret("s3cret!").ok());
  EXPECT_FALSE(CheckClusterSecret("").ok());
  const Status status = CheckClusterSecret("two words");
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.message().find("two words"), std::string::npos);
}

}  // namespace
}  // namespace minichat::relay
