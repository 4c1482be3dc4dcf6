// What any client may send to an HTTP port, from the first byte to the routes' answer: nothing
// crashes, what is taken is read as Beast reads it, everything is answered once, and no answer can
// be split in two.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "server/api/bearer.h"
#include "server/api/relay_request.h"
#include "server/api/room_requests.h"
#include "server/api/router.h"
#include "server/base/check.h"
#include "server/base/utf8.h"
#include "ws/http_head.h"
#include "ws/http_target.h"
#include "ws/http_text.h"
#include "ws/upgrade_rules.h"

namespace {

using namespace minichat;  // a test target
namespace http = boost::beast::http;

constexpr std::string_view kBlankLine = "\r\n\r\n";

template <class T>
HttpResponse AnswerTo(const core::ClientResult<T>& read) {
  if (const auto* error = std::get_if<core::ClientError>(&read)) {
    CHECK(IsCleanUtf8(error->message));
    return api::ErrorResponse(*error);
  }
  return api::JsonResponse(200, "{}");
}

// The routes' paths and the readers of their requests, without a node behind them.
api::Router& Routes() {
  static api::Router* const kRouter = [] {
    auto* made = new api::Router;
    const std::string room = "/api/v1/rooms/{room}";
    made->Add("GET", "/", [](const HttpRequest&, const HttpRoutes::Reply& reply) { reply({}); });
    made->Add("POST", "/api/v1/rooms", [](const HttpRequest& request, const auto& reply) {
      reply(AnswerTo(api::ReadCreateRoom(request.body)));
    });
    made->Add("POST", room + "/messages", [](const HttpRequest& request, const auto& reply) {
      reply(AnswerTo(api::ReadPublish(request.body)));
    });
    made->Add("GET", room + "/messages", [](const HttpRequest& request, const auto& reply) {
      const auto id = api::ReadId(request, "room");
      reply(id.index() == 0 ? AnswerTo(api::ReadHistoryQuery(request)) : AnswerTo(id));
    });
    made->Add("GET", room + "/members", [](const HttpRequest& request, const auto& reply) {
      reply(AnswerTo(api::ReadMembersQuery(request)));
    });
    made->Add(
        "PUT", "/admin/v1/relay",
        api::WithBearer(
            {"key"}, "admin.key", [](const HttpRequest& request, const HttpRoutes::Reply& reply) {
              const auto mode = api::ParseRelayRequest(request.body, {"bulk", "single"});
              reply(mode.ok() ? HttpResponse{} : api::ErrorResponse(400, mode.status().message()));
            }));
    return made;
  }();
  return *kRouter;
}

// A head that ends early, or a body that is none of what was announced, is two requests to someone.
void CheckAnswer(const HttpResponse& response) {
  const std::string text = ws::EncodeResponse(response, {});
  const std::size_t end = text.find(kBlankLine);
  CHECK(end != std::string::npos);
  CHECK(text.substr(end + kBlankLine.size()) == response.body);
  CHECK(response.status >= 200 && response.status < 600);
  CHECK(IsCleanUtf8(response.body));
}

void CheckFault(const ws::HttpFault& fault) {
  CHECK(fault.status >= 400);
  CHECK(IsCleanUtf8(fault.message));
  CheckAnswer(ws::Refusal(fault.status, fault.message));
}

std::string Written(const ws::HttpHead& head) {
  std::string text = head.method + " " + head.target;
  text += head.http11 ? " HTTP/1.1\r\n" : " HTTP/1.0\r\n";
  for (const auto& [name, value] : head.fields) text += name + ": " + value + "\r\n";
  return text + "\r\n";
}

void CheckAsBeast(const ws::HttpHead& head, std::string_view bytes) {
  http::request_parser<http::string_body> parser;
  parser.header_limit(1 << 20);
  boost::system::error_code ec;
  parser.put(boost::asio::buffer(bytes.data(), bytes.size()), ec);
  if (ec) return;  // it may be stricter: that is answered with 400
  CHECK(parser.is_header_done());
  const auto& request = parser.get();
  CHECK(std::string_view(request.method_string().data(), request.method_string().size()) ==
        head.method);
  CHECK(std::string_view(request.target().data(), request.target().size()) == head.target);
  CHECK(request.count(http::field::host) == head.Count("host"));
  CHECK(parser.chunked() == (head.Find("transfer-encoding") != nullptr));
  CHECK(parser.content_length().has_value() == (head.Find("content-length") != nullptr));
}

void CheckRequest(ws::HttpHead head, std::string_view body) {
  if (const auto refusal = ws::RefusalOfUpgrade(head, {"https://chat.example"})) {
    CheckAnswer(*refusal);
  }
  HttpRequest request;
  const Status status = ws::ParseTarget(head.target, &request.path, &request.query);
  if (!status.ok()) return CheckFault({400, status.message()});
  CHECK(IsCleanUtf8(request.path) && request.path.front() == '/');
  request.method = head.method;
  request.body = body;
  for (auto& [name, value] : head.fields) request.headers.emplace(name, std::move(value));
  int answers = 0;
  Routes().Handle(std::move(request), [&answers](const HttpResponse& response) {
    ++answers;
    CheckAnswer(response);
  });
  CHECK(answers == 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const ws::HeadLimits limits;
  const std::size_t end = ws::EndOfHead(input);
  if (end == std::string_view::npos) {
    if (const auto fault = ws::FaultOfPart(input, limits)) CheckFault(*fault);
    return 0;
  }
  auto read = ws::ReadHead(input.substr(0, end), limits);
  if (const auto* fault = std::get_if<ws::HttpFault>(&read)) {
    CheckFault(*fault);
    return 0;
  }
  auto& head = std::get<ws::HttpHead>(read);
  const auto again = ws::ReadHead(Written(head), limits);
  CHECK(std::holds_alternative<ws::HttpHead>(again));
  CHECK(std::get<ws::HttpHead>(again).fields == head.fields);
  CheckAsBeast(head, input.substr(0, end));
  CheckRequest(std::move(head), input.substr(end));
  return 0;
}
