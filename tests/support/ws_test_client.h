#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace minichat::test {

// A WebSocket client for tests: blocking, with a time limit on every wait.
//
// Threading: confined to the test's thread.
class WsTestClient {
 public:
  // `origin` is what a browser would send; empty: nothing. The Host is "127.0.0.1".
  explicit WsTestClient(std::uint16_t port, const std::string& subprotocol = "minichat.v1.json",
                        const std::string& origin = "");
  ~WsTestClient();

  // "" when the upgrade succeeded; else the status line's code, or the error.
  const std::string& failure() const;
  // What the server chose; empty: none.
  const std::string& subprotocol() const;
  // The Server header of the upgrade's answer.
  const std::string& server() const;

  void Send(const std::string& text);
  void SendBinary(const std::string& bytes);
  // Raw bytes on the TCP connection, frames or not.
  void SendRaw(const std::string& bytes);
  // The next text frame but presence; "" when the connection ended first (then see close_code()).
  std::string Receive();
  // The next text frame of any kind.
  std::string ReceiveAny();
  // Reads on, dropping frames, to the end. The code of the close frame; 1006: there was none.
  int AwaitClose();
  int close_code() const;
  // Sends no more, but reads on.
  void HalfClose();
  // Ends the TCP connection without a word.
  void Drop();
  // The system buffers as little as it can of what this client does not read.
  void ShrinkReceiveBuffer();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// One HTTP exchange on a connection of its own: the response's head and body as they came.
std::string HttpExchange(std::uint16_t port, const std::string& request);

}  // namespace minichat::test
