#include "server/api/room_routes.h"

#include <functional>
#include <memory>
#include <utility>

#include "server/api/bearer.h"
#include "server/api/room_requests.h"
#include "server/base/json_writer.h"
#include "server/core/moderation.h"

namespace minichat::api {
namespace {

using core::ClientError;
using core::ClientResult;
using Reply = HttpRoutes::Reply;
// On the core's thread.
using Action = std::function<void(const RoomApi&, const HttpRequest&, const Reply&)>;

constexpr const char* kRoom = "/api/v1/rooms/{room}";

template <class T>
const ClientError* ErrorOf(const ClientResult<T>& result) {
  return std::get_if<ClientError>(&result);
}

// Answers the error, or what `answer` makes of the value.
template <class T, class Answer>
Callback<ClientResult<T>> Replying(const Reply& reply, Answer answer) {
  return [reply, answer = std::move(answer)](const ClientResult<T>& result) {
    if (const ClientError* error = ErrorOf(result)) return reply(ErrorResponse(*error));
    reply(answer(std::get<T>(result)));
  };
}

// Calls `then` with the ids of the path, or answers what is wrong with them.
void WithRoom(const HttpRequest& request, const Reply& reply,
              const std::function<void(core::RoomId)>& then) {
  auto room = ReadId(request, "room");
  if (const ClientError* error = ErrorOf(room)) return reply(ErrorResponse(*error));
  then(core::RoomId(std::get<std::string>(std::move(room))));
}
void WithMember(const HttpRequest& request, const Reply& reply,
                const std::function<void(core::RoomId, core::UserId)>& then) {
  WithRoom(request, reply, [&](core::RoomId room) {
    auto user = ReadId(request, "user");
    if (const ClientError* error = ErrorOf(user)) return reply(ErrorResponse(*error));
    then(std::move(room), core::UserId(std::get<std::string>(std::move(user))));
  });
}

HttpResponse Changed(bool changed) {
  return JsonResponse(200, JsonObject().Add("changed", changed).Take());
}

void CreateRoom(const RoomApi& api, const HttpRequest& request, const Reply& reply) {
  auto read = ReadCreateRoom(request.body);
  if (const ClientError* error = ErrorOf(read)) return reply(ErrorResponse(*error));
  auto& wanted = std::get<CreateRoomRequest>(read);
  api.node.moderation().CreateRoom(
      wanted.room, std::move(wanted.members),
      Replying<bool>(reply, [room = wanted.room](bool made) {
        return JsonResponse(made ? 201 : 200,
                            JsonObject().Add("room", room.value()).Add("created", made).Take());
      }));
}

void AddMember(const RoomApi& api, const HttpRequest& request, const Reply& reply) {
  WithMember(request, reply, [&](const core::RoomId& room, const core::UserId& user) {
    api.node.moderation().AddMember(room, user, Replying<bool>(reply, Changed));
  });
}

void RemoveMember(const RoomApi& api, const HttpRequest& request, const Reply& reply) {
  WithMember(request, reply, [&](const core::RoomId& room, const core::UserId& user) {
    api.node.moderation().RemoveMember(room, user, Replying<bool>(reply, Changed));
  });
}

HttpResponse MembersAnswer(const std::vector<core::UserId>& users, std::size_t limit) {
  std::vector<std::string> quoted(users.size());
  for (std::size_t i = 0; i < users.size(); ++i) AppendJsonString(quoted[i], users[i].value());
  JsonObject answer;
  answer.AddRaw("members", JsonArray(quoted));
  answer.AddRaw("next", users.size() < limit ? "null" : quoted.back());
  return JsonResponse(200, answer.Take());
}

void ListMembers(const RoomApi& api, const HttpRequest& request, const Reply& reply) {
  WithRoom(request, reply, [&](core::RoomId room) {
    auto read = ReadMembersQuery(request);
    if (const ClientError* error = ErrorOf(read)) return reply(ErrorResponse(*error));
    auto& wanted = std::get<core::MembersRequest>(read);
    wanted.room = std::move(room);
    api.node.moderation().Members(
        wanted, Replying<std::vector<core::UserId>>(
                    reply, [limit = wanted.limit](const std::vector<core::UserId>& users) {
                      return MembersAnswer(users, limit);
                    }));
  });
}

void Publish(const RoomApi& api, const HttpRequest& request, const Reply& reply) {
  WithRoom(request, reply, [&](core::RoomId room) {
    auto read = ReadPublish(request.body);
    if (const ClientError* error = ErrorOf(read)) return reply(ErrorResponse(*error));
    auto& wanted = std::get<PublishRequest>(read);
    wanted.message.room = std::move(room);
    api.node.moderation().Publish(wanted.from, std::move(wanted.message),
                                  Replying<core::Ack>(reply, [](const core::Ack& ack) {
                                    return JsonResponse(200, JsonObject()
                                                                 .Add("id", ack.id.ToText())
                                                                 .Add("seq", ack.seq)
                                                                 .Add("ts", ack.sent_at_ms)
                                                                 .Add("duplicate", ack.duplicate)
                                                                 .Take());
                                  }));
  });
}

HttpResponse HistoryAnswer(const RoomApi& api, const core::HistoryPage& page) {
  std::vector<std::string> messages;
  for (const auto& placed : page.messages) messages.push_back(api.to_json(placed));
  JsonObject answer;
  answer.AddRaw("messages", JsonArray(messages));
  answer.AddRaw("next", page.next ? std::to_string(*page.next) : "null");
  return JsonResponse(200, answer.Take());
}

void ReadHistory(const RoomApi& api, const HttpRequest& request, const Reply& reply) {
  WithRoom(request, reply, [&](core::RoomId room) {
    auto read = ReadHistoryQuery(request);
    if (const ClientError* error = ErrorOf(read)) return reply(ErrorResponse(*error));
    auto& wanted = std::get<core::HistoryRequest>(read);
    wanted.room = std::move(room);
    api.node.ReadRoom(std::move(wanted),
                      Replying<core::HistoryPage>(reply, [api](const core::HistoryPage& page) {
                        return HistoryAnswer(api, page);
                      }));
  });
}

}  // namespace

void AddRoomRoutes(const RoomApi& api, Router* router) {
  const auto add = [&](const char* method, const std::string& path, Action action) {
    router->Add(
        method, path,
        WithBearer(
            api.keys, "one of api.keys",
            [api, action = std::move(action)](const HttpRequest& request, const Reply& reply) {
              api.core.Post([api, action, request, reply] { action(api, request, reply); });
            }));
  };
  const std::string room = kRoom;
  add("POST", "/api/v1/rooms", CreateRoom);
  add("GET", room + "/members", ListMembers);
  add("PUT", room + "/members/{user}", AddMember);
  add("DELETE", room + "/members/{user}", RemoveMember);
  add("POST", room + "/messages", Publish);
  add("GET", room + "/messages", ReadHistory);
}

}  // namespace minichat::api
