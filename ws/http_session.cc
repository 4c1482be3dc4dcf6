#include "ws/http_session.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <sys/socket.h>

#include "ws/http_head.h"
#include "ws/http_target.h"
#include "ws/http_text.h"
#include "ws/upgrade_rules.h"
#include "ws/websocket_session.h"

namespace minichat::ws {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kWebSocketPath = "/ws";
constexpr std::size_t kReadBytes = 4 * 1024;
// Beast parses what lies in the buffer; a line of a chunked body that doesn't end fills it.
constexpr std::size_t kMaxBufferedBytes = 128 * 1024;

// Of names that may stand there more than once, the values are one list.
std::map<std::string, std::string> ToHeaders(const HttpHead& head) {
  std::map<std::string, std::string> headers;
  for (const auto& [name, value] : head.fields) {
    const auto [known, fresh] = headers.emplace(name, value);
    if (!fresh) known->second += ", " + value;
  }
  return headers;
}

int SecondsOf(std::chrono::milliseconds time) {
  return static_cast<int>(std::max<std::int64_t>(1, (time.count() + 999) / 1000));
}

// A connection's HTTP side: one request after the other, each answered before the next is read. The
// head is read strictly (http_head.h), the body by Beast.
//
// Lifetime:  shared by its pending operation, or by the reply that it waits for.
// Threading: confined to its I/O thread.
// Limits:    one request at a time; header, body and each wait are bounded by ServerOptions.
class HttpSession final : public Tended, public std::enable_shared_from_this<HttpSession> {
 public:
  HttpSession(Socket socket, const PeerKey& peer, IoThread& thread)
      : Tended(peer), socket_(std::move(socket)), thread_(thread) {}

  void Start() {
    thread_.Add(shared_from_this());
    WaitAtMost(options().handshake);
    AwaitRequest();
  }

  void OnTick(Clock::time_point now) override {
    if (now <= until_) return;
    if (state_ != State::kReads) return Finish();
    state_ = State::kTimedOut;
    error_code ignored;
    socket_.cancel(ignored);  // its handler answers
  }

  void Leave() override {
    leaving_ = true;
    if (state_ == State::kIdle || state_ == State::kReads || state_ == State::kLingers) Finish();
  }

  void Cut() override { Finish(); }

 private:
  enum class State { kIdle, kReads, kTimedOut, kAwaitsReply, kWrites, kLingers, kDone };
  using Parser = http::request_parser<http::string_body>;

  const ServerOptions& options() const { return thread_.context().options; }
  HeadLimits head_limits() const {
    return {.bytes = options().http_header_bytes, .target_bytes = options().http_target_bytes};
  }
  std::string_view unread() const {
    return {static_cast<const char*>(buffer_.cdata().data()), buffer_.size()};
  }

  void WaitAtMost(std::chrono::milliseconds time) { until_ = Clock::now() + time; }

  // Holds no memory for bytes that may never come.
  void AwaitRequest() {
    parser_.reset();
    head_only_ = false;
    state_ = State::kIdle;
    if (buffer_.size() > 0) return OnHeadBegun();
    buffer_.shrink_to_fit();
    socket_.async_wait(Socket::wait_read, [self = shared_from_this()](const error_code& ec) {
      if (self->state_ != State::kIdle) return;
      if (ec) return self->Finish();
      self->OnHeadBegun();
    });
  }

  // The first request's time began with the connection.
  void OnHeadBegun() {
    state_ = State::kReads;
    if (served_) WaitAtMost(options().handshake);
    LookAtHead(0);
  }

  void LookAtHead(std::size_t seen) {
    const std::size_t end = EndOfHead(unread(), seen);
    if (end != std::string_view::npos) return OnHead(end);
    if (const auto fault = FaultOfPart(unread(), head_limits())) return Refuse(*fault);
    socket_.async_read_some(buffer_.prepare(kReadBytes),
                            [self = shared_from_this()](const error_code& ec, std::size_t bytes) {
                              if (!self->GoesOnReading(ec)) return;
                              self->buffer_.commit(bytes);
                              self->LookAtHead(self->buffer_.size() - bytes);
                            });
  }

  void OnHead(std::size_t end) {
    const HeadLimits limits = head_limits();
    if (end > limits.bytes) return Refuse(*FaultOfPart(unread(), limits));
    auto read = ReadHead(unread().substr(0, end), limits);
    if (const auto* fault = std::get_if<HttpFault>(&read)) return Refuse(*fault);
    head_ = std::move(std::get<HttpHead>(read));
    head_only_ = head_.method == "HEAD";
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(limits.bytes) + 1);
    parser_->body_limit(options().http_body_bytes);
    error_code ec;
    buffer_.consume(parser_->put(buffer_.cdata(), ec));
    if (ec) return OnReadFailed(ec);
    if (parser_->is_done()) return OnRequest();
    if (head_.Find("expect") != nullptr) Continue();
    http::async_read(socket_, buffer_, *parser_,
                     [self = shared_from_this()](const error_code& read_ec, std::size_t) {
                       if (self->GoesOnReading(read_ec)) self->OnRequest();
                     });
  }

