#pragma once

#include <functional>
#include <memory>
#include <string>

#include "server/app/app_config.h"
#include "server/app/ports_file.h"
#include "server/base/status.h"

namespace boost::asio {
class io_context;
}

namespace minichat::app {

// One node with everything it consists of: the composition root, and the only code that names
// concrete classes.
//
// Lifetime:  Start(), Run(), destroy. Start() does the I/O, the constructor none.
// Threading: Start() and Run() on the main thread, which becomes the core's; the rest on it.
class App {
 public:
  explicit App(AppConfig config);
  ~App();

  // Listens; InvalidArgument or Unavailable when that can't be had. Backends that are away are
  // retried later: /readyz says which.
  Status Start();
  BoundPorts ports() const;

  // Serves until the node has stopped. OK: as it was told to. An error: it had to, and why.
  Status Run();
  // Begins the orderly stop, which ends within 10 s. Repeated calls change nothing.
  void Stop();
  // Applies the reloadable keys of a new configuration.
  void Apply(const AppConfig& config);

  boost::asio::io_context& io();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace minichat::app
