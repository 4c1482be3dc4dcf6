#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

struct redisAsyncContext;
struct redisReply;

namespace minichat::redis {

// One hiredis context on an io_context: its socket, and the order of its replies.
//
// What was sent in one turn of the loop leaves in one write at the turn's end.
//
// Lifetime:  Connect() at most once; Close() before the owner goes. After Close(), or after
//            on_closed, nothing is called any more.
// Threading: confined to the io_context's thread. Events are never called inside Connect() or
//            Send(); the owner may call Send() and Close() inside on_reply, only Send() inside
//            on_connected.
// Errors:    every way the link can end is on_closed with the reason; what was pending then gets no
//            reply.
class RedisContext : public std::enable_shared_from_this<RedisContext> {
 public:
  struct Events {
    std::function<void()> on_connected;
    std::function<void(const redisReply&)> on_reply;  // in the order of Send()
    std::function<void(const std::string& reason)> on_closed;
  };

  RedisContext(boost::asio::io_context& io, Events events);
  ~RedisContext();
  RedisContext(const RedisContext&) = delete;

  // `ip` is numeric: hiredis would look names up on this thread.
  void Connect(const std::string& ip, std::uint16_t port);
  // False: there is no link.
  bool Send(const std::vector<std::string>& argv);
  void Close();

 private:
  friend struct RedisContextHooks;

  bool Attach();
  void Detach();
  void OnWriteWanted();
  void FlushSoon();
  void WaitWritable();
  void Flush();
  void WaitReadable();
  void OnClosed(const std::string& reason);

  boost::asio::io_context& io_;
  Events events_;
  boost::asio::posix::stream_descriptor socket_;
  redisAsyncContext* context_ = nullptr;  // hiredis frees it; null from then on
  bool closed_ = false;                   // no more events
  bool connected_ = false;
  bool reading_ = false;
  bool writing_ = false;   // waits for the socket, or for the turn's end
  bool flushing_ = false;  // inside hiredis' write
};

}  // namespace minichat::redis
