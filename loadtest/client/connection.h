#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "loadtest/client/client_loop.h"
#include "loadtest/client/frame_codec.h"

namespace minichat::loadtest {

// How a connection ended.
struct CloseInfo {
  std::uint16_t code = 0;  // of the server's close frame; 0 without one
  std::string reason;
  std::string error;  // what broke it; empty after a close frame
};

class ConnectionHandler {
 public:
  virtual ~ConnectionHandler() = default;
  virtual void OnOpen() = 0;
  virtual void OnText(std::string_view text) = 0;
  // Once, also when the connection never opened. The connection may not be destroyed here.
  virtual void OnClosed(const CloseInfo& info) = 0;
};

// One WebSocket connection of a client: handshake, masking, pongs, close.
//
// Lifetime:  the loop and the handler outlive it; its end closes the socket without a word.
// Threading: confined to the loop's thread.
// Errors:    OnClosed() says what ended it.
// Limits:    at most 16 MiB wait to be written; above, the connection ends.
class Connection final : public FdHandler {
 public:
  Connection(ClientLoop& loop, const Endpoint& endpoint, ConnectionHandler& handler,
             std::string extra_headers = {});
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool open() const { return state_ == State::kOpen; }
  void SendText(std::string_view text) { SendFrame(Opcode::kText, text); }
  void SendFrame(Opcode opcode, std::string_view payload, bool fin = true);
  // Bytes as they are: for breaking the rules on purpose.
  void SendRaw(std::string_view bytes);
  // Says goodbye; OnClosed() follows when the server has answered.
  void Close(std::uint16_t code, std::string_view reason = {});
  // Resets the TCP connection, as when a device dies. OnClosed() is not called.
  void Abort();
  // A slow reader stops taking bytes from its socket.
  void SetReading(bool on);

  void OnReady(std::uint32_t epoll_events) override;

 private:
  enum class State { kConnecting, kUpgrading, kOpen, kClosed };

  void FinishConnect();
  void Read();
  void HandleBytes(std::string_view bytes);
  void HandleUpgrade();
  void HandleFrames();
  void HandleControl(const Incoming& incoming);
  void Flush();
  void UpdateInterest();
  void End(CloseInfo info);

  ClientLoop& loop_;
  ConnectionHandler& handler_;
  const Endpoint endpoint_;
  const std::string extra_headers_;
  const std::string key_;

  Fd fd_;
  ClientLoop::TimerId failed_start_;
  State state_ = State::kConnecting;
  bool reading_ = true;
  std::uint32_t interest_ = 0;
  std::string head_;  // bytes of the upgrade's answer
  std::string out_;
  FrameReader reader_;
  CloseInfo close_;  // of the server's close frame
  std::minstd_rand random_;
};

}  // namespace minichat::loadtest