  // A client that gets no such answer sends its body after a while all the same.
  void Continue() {
    constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    static_cast<void>(::send(socket_.native_handle(), kContinue.data(), kContinue.size(),
                             MSG_DONTWAIT | MSG_NOSIGNAL));
  }

  bool GoesOnReading(const error_code& ec) {
    if (state_ == State::kTimedOut) {
      Refuse({408, "the request did not come in time"});
    } else if (state_ == State::kReads && ec) {
      OnReadFailed(ec);
    }
    return state_ == State::kReads && !ec;
  }

  void OnReadFailed(const error_code& ec) {
    if (ec == http::error::body_limit) return Refuse({413, "the body is too large"});
    const bool malformed = ec.category() == make_error_code(http::error::bad_method).category() &&
                           ec != http::error::end_of_stream && ec != http::error::partial_message;
    if (malformed) return Refuse({400, "not an HTTP request"});
    Finish();
  }

  void OnRequest() {
    served_ = true;
    keep_alive_ = head_.http11 && parser_->get().keep_alive();
    HttpRequest request;
    if (const Status status = ParseTarget(head_.target, &request.path, &request.query);
        !status.ok()) {
      return Refuse({400, status.message()});
    }
    if (thread_.context().clients && request.path == kWebSocketPath) return OnWebSocketPath();
    request.method = head_.method;
    request.headers = ToHeaders(head_);
    request.body = std::move(parser_->get().body());
    Route(std::move(request));
  }

  void Route(HttpRequest request) {
    state_ = State::kAwaitsReply;
    WaitAtMost(options().http_idle);
    const auto executor = socket_.get_executor();
    thread_.context().routes.Handle(
        std::move(request), [self = shared_from_this(), executor](HttpResponse response) {
          boost::asio::dispatch(executor, [self, response = std::move(response)]() mutable {
            if (self->state_ == State::kAwaitsReply) self->Write(response);
          });
        });
  }

  void OnWebSocketPath() {
    if (const auto refusal = RefusalOfUpgrade(head_, options().allowed_origins)) {
      return RefuseWith(*refusal);
    }
    if (const auto wait = thread_.context().limits.TryHandshake(peer(), Clock::now())) {
      return RefuseRate(*wait);
    }
    if (buffer_.size() > 0) return Refuse({400, "frames before the upgrade was answered"});
    state_ = State::kDone;
    thread_.Remove(this, false);
    StartWebSocketSession(std::move(socket_), peer(), parser_->release(), OffersSubprotocol(head_),
                          thread_);
  }

  void RefuseRate(const ConnectionLimits::Wait& wait) {
    const auto code = wait.of_node ? core::ErrorCode::kOverloaded : core::ErrorCode::kRateLimited;
    thread_.context().metrics->CountRefusal(code);
    const int seconds = SecondsOf(wait.time);
    RefuseWith(wait.of_node
                   ? ws::Refusal(503, "too many clients connect to this node at once", seconds)
                   : ws::Refusal(429, "too many connects from this address", seconds));
  }

  void Refuse(const HttpFault& fault) { RefuseWith(ws::Refusal(fault.status, fault.message)); }

  void RefuseWith(const HttpResponse& response) {
    keep_alive_ = false;
    unread_ = true;
    Write(response);
  }

  void Write(const HttpResponse& response) {
    state_ = State::kWrites;
    WaitAtMost(options().handshake);
    keep_alive_ = keep_alive_ && !leaving_;
    response_ = EncodeResponse(response, {.keep_alive = keep_alive_, .head_only = head_only_});
    boost::asio::async_write(
        socket_, boost::asio::buffer(response_),
        [self = shared_from_this()](const error_code& ec, std::size_t) { self->OnWritten(ec); });
  }

  void OnWritten(const error_code& ec) {
    if (state_ == State::kDone) return;
    if (ec) return Finish();
    if (keep_alive_ && !leaving_) {
      WaitAtMost(options().http_idle);
      return AwaitRequest();
    }
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
    socket_.async_read_some(buffer_.prepare(kReadBytes),
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
  beast::flat_buffer buffer_{kMaxBufferedBytes};
  HttpHead head_;
  std::optional<Parser> parser_;  // from a whole head on
  std::string response_;
  State state_ = State::kIdle;
  Clock::time_point until_{};
  bool served_ = false;  // a request came whole
  bool head_only_ = false;
  bool keep_alive_ = true;
  bool leaving_ = false;
  bool unread_ = false;  // the request was refused before all of it had come
};

}  // namespace

void StartHttpSession(Socket socket, const PeerKey& peer, IoThread& thread) {
  std::make_shared<HttpSession>(std::move(socket), peer, thread)->Start();
}

}  // namespace minichat::ws
