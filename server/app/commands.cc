#include "server/app/commands.h"

#include <iostream>
#include <string_view>

#include "server/app/command_line.h"
#include "server/app/config_loader.h"
#include "server/app/config_text.h"
#include "server/app/migrate.h"
#include "server/app/process.h"
#include "server/app/serve.h"
#include "server/app/token_command.h"
#include "server/app/version.h"

namespace minichat::app {
namespace {

constexpr int kFailed = 1;
constexpr int kMisused = 2;

constexpr std::string_view kHelp = R"(minichat: a clustered chat backend

Usage: minichat COMMAND [--config FILE] [--KEY VALUE]...

Commands
  serve         Run one node. Without any configuration: alone, in memory, on 127.0.0.1:8080.
  migrate       Prepare the backends: the topic in Kafka, the tables in Postgres. Safe to repeat.
  token         Print a token for one user, signed as this configuration wants it.
  check-config  Read the configuration and say whether it is right (exit code 0 or 2).
  print-config  Show the configuration in force, without secrets.
  config-doc    Write the document of all keys (docs/configuration.md).
  version       Show the version.
  help          Show this.

Configuration
  --config FILE        Read a YAML file.
  --KEY VALUE          Set one key, for example --relay.mode single; --KEY=VALUE works too.
  MINICHAT_RELAY_MODE  Each key is also an environment variable: capitals, _ for each dot.
  A flag wins over the environment, the environment over the file. Secrets are taken from the
  environment or from files (auth.secret_file, cluster.secret_file, admin.key_file) only.

For serve
  --ports-file FILE    Write the ports that the node is bound to, once it listens.

For token
  --user USER          Whom it names.
  --ttl 1h             How long it is valid.
  --private-key-file FILE  Signs it when the configuration has auth.public_key_file (PEM).

Signals for serve
  SIGTERM, SIGINT      Stop in order: clients are told to reconnect elsewhere, the log is flushed.
  SIGHUP               Read the configuration again; relay.mode and logging.level take effect.
)";

int Misuse(const Status& status) {
  std::cerr << "minichat: " << status.message() << "\n";
  return kMisused;
}

int Report(const Status& status) {
  if (status.ok()) return 0;
  std::cerr << "minichat: " << status.message() << "\n";
  return status.code() == StatusCode::kInvalidArgument ? kMisused : kFailed;
}

// The commands that need a configuration.
int RunConfigured(const OptionTable& table, const CommandLine& line, const ConfigSources& sources) {
  Result<LoadedConfig> loaded = LoadConfig(table, sources);
  if (!loaded.ok()) return Misuse(loaded.status());
  if (line.command == "print-config") {
    std::cout << PrintConfig(table, loaded->config);
    return 0;
  }
  if (line.command == "check-config") {
    for (const std::string& name : loaded->warnings) {
      std::cout << name << ": no key has this variable; it is ignored.\n";
    }
    std::cout << "The configuration is right.\n";
    return 0;
  }
  if (line.command == "migrate") return Report(Migrate(loaded->config));
  if (line.command == "token") return Report(PrintToken(loaded->config, line));
  return Report(Serve(table, sources, *loaded, line.Own("ports-file")));
}

}  // namespace

int RunCommand(const std::vector<std::string>& arguments,
               const std::map<std::string, std::string>& environment) {
  PrepareProcess();
  const OptionTable table;
  Result<CommandLine> line = ParseCommandLine(table, arguments);
  if (!line.ok()) return Misuse(line.status());
  if (line->command == "help") {
    std::cout << kHelp;
    return 0;
  }
  if (line->command == "version") {
    std::cout << "minichat " << kVersion << "\n";
    return 0;
  }
  if (line->command == "config-doc") {
    std::cout << ConfigDocument(table);
    return 0;
  }
  return RunConfigured(table, *line, ConfigSources{line->config_file, environment, line->flags});
}

}  // namespace minichat::app
