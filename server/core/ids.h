#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "server/base/strong_id.h"

namespace minichat::core {

using RoomId = StrongId<struct RoomTag>;
using UserId = StrongId<struct UserTag>;
using ClientMessageId = StrongId<struct ClientMessageTag>;  // "cid" of the protocol
using SessionId = StrongId<struct SessionTag>;              // unique in the cluster, for ever
using NodeName = StrongId<struct NodeTag>;
using Incarnation = StrongId<struct IncarnationTag>;  // one registration of a node under its name

// A session's name: 64 random bits, and the low bits of the node's count of sessions. Its 15
// characters fit into a std::string without memory of its own: relays carry one for each recipient.
SessionId MakeSessionId(std::uint64_t random, std::uint64_t count);

// A message's place in its room. Numbers of generation n lie in ((n-1)*kGenerationStep,
// n*kGenerationStep], so a seq names its generation; below 2^53, as JSON needs.
using Seq = std::uint64_t;
// Counts the times that Redis lost its memory, from 1. 0: none known.
using Generation = std::uint64_t;
inline constexpr Seq kGenerationStep = Seq{1} << 32;
inline constexpr Seq kMaxSeq = (Seq{1} << 53) - 1;

// The number below the first one of generation `n`.
inline Seq FloorOf(Generation n, Seq step = kGenerationStep) {
  return (n - 1) * step;
}

// SHA-256 over (kind, body), its first 8 bytes: tells two texts under one cid apart.
using BodyHash = std::uint64_t;
// Names one produce of a record: random, but its upper bits say in which generation the producing
// node lived. That is why the log needs no clock to tell what was written before a loss.
using Attempt = std::uint64_t;
inline constexpr int kAttemptRandomBits = 40;

inline Attempt MakeAttempt(Generation generation, std::uint64_t random) {
  return generation << kAttemptRandomBits | random >> (64 - kAttemptRandomBits);
}
inline Generation GenerationOf(Attempt attempt) {
  return attempt >> kAttemptRandomBits;
}

// Names a message for ever: the same (room, sender, cid) has the same id on any node.
class MessageId {
 public:
  static constexpr std::size_t kBytes = 16;

  MessageId() = default;
  explicit MessageId(const std::array<std::uint8_t, kBytes>& bytes) : bytes_(bytes) {}
  // From the 16 raw bytes, or from the text form; false when it is neither.
  static bool FromBytes(std::string_view bytes, MessageId* id);
  static bool FromText(std::string_view text, MessageId* id);

  std::string_view bytes() const {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }
  // "8-4-4-4-12" hexadecimal digits.
  std::string ToText() const;

  auto operator<=>(const MessageId&) const = default;

 private:
  std::array<std::uint8_t, kBytes> bytes_{};
};

}  // namespace minichat::core

template <>
struct std::hash<minichat::core::MessageId> {
  std::size_t operator()(const minichat::core::MessageId& id) const noexcept {
    return std::hash<std::string_view>()(id.bytes());
  }
};
