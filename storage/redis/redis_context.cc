#include "storage/redis/redis_context.h"

#include <utility>

#include <boost/asio/post.hpp>
#include <hiredis/async.h>
#include <hiredis/hiredis.h>

namespace minichat::redis {

// What hiredis calls, from C.
struct RedisContextHooks {
  static RedisContext& Of(void* data) { return *static_cast<RedisContext*>(data); }
  static RedisContext& Of(const redisAsyncContext* context) { return Of(context->data); }

  static void AddRead(void* data) { Of(data).WaitReadable(); }
  static void AddWrite(void* data) { Of(data).OnWriteWanted(); }
  static void Ignore(void*) {}  // a wait that finds nothing to do is harmless
  static void Cleanup(void* data) { Of(data).Detach(); }

  static void OnConnect(const redisAsyncContext* context, int status) {
    RedisContext& self = Of(context);
    if (status != REDIS_OK) return self.OnClosed(context->errstr);  // hiredis frees it
    self.connected_ = true;
    if (!self.closed_) self.events_.on_connected();
  }

  static void OnDisconnect(const redisAsyncContext* context, int status) {
    Of(context).OnClosed(status == REDIS_OK ? "closed" : context->errstr);
  }

  static void OnReply(redisAsyncContext* context, void* reply, void*) {
    // None: the link ends, and OnClosed() says so once for all.
    if (reply == nullptr) return;
    const RedisContext& self = Of(context);
    if (!self.closed_) self.events_.on_reply(*static_cast<redisReply*>(reply));
  }
};

RedisContext::RedisContext(boost::asio::io_context& io, Events events)
    : io_(io), events_(std::move(events)), socket_(io) {}

RedisContext::~RedisContext() {
  Close();
}

void RedisContext::Connect(const std::string& ip, std::uint16_t port) {
  context_ = redisAsyncConnect(ip.c_str(), port);
  std::string reason = "out of memory";
  if (context_ != nullptr) {
    if (context_->err == 0 && Attach()) return;
    reason = context_->err != 0 ? context_->errstr : "cannot watch the socket";
    redisAsyncFree(std::exchange(context_, nullptr));
  }
  boost::asio::post(io_, [self = shared_from_this(), reason] { self->OnClosed(reason); });
}

bool RedisContext::Attach() {
  boost::system::error_code ec;
  socket_.assign(context_->c.fd, ec);
  if (ec) return false;
  context_->data = this;
  context_->ev.data = this;
  context_->ev.addRead = RedisContextHooks::AddRead;
  context_->ev.delRead = RedisContextHooks::Ignore;
  context_->ev.addWrite = RedisContextHooks::AddWrite;
  context_->ev.delWrite = RedisContextHooks::Ignore;
  context_->ev.cleanup = RedisContextHooks::Cleanup;
  redisAsyncSetDisconnectCallback(context_, RedisContextHooks::OnDisconnect);
  // Asks for a write event, which ends the connecting phase.
  redisAsyncSetConnectCallback(context_, RedisContextHooks::OnConnect);
  return true;
}

// hiredis closes the descriptor itself, right after this.
void RedisContext::Detach() {
  if (socket_.is_open()) socket_.release();
}

bool RedisContext::Send(const std::vector<std::string>& argv) {
  if (context_ == nullptr) return false;
  std::vector<const char*> parts;
  std::vector<std::size_t> sizes;
  parts.reserve(argv.size());
  sizes.reserve(argv.size());
  for (const std::string& part : argv) {
    parts.push_back(part.data());
    sizes.push_back(part.size());
  }
  return redisAsyncCommandArgv(context_, RedisContextHooks::OnReply, nullptr,
                               static_cast<int>(argv.size()), parts.data(),
                               sizes.data()) == REDIS_OK;
}

void RedisContext::Close() {
  closed_ = true;
  if (context_ != nullptr) redisAsyncFree(std::exchange(context_, nullptr));
}

void RedisContext::OnWriteWanted() {
  if (writing_) return;
  writing_ = true;
  // Before the socket is writable, hiredis would take "no error yet" for a connection.
  if (!connected_ || flushing_) return WaitWritable();
  FlushSoon();
}

void RedisContext::FlushSoon() {
  boost::asio::post(io_, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->Flush();
  });
}

void RedisContext::WaitWritable() {
  socket_.async_wait(boost::asio::posix::stream_descriptor::wait_write,
                     [weak = weak_from_this()](const boost::system::error_code& ec) {
                       const auto self = weak.lock();
                       if (self != nullptr && !ec) self->Flush();
                     });
}

void RedisContext::Flush() {
  writing_ = false;
  if (context_ == nullptr) return;
  flushing_ = true;
  redisAsyncHandleWrite(context_);
  flushing_ = false;
  if (context_ != nullptr && !connected_) OnWriteWanted();  // still connecting
}

void RedisContext::WaitReadable() {
  if (reading_) return;
  reading_ = true;
  socket_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                     [weak = weak_from_this()](const boost::system::error_code& ec) {
                       const auto self = weak.lock();
                       if (self == nullptr) return;
                       self->reading_ = false;
                       if (!ec && self->context_ != nullptr) redisAsyncHandleRead(self->context_);
                     });
}

void RedisContext::OnClosed(const std::string& reason) {
  context_ = nullptr;
  if (!std::exchange(closed_, true)) events_.on_closed(reason);
}

}  // namespace minichat::redis
