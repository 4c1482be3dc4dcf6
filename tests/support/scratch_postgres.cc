#include "tests/support/scratch_postgres.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <pwd.h>
#include <unistd.h>

namespace minichat::test {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kStartLimit{30};

// Debian keeps the servers of several versions beside each other and none in PATH.
std::string FindBinaries() {
  if (const char* set = std::getenv("MINICHAT_POSTGRES_BIN")) return set;
  std::string newest;
  std::error_code none;
  for (const auto& version : fs::directory_iterator("/usr/lib/postgresql", none)) {
    const fs::path bin = version.path() / "bin";
    if (fs::exists(bin / "initdb")) newest = std::max(newest, bin.string());
  }
  return newest;
}

void GiveTo(const std::string& user, const fs::path& path) {
  const passwd* account = getpwnam(user.c_str());
  if (account == nullptr || chown(path.c_str(), account->pw_uid, account->pw_gid) != 0) {
    throw std::runtime_error("cannot give " + path.string() + " to " + user);
  }
}

}  // namespace

bool ScratchPostgres::Installed() {
  return !FindBinaries().empty();
}

ScratchPostgres* ScratchPostgres::Shared() {
  if (!Installed()) return nullptr;
  static ScratchPostgres shared;
  return &shared;
}

ScratchPostgres::ScratchPostgres() : dir_("minichat-postgres"), bin_(FindBinaries()) {
  // The server refuses to run as root.
  if (geteuid() == 0) {
    user_ = "postgres";
    GiveTo(user_, dir_.path());
  }
  const fs::path log = dir_.path() / "initdb.log";
  if (RunToEnd({Tool("initdb"), "--pgdata", dir_.path() / "data", "--username", "minichat",
                "--auth", "trust", "--encoding", "UTF8", "--locale", "C.UTF-8", "--no-sync"},
               log, user_) != 0) {
    throw std::runtime_error("initdb: " + ReadTail(log));
  }
  port_ = FreePort();
  Start();
}

ScratchPostgres::~ScratchPostgres() {
  Stop();
}

void ScratchPostgres::Start() {
  const fs::path log = dir_.path() / "server.log";
  // Durability is switched off: a test's data need not outlive the machine.
  server_ = std::make_unique<ScratchProcess>(
      std::vector<std::string>{Tool("postgres"), "-D", dir_.path() / "data",  //
                               "-c", "listen_addresses=127.0.0.1",            //
                               "-c", "port=" + std::to_string(port_),         //
                               "-c", "unix_socket_directories=",              //
                               "-c", "fsync=off", "-c", "full_page_writes=off", "-c",
                               "shared_buffers=32MB", "-c", "max_connections=60"},
      log, user_);
  if (!WaitFor([this] { return Answers() || !server_->running(); }, kStartLimit) || !Answers()) {
    throw std::runtime_error("postgres does not start: " + ReadTail(log));
  }
}

void ScratchPostgres::Stop() {
  if (!server_) return;
  server_->Signal(SIGCONT);
  server_->Signal(SIGINT);  // "fast": ends the sessions, checkpoints, exits
  server_->Wait();
  server_.reset();
}

std::string ScratchPostgres::NewDatabase() {
  // The pid keeps names of programs apart that share a server.
  const std::string name = "t" + std::to_string(getpid()) + "_" + std::to_string(++databases_);
  Execute("postgres", "CREATE DATABASE " + name);
  return UrlOf(name);
}

std::string ScratchPostgres::UrlOf(const std::string& database) const {
  return "postgresql://minichat@127.0.0.1:" + std::to_string(port_) + "/" + database;
}

void ScratchPostgres::SignalAll(int signal) const {
  const std::string pid = std::to_string(server_->pid());
  std::ifstream children("/proc/" + pid + "/task/" + pid + "/children");
  server_->Signal(signal);
  for (pid_t child = 0; children >> child;) ::kill(child, signal);
}

void ScratchPostgres::Execute(const std::string& database, const std::string& sql) {
  const fs::path log = dir_.path() / "psql.log";
  if (RunToEnd({Tool("psql"), "--no-psqlrc", "--quiet", "-v", "ON_ERROR_STOP=1", UrlOf(database),
                "-c", sql},
               log) != 0) {
    throw std::runtime_error("psql: " + ReadTail(log));
  }
}

std::string ScratchPostgres::Tool(const std::string& name) const {
  return bin_ + "/" + name;
}

bool ScratchPostgres::Answers() {
  return RunToEnd({Tool("pg_isready"), "-q", "-h", "127.0.0.1", "-p", std::to_string(port_)},
                  dir_.path() / "ready.log") == 0;
}

}  // namespace minichat::test
