#include "ws/websocket_session.h"

#include <optional>
#include <utility>

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "server/base/check.h"
#include "ws/beast_stream.h"
#include "ws/client_session.h"
#include "ws/codec.h"
#include "ws/connection.h"
#include "ws/outbound_path.h"
#include "ws/socket_writer.h"
#include "ws/token_bucket.h"

namespace minichat::ws {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace websocket = boost::beast::websocket;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

// What a connection that waits for its next frame holds for it. Most frames of a chat fit.
constexpr std::size_t kIdleReadBytes = 512;
constexpr std::size_t kMoreReadBytes = 8 * 1024;

CloseReason ReasonOf(const error_code& ec, const websocket::close_reason& from_peer) {
  if (ec == websocket::error::closed) return ReasonOfPeerCode(from_peer.code);
  if (ec == websocket::error::message_too_big || ec == websocket::error::buffer_overflow) {
    return CloseReason::kFrameTooLarge;
  }
  if (ec == websocket::error::bad_frame_payload) return CloseReason::kBadUtf8;
  if (ec == websocket::condition::protocol_violation) return CloseReason::kProtocolError;
  return CloseReason::kConnectionLost;
}

// A WebSocket connection: reads frames, by Beast, and hands them to its ClientSession; writes what
// lies in its outbound path, at the end of each turn or when the socket takes more; and looks after
// its time limits.
//
// Lifetime:  shared by its pending operations and its ClientSession.
// Threading: confined to its I/O thread.
// Limits:    ServerOptions. Above the outbound limits the connection is closed as slow reader.
class WebSocketSession final : public Connection,
                               public Tended,
                               public Flushable,
                               public BeastWrites,
                               public std::enable_shared_from_this<WebSocketSession> {
 public:
  WebSocketSession(Socket socket, const PeerKey& peer, IoThread& thread)
      : Tended(peer),
        thread_(thread),
        stream_(std::move(socket), *this),
        level_(options().outbound),
        out_(options().outbound, level_, metrics().outbound_bytes, metrics().outbound_shed),
        bucket_(thread.context().clients->options.messages_per_s, Clock::now()) {}

  void Start(UpgradeRequest request, bool with_subprotocol);

  void Send(Frame frame) override;
  void SendLatest(const std::string& key, Frame frame) override;
  void Close(CloseReason reason) override;
  OutboundLevel& level() override { return level_; }
  std::size_t io_index() const override { return thread_.index(); }

  void OnTurnEnd() override;
  void WriteForBeast(std::string bytes, Done done) override;

  void OnTick(Clock::time_point now) override;
  void Leave() override;
  void Cut() override { Finish(CloseReason::kConnectionLost); }
  // Beast's operation holds this session, which holds the operation.
  void Abandon() override { beast_done_ = nullptr; }

 private:
  const ServerOptions& options() const { return thread_.context().options; }
  WsMetrics& metrics() const { return *thread_.context().metrics; }

  void Configure(bool with_subprotocol);
  void OnAccepted(const error_code& ec);
  void Read();
  void OnRead(const error_code& ec);
  void OnMessage();
  void OnText();
  void RefuseRate(const DecodedFrame& frame);
  bool TakesMore() const { return !done_ && !closing_ && !beast_closes_ && !slow_; }
  void FlushAtTurnEnd();
  void Flush();
  void AwaitWritable();
  void OnFlushed();
  void AnswerBeast();
  bool TakesTooMuchOfAll() const;
  bool CloseIfSlow(Clock::time_point now);
  void Ping(Clock::time_point now);
  void SendCloseFrame();
  void LetGoOfClient();
  void Finish(CloseReason reason);

  IoThread& thread_;
  websocket::stream<BeastStream, false> stream_;
  OutboundLevel level_;
  OutboundPath out_;
  TokenBucket bucket_;
  beast::flat_buffer buffer_;
  std::shared_ptr<ClientSession> client_;    // null before the upgrade and after the end
  std::optional<CloseReason> closing_;       // why, once the end has begun
  std::optional<CloseReason> beast_closes_;  // why, as far as Beast has told: it ends by itself
  Clock::time_point close_until_{};
  Clock::time_point opened_{};
  Clock::time_point heard_{};
  Clock::time_point pinged_{};
  Done beast_done_;  // of Beast's write, while it is on its way out
  OutboundPath::Ticket beast_ticket_ = 0;
  std::size_t beast_bytes_ = 0;
  bool said_hello_ = false;
  bool in_flush_list_ = false;
  bool awaits_writable_ = false;
  bool slow_ = false;  // above the limits; closed at the end of the turn
  bool close_sent_ = false;
  bool done_ = false;
};

void WebSocketSession::Configure(bool with_subprotocol) {
  error_code ignored;
  Socket& socket = stream_.next_layer().socket();
  socket.set_option(boost::asio::ip::tcp::no_delay(true), ignored);
  if (options().send_buffer_bytes > 0) {
    socket.set_option(boost::asio::socket_base::send_buffer_size(options().send_buffer_bytes),
                      ignored);
  }
  stream_.read_message_max(kMaxFrameBytes);
  // Beast's own timer only guards the two handshakes; silence and pings are OnTick()'s.
  stream_.set_option(
      websocket::stream_base::timeout{options().handshake, websocket::stream_base::none(), false});
  stream_.set_option(
      websocket::stream_base::decorator([with_subprotocol](websocket::response_type& response) {
        response.set(http::field::server, "minichat");  // else Beast tells its own name and version
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

// Beast's own idea of how much to read at once would have every idle connection hold it.
void WebSocketSession::Read() {
  const std::size_t limit = buffer_.size() == 0 ? kIdleReadBytes : kMoreReadBytes;
  stream_.async_read_some(
      buffer_, limit,
      [self = shared_from_this()](const error_code& ec, std::size_t) { self->OnRead(ec); });
}

void WebSocketSession::OnRead(const error_code& ec) {
  if (done_) return;
  if (ec) return Finish(ReasonOf(ec, stream_.reason()));
  heard_ = Clock::now();
  if (stream_.is_message_done()) OnMessage();
  // While closing as well: what still comes is dropped, up to the client's close frame.
  if (!done_) Read();
}

void WebSocketSession::OnMessage() {
  if (!closing_) {
    if (stream_.got_binary()) {
      Close(CloseReason::kBinaryFrame);
    } else {
      OnText();
    }
  }
  buffer_.consume(buffer_.size());
  if (buffer_.capacity() > kIdleReadBytes) buffer_.shrink_to_fit();
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
  Frame reply = MakeTextFrame(EncodeError(
      rid, {core::ErrorCode::kRateLimited, "frame: too many per second", bucket_.Wait().count()}));
  level_.Add(reply->size());
  Send(std::move(reply));
}

// Runs inside the core's fan-out: what takes time, like letting go of a slow reader, is left to the
// end of the turn.
void WebSocketSession::Send(Frame frame) {
  if (!TakesMore()) return level_.Remove(frame->size());
  out_.Push(std::move(frame), thread_.flush_list().Now());
  FlushAtTurnEnd();
  // Much in one turn is no slowness: the socket is asked before the reader is judged.
  if (out_.Overflows() || !options().coalesce) Flush();
  slow_ = out_.Overflows();
}

// The node's memory for what is not sent yet is used up: whoever has its share goes.
bool WebSocketSession::TakesTooMuchOfAll() const {
  return level_.bytes() > options().outbound.fair_bytes && metrics().OutboundFull();
}

void WebSocketSession::SendLatest(const std::string& key, Frame frame) {
  if (!TakesMore()) return;
  out_.PushLatest(key, std::move(frame));
  FlushAtTurnEnd();
}

void WebSocketSession::WriteForBeast(std::string bytes, Done done) {
  CHECK(!beast_done_);  // Beast's writes wait for each other
  // Nothing goes out any more, and perhaps no further turn comes.
  if (out_.broken()) return done(boost::asio::error::broken_pipe, 0);
  if (IsCloseFrame(bytes) && !closing_) {
    beast_closes_ = ReasonOfOwnCode(CloseCodeOf(bytes));
    close_until_ = Clock::now() + options().close;
    LetGoOfClient();
  }
  beast_done_ = std::move(done);
  beast_bytes_ = bytes.size();
  beast_ticket_ = out_.PushControl(std::make_shared<const std::string>(std::move(bytes)),
                                   thread_.flush_list().Now());
  FlushAtTurnEnd();
}

void WebSocketSession::FlushAtTurnEnd() {
  if (!std::exchange(in_flush_list_, true)) thread_.flush_list().Add(shared_from_this());
}

void WebSocketSession::OnTurnEnd() {
  in_flush_list_ = false;
  Flush();
  OnFlushed();
}

void WebSocketSession::Flush() {
  if (out_.broken()) return;
  if (awaits_writable_) return out_.Account();
  SocketWriter writer(stream_.next_layer().socket());
  if (!out_.Flush(writer, thread_.flush_list().Now())) AwaitWritable();
}

void WebSocketSession::AwaitWritable() {
  awaits_writable_ = true;
  stream_.next_layer().socket().async_wait(Socket::wait_write,
                                           [self = shared_from_this()](const error_code& ec) {
                                             self->awaits_writable_ = false;
                                             if (ec) self->out_.Break();
                                             self->FlushAtTurnEnd();
                                           });
}

void WebSocketSession::OnFlushed() {
  AnswerBeast();
  if (done_ || CloseIfSlow(thread_.flush_list().Now())) return;
  if (client_ && level_.TakeNotice()) {
    thread_.RunOnCore([client = client_] { client->OnDrained(); });
  }
  if (closing_ && out_.empty()) SendCloseFrame();
}

void WebSocketSession::AnswerBeast() {
  if (!beast_done_) return;
  if (out_.broken()) {
    std::exchange(beast_done_, nullptr)(boost::asio::error::broken_pipe, 0);
  } else if (out_.IsOut(beast_ticket_)) {
    std::exchange(beast_done_, nullptr)({}, beast_bytes_);
  }
}

bool WebSocketSession::CloseIfSlow(Clock::time_point now) {
  if (closing_ || !(slow_ || out_.Exceeds(now) || TakesTooMuchOfAll())) return false;
  metrics().outbound_overflows.Increment();
  Close(CloseReason::kSlowReader);
  return true;
}

void WebSocketSession::Close(CloseReason reason) {
  if (done_ || closing_ || beast_closes_) return;
  closing_ = reason;
  const bool slow = reason == CloseReason::kSlowReader;
  close_until_ = Clock::now() + (slow ? options().slow_close : options().close);
  if (slow) out_.Shed();
  LetGoOfClient();
  if (slow || out_.empty()) SendCloseFrame();
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
  // Whoever reads on may still have heard why; that time is over.
  if (out_.broken()) return Finish(CloseReason::kConnectionLost);
  if (const auto reason = closing_ ? closing_ : beast_closes_) {
    if (now > close_until_) Finish(*reason);
    return;
  }
  if (!said_hello_ && now - opened_ > options().handshake) return Close(CloseReason::kNoHello);
  if (now - heard_ > 2 * options().ping) return Close(CloseReason::kSilent);
  if (!CloseIfSlow(now)) Ping(now);
}

// Not by Beast, whose pings would wait for its other writes.
void WebSocketSession::Ping(Clock::time_point now) {
  if (!client_ || out_.has_control() || now - pinged_ < options().ping) return;
  pinged_ = now;
  out_.PushControl(thread_.ping_frame(), now);
  FlushAtTurnEnd();
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
  out_.Break();
  AnswerBeast();
  error_code ignored;
  stream_.next_layer().socket().close(ignored);
  LetGoOfClient();
  thread_.Remove(this, true);
}

}  // namespace

void StartWebSocketSession(Socket socket, const PeerKey& peer, UpgradeRequest request,
                           bool with_subprotocol, IoThread& thread) {
  std::make_shared<WebSocketSession>(std::move(socket), peer, thread)
      ->Start(std::move(request), with_subprotocol);
}

}  // namespace minichat::ws
