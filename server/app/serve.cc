#include "server/app/serve.h"

#include <csignal>
#include <cstdlib>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include "server/app/app.h"
#include "server/app/backends.h"
#include "server/app/config_rules.h"
#include "server/app/config_values.h"
#include "server/app/version.h"
#include "server/base/log.h"

namespace minichat::app {
namespace {

void SetLogLevel(const AppConfig& config) {
  log::Level level = log::Level::kInfo;
  log::ParseLevel(config.logging_level, &level);  // the option table has checked it
  log::SetLevel(level);
}

// What the operator does with signals.
//
// Threading: confined to the app's first I/O thread.
class SignalHandler {
 public:
  SignalHandler(App& app, const OptionTable& table, const ConfigSources& sources, AppConfig config)
      : app_(app),
        table_(table),
        sources_(sources),
        config_(std::move(config)),
        signals_(app.io(), SIGTERM, SIGINT, SIGHUP) {
    Wait();
  }

 private:
  void Wait() {
    signals_.async_wait([this](const boost::system::error_code& ec, int signal) {
      if (ec) return;
      if (signal == SIGHUP) {
        Reload();
      } else {
        Stop(signal);
      }
      Wait();
    });
  }

  void Stop(int signal) {
    if (stopping_) {
      log::Warn("stopped_at_once", {{"signal", signal}});
      std::_Exit(EXIT_FAILURE);  // asked a second time: don't wait any more
    }
    stopping_ = true;
    log::Info("stopping", {{"signal", signal}});
    app_.Stop();
  }

  void Reload() {
    const Result<LoadedConfig> loaded = LoadConfig(table_, sources_);
    if (!loaded.ok()) {
      log::Error("reload_failed", {{"reason", loaded.status().message()}});
      return;
    }
    for (const Option& option : table_.options()) {
      if (option.get(config_) == option.get(loaded->config)) continue;
      const char* effect = option.reloadable ? "applied" : "needs a restart";
      log::Info("reloaded", {{"key", option.key}, {"effect", effect}});
    }
    config_ = loaded->config;
    SetLogLevel(config_);
    app_.Apply(config_);
  }

  App& app_;
  const OptionTable& table_;
  const ConfigSources& sources_;
  AppConfig config_;
  boost::asio::signal_set signals_;
  bool stopping_ = false;
};

// Where a browser finds the page; empty when this node serves no clients.
std::string PageUrl(const AppConfig& config, const BoundPorts& ports) {
  if (ports.client == 0) return "";
  Address address = *ParseAddress(config.client_listen);  // the option table has checked it
  address.port = ports.client;
  return "http://" + PrintAddress(address) + "/";
}

void Announce(const AppConfig& config, const BoundPorts& ports) {
  log::Info("serving", {{"node", config.node_name},
                        {"version", kVersion},
                        {"page", PageUrl(config, ports)},
                        {"admin_port", ports.admin},
                        {"relay_port", ports.relay}});
  if (InsecureForOthers(config)) {
    log::Warn("insecure_auth", {{"client_listen", config.client_listen},
                                {"note", "whoever connects is believed, from other machines too"}});
  }
  if (config.lab_enabled) {
    log::Warn("lab", {{"profile", config.lab_profile},
                      {"dispatch", config.lab_dispatch},
                      {"deadline", config.lab_deadline},
                      {"local", config.lab_local},
                      {"repair", config.lab_repair},
                      {"note", "for experiments"}});
  }
  if (Standalone(config)) {
    log::Warn("in_memory", {{"note", "one node alone; nothing survives a restart"}});
  }
}

}  // namespace

Status Serve(const OptionTable& table, const ConfigSources& sources, const LoadedConfig& loaded,
             const std::string& ports_file) {
  SetLogLevel(loaded.config);
  for (const std::string& name : loaded.warnings) {
    log::Warn("unknown_variable", {{"name", name}, {"note", "ignored"}});
  }
  App app(loaded.config);
  Status status = app.Start();
  if (!status.ok()) return status;
  // Before anyone is told of the node: a signal that came earlier would end it.
  const SignalHandler signals(app, table, sources, loaded.config);
  const BoundPorts ports = app.ports();
  if (!ports_file.empty()) status = WritePortsFile(ports_file, loaded.config.node_name, ports);
  if (!status.ok()) return status;
  Announce(loaded.config, ports);
  return app.Run();
}

}  // namespace minichat::app
