#include "server/core/message.h"

#include <cstring>

#include <openssl/sha.h>

#include "minichat/v1/event.pb.h"
#include "server/base/utf8.h"

namespace minichat::core {
namespace {

using Digest = std::array<unsigned char, SHA256_DIGEST_LENGTH>;

Digest Sha256(const std::string& input) {
  Digest digest;
  SHA256(reinterpret_cast<const unsigned char*>(input.data()), input.size(), digest.data());
  return digest;
}

void AppendPrefixed(std::string& out, std::string_view field) {
  const auto size = static_cast<std::uint32_t>(field.size());
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(size >> shift);
  out += field;
}

// RFC 9562: version 8, variant 10.
MessageId ToUuid(const Digest& digest) {
  std::array<std::uint8_t, MessageId::kBytes> bytes;
  std::copy_n(digest.begin(), bytes.size(), bytes.begin());
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0f) | 0x80);
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3f) | 0x80);
  return MessageId(bytes);
}

bool IsUsable(const v1::Message& in, std::string* error) {
  if (!IsId(in.room()) || !IsId(in.sender()) || !IsId(in.cid())) {
    *error = "room, sender or cid is not an id";
  } else if (in.kind() != v1::BODY_KIND_TEXT && in.kind() != v1::BODY_KIND_DATA) {
    *error = "unknown kind";
  } else if (in.body().size() > kMaxBodyBytes) {
    *error = "body is too large";
  } else if (!IsCleanUtf8(in.body())) {
    *error = "body is not UTF-8 or has a NUL";
  } else {
    return true;
  }
  return false;
}

}  // namespace

MessageId IdOf(const RoomId& room, const UserId& sender, const ClientMessageId& cid) {
  std::string input;
  AppendPrefixed(input, room.value());
  AppendPrefixed(input, sender.value());
  AppendPrefixed(input, cid.value());
  return ToUuid(Sha256(input));
}

MessageId VariantIdOf(const MessageId& id, BodyHash hash) {
  std::string input;
  AppendPrefixed(input, id.bytes());
  AppendPrefixed(input, std::to_string(hash));
  return ToUuid(Sha256(input));
}

BodyHash HashOf(BodyKind kind, const std::string& body) {
  const Digest digest = Sha256(static_cast<char>(kind) + body);
  BodyHash hash;
  std::memcpy(&hash, digest.data(), sizeof hash);
  return hash;
}

MessagePtr MakeMessage(RoomId room, UserId sender, ClientMessageId cid, BodyKind kind,
                       std::string body, std::int64_t sent_at_ms) {
  auto message = std::make_shared<Message>();
  message->id = IdOf(room, sender, cid);
  message->hash = HashOf(kind, body);
  message->room = std::move(room);
  message->sender = std::move(sender);
  message->cid = std::move(cid);
  message->kind = kind;
  message->body = std::move(body);
  message->sent_at_ms = sent_at_ms;
  return message;
}

std::string SerializeMessage(const Message& message, Attempt attempt) {
  v1::Message out;
  out.set_id(std::string(message.id.bytes()));
  out.set_room(message.room.value());
  out.set_sender(message.sender.value());
  out.set_cid(message.cid.value());
  out.set_kind(static_cast<v1::BodyKind>(message.kind));
  out.set_body(message.body);
  out.set_sent_at_ms(message.sent_at_ms);
  out.set_attempt(attempt);
  return out.SerializeAsString();
}

MessagePtr ParseMessage(std::string_view bytes, Attempt* attempt, std::string* error) {
  v1::Message in;
  if (bytes.empty() || !in.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    *error = bytes.empty() ? "empty record" : "not a minichat.v1.Message";
    return nullptr;
  }
  auto message = std::make_shared<Message>();
  if (!MessageId::FromBytes(in.id(), &message->id)) {
    *error = "id is not 16 bytes";
    return nullptr;
  }
  if (!IsUsable(in, error)) return nullptr;
  message->room = RoomId(in.room());
  message->sender = UserId(in.sender());
  message->cid = ClientMessageId(in.cid());
  message->kind = static_cast<BodyKind>(in.kind());
  message->body = std::move(*in.mutable_body());
  message->hash = HashOf(message->kind, message->body);
  message->sent_at_ms = in.sent_at_ms();
  if (attempt != nullptr) *attempt = in.attempt();
  return message;
}

}  // namespace minichat::core
