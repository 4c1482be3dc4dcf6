#include "server/api/session_routes.h"

#include <utility>

#include "server/api/room_requests.h"
#include "server/base/json_writer.h"
#include "server/core/moderation.h"

namespace minichat::api {
namespace {

using Reply = HttpRoutes::Reply;

std::string SessionJson(const core::SessionInfo& session) {
  std::vector<std::string> rooms(session.rooms.size());
  for (std::size_t i = 0; i < rooms.size(); ++i) {
    AppendJsonString(rooms[i], session.rooms[i].value());
  }
  return JsonObject()
      .Add("session", session.id.value())
      .Add("user", session.user.value())
      .AddRaw("rooms", JsonArray(rooms))
      .Take();
}

Callback<Status> Told(const Reply& reply) {
  return [reply](const Status& status) {
    if (!status.ok()) return reply(ErrorResponse(503, status.message()));
    reply(JsonResponse(200, R"({"told":true})"));
  };
}

// Hands the id in the path to `work` on the core's thread.
Router::Handler WithId(Scheduler& core, const std::string& name,
                       std::function<void(const std::string&, const Reply&)> work) {
  return [&core, name, work = std::move(work)](const HttpRequest& request, const Reply& reply) {
    auto id = ReadId(request, name);
    if (const auto* error = std::get_if<core::ClientError>(&id))
      return reply(ErrorResponse(*error));
    core.Post([work, id = std::get<std::string>(std::move(id)), reply] { work(id, reply); });
  };
}

}  // namespace

Router::Handler SessionRoutes::List() const {
  return [this_core = &core_, node = &node_](const HttpRequest& request, const Reply& reply) {
    auto wanted = ReadSessionsQuery(request);
    if (const auto* error = std::get_if<core::ClientError>(&wanted))
      return reply(ErrorResponse(*error));
    this_core->Post([node, user = std::get<core::UserId>(std::move(wanted)), reply] {
      std::vector<std::string> sessions;
      for (const auto& session : node->moderation().Sessions(user)) {
        sessions.push_back(SessionJson(session));
      }
      reply(JsonResponse(200, JsonObject()
                                  .Add("node", node->self().name.value())
                                  .AddRaw("sessions", JsonArray(sessions))
                                  .Take()));
    });
  };
}

Router::Handler SessionRoutes::KickSession() const {
  return WithId(core_, "session", [node = &node_](const std::string& id, const Reply& reply) {
    core::AccessChange whom;
    whom.session = core::SessionId(id);
    node->moderation().Kick(whom, Told(reply));
  });
}

Router::Handler SessionRoutes::KickUser() const {
  return WithId(core_, "user", [node = &node_](const std::string& id, const Reply& reply) {
    core::AccessChange whom;
    whom.user = core::UserId(id);
    node->moderation().Kick(whom, Told(reply));
  });
}

Router::Handler SessionRoutes::Revoke() const {
  return WithId(core_, "user", [node = &node_](const std::string& id, const Reply& reply) {
    node->moderation().Revoke(core::UserId(id), Told(reply));
  });
}

}  // namespace minichat::api
