#include "server/app/io_threads.h"

namespace minichat::app {

IoThreads::IoThreads(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    // The hint 1 spares the io_context its locks' contended paths: one thread runs it.
    contexts_.push_back(std::make_unique<boost::asio::io_context>(1));
    guards_.emplace_back(contexts_.back()->get_executor());
  }
}

std::vector<boost::asio::io_context*> IoThreads::all() const {
  std::vector<boost::asio::io_context*> contexts;
  for (const auto& context : contexts_) contexts.push_back(context.get());
  return contexts;
}

void IoThreads::Run() {
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < contexts_.size(); ++i) {
    threads.emplace_back([context = contexts_[i].get()] { context->run(); });
  }
  contexts_.front()->run();
}

void IoThreads::Stop() {
  for (const auto& context : contexts_) context->stop();
}

}  // namespace minichat::app
