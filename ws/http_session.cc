#include "ws/http_session.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <boost/asio/dispatch.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/websocket/rfc6455.hpp>

#include "server/base/json_writer.h"
#include "ws/codec.h"
#include "ws/http_target.h"
#include "ws/origin.h"
#include "ws/websocket_session.h"

namespace minichat::ws {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kWebSocketPath = "/ws";

std::string_view View(beast::string_view text) {
  return {text.data(), text.size()};
}

std::string_view CodeOf(int status) {
  if (status == 403) return InfoOf(core::ErrorCode::kForbidden).name;
  const bool too_large = status == 413 || status == 431;
  return InfoOf(too_large ? core::ErrorCode::kTooLarge : core::ErrorCode::kBadRequest).name;
}

HttpResponse Refusal(int status, const char* message) {
  HttpResponse response;
  response.status = status;
  response.body = JsonObject().Add("code", CodeOf(status)).Add("error", message).Take() + "\n";
  return response;
}

bool ToHttpRequest(const UpgradeRequest& in, HttpRequest* out) {
  out->method = std::string(View(in.method_string()));
  for (const auto& field : in) {
    std::string name(View(field.name_string()));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    out->headers.emplace(std::move(name), std::string(View(field.value())));
  }
  out->body = in.body();
  return ParseTarget(View(in.target()), &out->path, &out->query);
}

// Is `wanted` in a list of names with commas between?
bool Lists(std::string_view list, std::string_view wanted) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    std::string_view name = list.substr(0, comma);
    while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
    while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
    if (name == wanted) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
  return false;
}

// Lifetime:  shared by its pending operation, or by the reply that it waits for.
// Threading: confined to its I/O thread.
// Limits:    one request at a time; header, body and each wait are bounded by ServerOptions.
class HttpSession final : public Tended, public std::enable_shared_from_this<HttpSession> {
 public:
  HttpSession(Socket socket, IoThread& thread) : socket_(std::move(socket)), thread_(thread) {}

  void Start() {
    thread_.Add(shared_from_this());
    Read(options().handshake);
  }

  void OnTick(Clock::time_point now) override {
    if (now > until_) Finish();
  }

  void Leave() override {
    leaving_ = true;
    if (state_ == State::kReads || state_ == State::kLingers) Finish();
  }

  void Cut() override { Finish(); }

 private:
  enum class State { kReads, kAwaitsReply, kWrites, kLingers, kDone };
  using Parser = http::request_parser<http::string_body>;
  static constexpr std::size_t kDiscardBytes = 16 * 1024;

  const ServerOptions& options() const { return thread_.context().options; }

  void WaitAtMost(std::chrono::milliseconds time) { until_ = Clock::now() + time; }

