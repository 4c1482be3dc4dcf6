#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "server/base/http_routes.h"
#include "server/core/chat_node.h"

// What the HTTP routes for rooms are asked, checked. Pure functions; errors name field and rule.
namespace minichat::api {

struct CreateRoomRequest {
  core::RoomId room;
  std::vector<core::UserId> members;
};
core::ClientResult<CreateRoomRequest> ReadCreateRoom(std::string_view body);

struct PublishRequest {
  core::UserId from;
  core::SendRequest message;  // without its room
};
core::ClientResult<PublishRequest> ReadPublish(std::string_view body);

// A parameter of the path that is an id.
core::ClientResult<std::string> ReadId(const HttpRequest& request, const std::string& name);

// before, after and limit of the query; the room is not looked at.
core::ClientResult<core::HistoryRequest> ReadHistoryQuery(const HttpRequest& request);
core::ClientResult<core::MembersRequest> ReadMembersQuery(const HttpRequest& request);
// The user asked for; empty: all.
core::ClientResult<core::UserId> ReadSessionsQuery(const HttpRequest& request);

}  // namespace minichat::api
