#include "ws/upgrade_rules.h"

#include <algorithm>

#include "ws/codec.h"
#include "ws/http_text.h"
#include "ws/origin.h"

namespace minichat::ws {
namespace {

// All values of a list header.
bool Says(const HttpHead& head, std::string_view name, std::string_view wanted) {
  return std::any_of(head.fields.begin(), head.fields.end(), [&](const auto& field) {
    return field.first == name && ListsAnyCase(field.second, wanted);
  });
}

// 16 bytes in base64.
bool IsKey(const std::string* key) {
  if (key == nullptr || key->size() != 24 || key->substr(22) != "==") return false;
  return std::all_of(key->begin(), key->end() - 2, [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '/';
  });
}

HttpResponse WantsUpgrade(std::string_view message) {
  HttpResponse response = Refusal(426, message);
  response.headers["Upgrade"] = "websocket";
  response.headers["Sec-WebSocket-Version"] = "13";
  return response;
}

// Clients that are no browsers send no Origin, and are judged by their hello alone.
bool MayCome(const HttpHead& head, const std::vector<std::string>& allowed_origins) {
  const std::string* origin = head.Find("origin");
  if (origin == nullptr) return true;
  if (head.Count("origin") > 1) return false;
  const std::string* host = head.Find("host");
  return OriginMayConnect(*origin, host == nullptr ? "" : *host, allowed_origins);
}

}  // namespace

std::optional<HttpResponse> RefusalOfUpgrade(const HttpHead& head,
                                             const std::vector<std::string>& allowed_origins) {
  if (head.method != "GET") {
    HttpResponse response = Refusal(405, "this path takes GET");
    response.headers["Allow"] = "GET";
    return response;
  }
  if (!head.http11 || !Says(head, "connection", "upgrade") || !Says(head, "upgrade", "websocket")) {
    return WantsUpgrade("this path speaks WebSocket");
  }
  if (!MayCome(head, allowed_origins)) return Refusal(403, "this origin is not allowed");
  const std::string* version = head.Find("sec-websocket-version");
  if (version == nullptr || *version != "13") {
    return WantsUpgrade("sec-websocket-version: must be 13");
  }
  if (!IsKey(head.Find("sec-websocket-key"))) {
    return Refusal(400, "sec-websocket-key: must be 16 bytes in base64");
  }
  if (head.has_body()) return Refusal(400, "an upgrade has no body");
  if (head.Count("sec-websocket-protocol") > 0 && !OffersSubprotocol(head)) {
    return Refusal(400, "sec-websocket-protocol: must offer minichat.v1.json");
  }
  return std::nullopt;
}

bool OffersSubprotocol(const HttpHead& head) {
  return std::any_of(head.fields.begin(), head.fields.end(), [](const auto& field) {
    return field.first == "sec-websocket-protocol" && Lists(field.second, kSubprotocol);
  });
}

}  // namespace minichat::ws