  void Read(std::chrono::milliseconds wait) {
    state_ = State::kReads;
    WaitAtMost(wait);
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(options().http_header_bytes));
    parser_->body_limit(options().http_body_bytes);
    http::async_read(
        socket_, buffer_, *parser_,
        [self = shared_from_this()](const error_code& ec, std::size_t) { self->OnRead(ec); });
  }

  void OnRead(const error_code& ec) {
    if (state_ == State::kDone) return;
    if (ec) return OnReadFailed(ec);
    keep_alive_ = parser_->get().keep_alive();
    const UpgradeRequest& request = parser_->get();
    HttpRequest plain;
    if (!ToHttpRequest(request, &plain)) return RefuseAndClose(400, "the target is not valid");
    if (thread_.context().clients && plain.path == kWebSocketPath) return OnWebSocketPath();
    Route(std::move(plain));
  }

  void OnReadFailed(const error_code& ec) {
    if (ec == http::error::header_limit) return RefuseAndClose(431, "the header is too large");
    if (ec == http::error::body_limit) return RefuseAndClose(413, "the body is too large");
    const bool malformed = ec.category() == make_error_code(http::error::bad_method).category() &&
                           ec != http::error::end_of_stream && ec != http::error::partial_message;
    if (malformed) return RefuseAndClose(400, "not an HTTP request");
    Finish();
  }

  void Route(HttpRequest request) {
    state_ = State::kAwaitsReply;
    WaitAtMost(options().http_idle);
    const auto executor = socket_.get_executor();
    thread_.context().routes.Handle(
        std::move(request), [self = shared_from_this(), executor](HttpResponse response) {
          boost::asio::dispatch(executor, [self, response = std::move(response)]() mutable {
            if (self->state_ == State::kAwaitsReply) self->Write(std::move(response));
          });
        });
  }

  void OnWebSocketPath() {
    const UpgradeRequest& request = parser_->get();
    if (!beast::websocket::is_upgrade(request)) {
      HttpResponse response = Refusal(426, "this path speaks WebSocket");
      response.headers["Upgrade"] = "websocket";
      return Write(std::move(response));
    }
    if (!MayCome(request)) {
      return RefuseAndClose(403, "this origin is not allowed");
    }
    const std::string_view offered = View(request[http::field::sec_websocket_protocol]);
    const bool ours = Lists(offered, kSubprotocol);
    if (!offered.empty() && !ours) {
      return RefuseAndClose(400, "the subprotocol is minichat.v1.json");
    }
    if (buffer_.size() > 0) return RefuseAndClose(400, "frames before the upgrade was answered");
    state_ = State::kDone;
    thread_.Remove(this, false);
    StartWebSocketSession(std::move(socket_), parser_->release(), ours, thread_);
  }

  // Clients that are no browsers send no Origin, and are judged by their hello alone.
  bool MayCome(const UpgradeRequest& request) const {
    const std::size_t count = request.count(http::field::origin);
    if (count == 0) return true;
    return count == 1 &&
           OriginMayConnect(View(request[http::field::origin]), View(request[http::field::host]),
                            options().allowed_origins);
  }

  void RefuseAndClose(int status, const char* message) {
    keep_alive_ = false;
    unread_ = true;
    Write(Refusal(status, message));
  }

  void Write(HttpResponse response) {
    state_ = State::kWrites;
    WaitAtMost(options().handshake);
    keep_alive_ = keep_alive_ && !leaving_;
    response_ = {};
    response_.result(static_cast<unsigned>(response.status));
    response_.set(http::field::content_type, response.content_type);
    for (const auto& [name, value] : response.headers) response_.set(name, value);
    response_.body() = std::move(response.body);
    response_.keep_alive(keep_alive_);
    response_.prepare_payload();
    http::async_write(
        socket_, response_,
        [self = shared_from_this()](const error_code& ec, std::size_t) { self->OnWritten(ec); });
  }

  void OnWritten(const error_code& ec) {
    if (state_ == State::kDone) return;
    if (ec) return Finish();
    if (keep_alive_ && !leaving_) return Read(options().http_idle);
    error_code ignored;
    socket_.shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
    if (!unread_) return Finish();
    state_ = State::kLingers;
    WaitAtMost(options().close);
    Discard();
  }

  // Closing with unread input makes the kernel reset the connection, and the client may then never
  // see why it was refused: the rest of the request is read away, for a limited time.
  void Discard() {
    buffer_.clear();
    socket_.async_read_some(buffer_.prepare(kDiscardBytes),
                            [self = shared_from_this()](const error_code& ec, std::size_t) {
                              if (self->state_ != State::kLingers) return;
                              if (ec) return self->Finish();
                              self->Discard();
                            });
  }

  void Finish() {
    if (state_ == State::kDone) return;
    state_ = State::kDone;
    error_code ignored;
    socket_.close(ignored);
    thread_.Remove(this, true);
  }

  Socket socket_;
  IoThread& thread_;
  beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  http::response<http::string_body> response_;
  State state_ = State::kReads;
  Clock::time_point until_{};
  bool keep_alive_ = true;
  bool leaving_ = false;
  bool unread_ = false;  // the request was refused before all of it had come
};

}  // namespace

void StartHttpSession(Socket socket, IoThread& thread) {
  std::make_shared<HttpSession>(std::move(socket), thread)->Start();
}

}  // namespace minichat::ws
