#include "ws/websocket_session.h"

#include <optional>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "ws/client_session.h"
#include "ws/codec.h"
#include "ws/connection.h"
#include "ws/token_bucket.h"

namespace minichat::ws {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace websocket = boost::beast::websocket;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kKeptBufferBytes = 8 * 1024;

CloseReason ReasonOf(const error_code& ec, const websocket::close_reason& from_peer) {
  if (ec == websocket::error::closed) return ReasonOfPeerCode(from_peer.code);
  if (ec == websocket::error::message_too_big || ec == websocket::error::buffer_overflow) {
    return CloseReason::kFrameTooLarge;
  }
  if (ec == websocket::error::bad_frame_payload) return CloseReason::kBadUtf8;
  if (ec == websocket::condition::protocol_violation) return CloseReason::kProtocolError;
  return CloseReason::kConnectionLost;
}

// A WebSocket connection: reads frames and hands them to its ClientSession, writes what lies in its
// queue, one frame at a time, and looks after its time limits.
//
// Lifetime:  shared by its pending operations and its ClientSession.
// Threading: confined to its I/O thread.
// Limits:    ServerOptions. Above the outbound limits the connection is closed as slow reader.
class WebSocketSession final : public Connection,
                               public Tended,
                               public std::enable_shared_from_this<WebSocketSession> {
 public:
  WebSocketSession(Socket socket, IoThread& thread)
      : thread_(thread),
        stream_(std::move(socket)),
        level_(options().outbound),
        queue_(options().outbound, level_, metrics().outbound_bytes),
        bucket_(thread.context().clients->options.messages_per_s, Clock::now()) {}

  void Start(UpgradeRequest request, bool with_subprotocol);

  void Send(Frame frame) override;
  void Close(CloseReason reason) override;
  OutboundLevel& level() override { return level_; }
  std::size_t io_index() const override { return thread_.index(); }

  void OnTick(Clock::time_point now) override;
  void Leave() override;
  void Cut() override { Finish(CloseReason::kConnectionLost); }

 private:
  const ServerOptions& options() const { return thread_.context().options; }
  WsMetrics& metrics() const { return *thread_.context().metrics; }

  void Configure(bool with_subprotocol);
  void OnAccepted(const error_code& ec);
  void Read();
  void OnRead(const error_code& ec);
  void OnText();
  void RefuseRate(const DecodedFrame& frame);
  void WriteNext();
  void OnWritten(const error_code& ec);
  void CheckQueue(Clock::time_point now);
  void Ping(Clock::time_point now);
  void SendCloseFrame();
  void LetGoOfClient();
  void Finish(CloseReason reason);

  IoThread& thread_;
  websocket::stream<Socket> stream_;
  OutboundLevel level_;
  OutboundQueue queue_;
  TokenBucket bucket_;
  beast::flat_buffer buffer_;
  std::shared_ptr<ClientSession> client_;  // null before the upgrade and after the end
  std::optional<CloseReason> closing_;     // why, once the end has begun
  Clock::time_point close_until_{};
  Clock::time_point opened_{};
  Clock::time_point heard_{};
  Clock::time_point pinged_{};
  bool said_hello_ = false;
  bool writing_ = false;
  bool pinging_ = false;
  bool close_sent_ = false;
  bool done_ = false;
};

void WebSocketSession::Configure(bool with_subprotocol) {
  error_code ignored;
  auto& socket = beast::get_lowest_layer(stream_);
  socket.set_option(boost::asio::ip::tcp::no_delay(true), ignored);
  if (options().send_buffer_bytes > 0) {
    socket.set_option(boost::asio::socket_base::send_buffer_size(options().send_buffer_bytes),
                      ignored);
  }
  stream_.read_message_max(kMaxFrameBytes);
  stream_.auto_fragment(false);
  stream_.text(true);
  // Beast's own timer only guards the two handshakes; silence and pings are OnTick()'s.
  stream_.set_option(
      websocket::stream_base::timeout{options().handshake, websocket::stream_base::none(), false});
  stream_.set_option(
      websocket::stream_base::decorator([with_subprotocol](websocket::response_type& response) {
        if (!with_subprotocol) return;
        response.set(http::field::sec_websocket_protocol,
                     beast::string_view(kSubprotocol.data(), kSubprotocol.size()));
      }));
  stream_.control_callback(
      [this](websocket::frame_type, beast::string_view) { heard_ = Clock::now(); });
}

void WebSocketSession::Start(UpgradeRequest request, bool with_subprotocol) {
  Configure(with_subprotocol);
  opened_ = heard_ = pinged_ = Clock::now();
  thread_.Add(shared_from_this());
  auto kept = std::make_shared<UpgradeRequest>(std::move(request));
  stream_.async_accept(
      *kept, [self = shared_from_this(), kept](const error_code& ec) { self->OnAccepted(ec); });
}

void WebSocketSession::OnAccepted(const error_code& ec) {
  if (done_) return;
  if (ec) return Finish(CloseReason::kConnectionLost);
  client_ = std::make_shared<ClientSession>(thread_.context().clients, shared_from_this());
  if (thread_.context().leaving) Leave();
  Read();
}

void WebSocketSession::Read() {
  stream_.async_read(buffer_, [self = shared_from_this()](const error_code& ec, std::size_t) {
    self->OnRead(ec);
  });
}

void WebSocketSession::OnRead(const error_code& ec) {
  if (done_) return;
  if (ec) return Finish(ReasonOf(ec, stream_.reason()));
  heard_ = Clock::now();
  if (!closing_) {
    if (stream_.got_binary()) {
      Close(CloseReason::kBinaryFrame);
    } else {
      OnText();
    }
  }
  buffer_.consume(buffer_.size());
  if (buffer_.capacity() > kKeptBufferBytes) buffer_.shrink_to_fit();
  // While closing as well: what still comes is dropped, up to the client's close frame.
  if (!done_) Read();
}

void WebSocketSession::OnText() {
  const auto data = buffer_.cdata();
  DecodedFrame frame = DecodeFrame({static_cast<const char*>(data.data()), data.size()});
  if (!bucket_.TryTake(heard_)) return RefuseRate(frame);
  if (const auto* good = std::get_if<ClientFrame>(&frame)) {
    said_hello_ = said_hello_ || std::holds_alternative<Hello>(good->op);
  }
  if (thread_.index() == 0) return client_->OnFrame(std::move(frame));
  thread_.RunOnCore([client = client_, frame = std::move(frame)]() mutable {
    client->OnFrame(std::move(frame));
  });
}

void WebSocketSession::RefuseRate(const DecodedFrame& frame) {
  metrics().CountRefusal(core::ErrorCode::kRateLimited);
  const std::string& rid =
      std::visit([](const auto& read) -> const std::string& { return read.rid; }, frame);
  auto reply = std::make_shared<const std::string>(EncodeError(
      rid, {core::ErrorCode::kRateLimited, "frame: too many per second", bucket_.Wait().count()}));
  level_.Add(reply->size());
  Send(std::move(reply));
}

void WebSocketSession::Send(Frame frame) {
  if (done_ || closing_) return level_.Remove(frame->size());
  const Clock::time_point now = Clock::now();
  queue_.Push(std::move(frame), now);
  CheckQueue(now);
  WriteNext();
}

void WebSocketSession::CheckQueue(Clock::time_point now) {
  if (closing_ || !queue_.Exceeds(now)) return;
  metrics().outbound_overflows.Increment();
  Close(CloseReason::kSlowReader);
}

void WebSocketSession::WriteNext() {
  if (writing_ || done_ || close_sent_) return;
  if (queue_.empty()) {
    if (closing_) SendCloseFrame();
    return;
  }
  writing_ = true;
  stream_.async_write(
      boost::asio::buffer(*queue_.front()),
      [self = shared_from_this()](const error_code& ec, std::size_t) { self->OnWritten(ec); });
}

void WebSocketSession::OnWritten(const error_code& ec) {
  writing_ = false;
  if (done_) return queue_.Clear(0);
  queue_.Pop(Clock::now());
  // The pending read hears of it too, and knows why.
  if (ec) return queue_.Clear(0);
  if (client_ && level_.TakeNotice()) {
    thread_.RunOnCore([client = client_] { client->OnDrained(); });
  }
  WriteNext();
}

void WebSocketSession::Close(CloseReason reason) {
  if (done_ || closing_) return;
  closing_ = reason;
  const bool slow = reason == CloseReason::kSlowReader;
  close_until_ = Clock::now() + (slow ? options().slow_close : options().close);
  if (slow) queue_.Clear(writing_ ? 1 : 0);
  LetGoOfClient();
  if (slow || (queue_.empty() && !writing_)) SendCloseFrame();
}

void WebSocketSession::SendCloseFrame() {
  if (close_sent_) return;
  close_sent_ = true;
  // With a callback the read operation posts itself before it handles the client's close frame;
  // Beast 1.81 then has the two operations wait for each other.
  stream_.control_callback();
  const CloseReasonInfo& info = InfoOf(*closing_);
  stream_.async_close(
      websocket::close_reason(static_cast<websocket::close_code>(info.code),
                              beast::string_view(info.name.data(), info.name.size())),
      [self = shared_from_this()](const error_code&) { self->Finish(*self->closing_); });
}

void WebSocketSession::OnTick(Clock::time_point now) {
  if (closing_) {
    if (now > close_until_) Finish(*closing_);
    return;
  }
  if (!said_hello_ && now - opened_ > options().handshake) return Close(CloseReason::kNoHello);
  if (now - heard_ > 2 * options().ping) return Close(CloseReason::kSilent);
  CheckQueue(now);
  Ping(now);
}

void WebSocketSession::Ping(Clock::time_point now) {
  if (closing_ || !client_ || pinging_ || now - pinged_ < options().ping) return;
  pinging_ = true;
  pinged_ = now;
  stream_.async_ping({},
                     [self = shared_from_this()](const error_code&) { self->pinging_ = false; });
}

void WebSocketSession::Leave() {
  if (closing_) return;
  if (!client_) return;  // OnAccepted() comes here again, so that it hears the reason
  thread_.RunOnCore([client = client_] { client->CloseForRestart(); });
}

// Never inside a call of the core: it may be walking over its sessions.
void WebSocketSession::LetGoOfClient() {
  if (!client_) return;
  thread_.context().core.Post([client = std::exchange(client_, nullptr)] { client->OnClosed(); });
}

void WebSocketSession::Finish(CloseReason reason) {
  if (done_) return;
  done_ = true;
  metrics().CountClose(closing_.value_or(reason));
  queue_.Clear(writing_ ? 1 : 0);
  error_code ignored;
  beast::get_lowest_layer(stream_).close(ignored);
  LetGoOfClient();
  thread_.Remove(this, true);
}

}  // namespace

void StartWebSocketSession(Socket socket, UpgradeRequest request, bool with_subprotocol,
                           IoThread& thread) {
  std::make_shared<WebSocketSession>(std::move(socket), thread)
      ->Start(std::move(request), with_subprotocol);
}

}  // namespace minichat::ws
