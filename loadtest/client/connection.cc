#include "loadtest/client/connection.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <openssl/evp.h>
#include <openssl/rand.h>
#include <sys/epoll.h>
#include <sys/socket.h>

namespace minichat::loadtest {
namespace {

constexpr std::size_t kReadBytes = 64 << 10;
constexpr std::size_t kMaxOutBytes = 16 << 20;

std::string RandomKey() {
  std::array<unsigned char, 16> bytes{};
  RAND_bytes(bytes.data(), static_cast<int>(bytes.size()));
  std::array<unsigned char, 32> text{};
  const int length = EVP_EncodeBlock(text.data(), bytes.data(), static_cast<int>(bytes.size()));
  return {reinterpret_cast<const char*>(text.data()), static_cast<std::size_t>(length)};
}

std::uint16_t CloseCode(std::string_view payload) {
  if (payload.size() < 2) return 1005;  // RFC 6455: "no status code was present"
  return static_cast<std::uint16_t>(static_cast<std::uint8_t>(payload[0]) << 8 |
                                    static_cast<std::uint8_t>(payload[1]));
}

}  // namespace

Connection::Connection(ClientLoop& loop, const Endpoint& endpoint, ConnectionHandler& handler,
                       std::string extra_headers)
    : loop_(loop),
      handler_(handler),
      endpoint_(endpoint),
      extra_headers_(std::move(extra_headers)),
      key_(RandomKey()),
      random_(static_cast<std::minstd_rand::result_type>(std::hash<std::string>()(key_))) {
  Result<Fd> fd = StartConnect(endpoint);
  if (!fd.ok()) {
    // Not from the constructor: the handler's owner is still being built.
    failed_start_ = loop_.At(Clock::now(), [this, why = fd.status().ToString()] {
      End({0, {}, why});
    });
    return;
  }
  fd_ = std::move(fd).value();
  interest_ = EPOLLOUT;
  loop_.Watch(fd_.get(), interest_, this);
}

Connection::~Connection() {
  loop_.Cancel(failed_start_);
  if (fd_.valid()) loop_.Unwatch(fd_.get());
}

void Connection::OnReady(std::uint32_t epoll_events) {
  if (state_ == State::kConnecting) return FinishConnect();
  if ((epoll_events & EPOLLOUT) != 0) Flush();
  if (state_ == State::kClosed) return;
  if ((epoll_events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) Read();
}

void Connection::FinishConnect() {
  const Status outcome = ConnectOutcome(fd_.get());
  if (!outcome.ok()) return End({0, {}, outcome.ToString()});
  state_ = State::kUpgrading;
  SendRaw(MakeUpgradeRequest(endpoint_.ToString(), "/ws", key_, extra_headers_));
}

void Connection::Read() {
  std::array<char, kReadBytes> bytes;
  const ssize_t got = recv(fd_.get(), bytes.data(), bytes.size(), 0);
  if (got > 0) return HandleBytes({bytes.data(), static_cast<std::size_t>(got)});
  if (got == 0) return End(close_.code != 0 ? close_ : CloseInfo{0, {}, "connection ended"});
  if (errno == EAGAIN || errno == EINTR) return;
  End(close_.code != 0 ? close_ : CloseInfo{0, {}, std::generic_category().message(errno)});
}

void Connection::HandleBytes(std::string_view bytes) {
  if (state_ == State::kUpgrading) {
    head_.append(bytes);
    return HandleUpgrade();
  }
  reader_.Append(bytes);
  HandleFrames();
}

void Connection::HandleUpgrade() {
  const auto head = ParseResponseHead(head_);
  if (!head) return;
  if (head->status != 101) return End({0, {}, "HTTP " + std::to_string(head->status)});
  if (head->accept != AcceptFor(key_)) return End({0, {}, "wrong Sec-WebSocket-Accept"});
  state_ = State::kOpen;
  reader_.Append(std::string_view(head_).substr(head->bytes));
  handler_.OnOpen();
  HandleFrames();
}

void Connection::HandleFrames() {
  while (state_ == State::kOpen) {
    const auto incoming = reader_.Next();
    if (!incoming) break;
    if (incoming->opcode == Opcode::kText) {
      handler_.OnText(incoming->payload);
    } else {
      HandleControl(*incoming);
    }
  }
  if (state_ == State::kOpen && !reader_.error().empty()) End({0, {}, reader_.error()});
}

void Connection::HandleControl(const Incoming& incoming) {
  if (incoming.opcode == Opcode::kPing) return SendFrame(Opcode::kPong, incoming.payload);
  if (incoming.opcode == Opcode::kPong) return;
  if (incoming.opcode != Opcode::kClose) return End({0, {}, "a binary frame from the server"});
  close_.code = CloseCode(incoming.payload);
  if (incoming.payload.size() > 2) close_.reason = incoming.payload.substr(2);
  SendFrame(Opcode::kClose, incoming.payload);
  End(close_);
}

void Connection::SendFrame(Opcode opcode, std::string_view payload, bool fin) {
  if (state_ != State::kOpen) return;
  const auto bits = static_cast<std::uint32_t>(random_());
  MaskKey mask{};
  std::memcpy(mask.data(), &bits, mask.size());
  AppendFrame(opcode, payload, mask, fin, &out_);
  Flush();
}

void Connection::SendRaw(std::string_view bytes) {
  if (state_ == State::kClosed) return;
  out_.append(bytes);
  Flush();
}

void Connection::Close(std::uint16_t code, std::string_view reason) {
  SendFrame(Opcode::kClose, ClosePayload(code, reason));
}

void Connection::Abort() {
  if (!fd_.valid()) return;
  const linger reset{1, 0};
  setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  loop_.Unwatch(fd_.get());
  fd_.Reset();
  state_ = State::kClosed;
}

void Connection::SetReading(bool on) {
  reading_ = on;
  if (state_ != State::kClosed) UpdateInterest();
}

void Connection::Flush() {
  while (!out_.empty()) {
    const ssize_t sent = send(fd_.get(), out_.data(), out_.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      out_.erase(0, static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      break;
    } else if (errno != EINTR) {
      // What the server said before it closed may still wait to be read: reading ends this.
      out_.clear();
    }
  }
  if (out_.size() > kMaxOutBytes) return End({0, {}, "the server does not read"});
  UpdateInterest();
}

void Connection::UpdateInterest() {
  const std::uint32_t want = (reading_ ? EPOLLIN : 0u) | (out_.empty() ? 0u : EPOLLOUT);
  if (want == interest_ || !fd_.valid()) return;
  interest_ = want;
  loop_.Change(fd_.get(), want);
}

// A copy, as OnClosed() may end this and close_ with it.
void Connection::End(CloseInfo info) {
  if (state_ == State::kClosed) return;
  state_ = State::kClosed;
  if (fd_.valid()) loop_.Unwatch(fd_.get());
  fd_.Reset();
  handler_.OnClosed(info);
}

}  // namespace minichat::loadtest
