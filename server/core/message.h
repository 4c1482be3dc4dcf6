#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "server/core/ids.h"

namespace minichat::core {

enum class BodyKind { kText = 1, kData = 2 };

// A chat message as its sender gave it, with the id that follows from it.
//
// Threading: immutable once shared.
struct Message {
  MessageId id;
  RoomId room;
  UserId sender;
  ClientMessageId cid;
  BodyKind kind = BodyKind::kText;
  std::string body;  // UTF-8 without NUL; kData: the JSON value as received
  BodyHash hash = 0;
  std::int64_t sent_at_ms = 0;

  bool operator==(const Message&) const = default;
};
using MessagePtr = std::shared_ptr<const Message>;

// Fills in id and hash from the other fields.
MessagePtr MakeMessage(RoomId room, UserId sender, ClientMessageId cid, BodyKind kind,
                       std::string body, std::int64_t sent_at_ms);

// UUIDv8 from SHA-256 over the length-prefixed (room, sender, cid).
MessageId IdOf(const RoomId& room, const UserId& sender, const ClientMessageId& cid);
// The id under which a message is stored when, after a loss of Redis, another text was found under
// its own id: it also hashes the text (docs/guarantees.md).
MessageId VariantIdOf(const MessageId& id, BodyHash hash);
BodyHash HashOf(BodyKind kind, const std::string& body);

// A message's place in its room. `prev` is the seq of the event before it.
struct Place {
  Seq seq = 0;
  Seq prev = 0;
  Generation generation = 0;

  bool operator==(const Place&) const = default;
};

// A message with its place, as the hot window and Postgres hold it. Rows have no `prev`: what comes
// out of a read is in order and without holes, so 0 stands there.
struct PlacedMessage {
  MessagePtr message;
  Place place;
};

// What fan-out, relay and sequencer handle: the place, the identity, and the bytes that clients
// get, encoded once and shared.
//
// Threading: immutable.
struct Event {
  RoomId room;
  Place place;
  MessageId id;
  BodyHash hash = 0;
  std::shared_ptr<const std::string> encoded;
};
using EventPtr = std::shared_ptr<const Event>;

// A record of the log, as it is produced.
struct LogRecord {
  MessagePtr message;
  Attempt attempt = 0;
};

// Value of the topic's records and of window entries (proto minichat.v1.Message).
std::string SerializeMessage(const Message& message, Attempt attempt);
// Null when the bytes are not such a message, or not one that our own edge would have let in
// (ids, UTF-8, sizes): the log can't be trusted. `attempt` may be null.
MessagePtr ParseMessage(std::string_view bytes, Attempt* attempt, std::string* error);

}  // namespace minichat::core
