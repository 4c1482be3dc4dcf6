#include "tests/support/scratch_kafka.h"

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <librdkafka/rdkafka.h>
#include <unistd.h>

namespace minichat::test {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kStartLimit{180};
// Any 16 bytes in URL-safe base64: it only has to be the same at each start.
constexpr const char* kClusterId = "bWluaWNoYXQtc2NyYXRjaA";

const fs::path kDeploy = fs::path(MINICHAT_SOURCE_DIR) / "deploy" / "kafka";

// The folder of the jars, fetched when they aren't there; empty when they can't be had.
std::string FindJars() {
  const ScratchDir dir("minichat-kafka-jars");
  const fs::path out = dir.path() / "out";
  if (RunToEnd({"java", "-version"}, dir.path() / "java.log") != 0) return "";
  if (RunToEnd({"sh", kDeploy / "fetch.sh"}, out) != 0) {
    std::fputs(ReadTail(out).c_str(), stderr);
    return "";
  }
  // Its last line; Maven may have warned before it.
  std::ifstream lines(out);
  std::string line;
  std::string last;
  while (std::getline(lines, line)) last = line;
  return last;
}

const std::string& Jars() {
  static const std::string kJars = FindJars();
  return kJars;
}

std::string ReadAll(const fs::path& file) {
  std::ostringstream all;
  all << std::ifstream(file).rdbuf();
  return all.str();
}

void Replace(std::string& text, const std::string& what, const std::string& by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

// True once the broker tells its metadata: then it takes requests.
bool Answers(const std::string& brokers) {
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  rd_kafka_conf_set(conf, "bootstrap.servers", brokers.c_str(), nullptr, 0);
  rd_kafka_conf_set(conf, "log_level", "0", nullptr, 0);
  rd_kafka_t* client = rd_kafka_new(RD_KAFKA_PRODUCER, conf, nullptr, 0);
  const rd_kafka_metadata_t* metadata = nullptr;
  const bool ok =
      rd_kafka_metadata(client, 0, nullptr, &metadata, 2'000) == RD_KAFKA_RESP_ERR_NO_ERROR &&
      metadata->broker_cnt > 0;
  if (metadata != nullptr) rd_kafka_metadata_destroy(metadata);
  rd_kafka_destroy(client);
  return ok;
}

}  // namespace

bool ScratchKafka::Installed() {
  return !Jars().empty();
}

ScratchKafka* ScratchKafka::Shared() {
  if (!Installed()) return nullptr;
  static ScratchKafka shared;
  return &shared;
}

ScratchKafka::ScratchKafka()
    : dir_("minichat-kafka"), port_(FreePort()), controller_port_(FreePort()) {
  Format(WriteConfig());
  Start();
}

ScratchKafka::~ScratchKafka() = default;  // killed: its data goes as well

std::string ScratchKafka::NewTopicName() {
  return "t" + std::to_string(getpid()) + "." + std::to_string(++topics_);
}

std::string ScratchKafka::WriteConfig() const {
  std::string text = ReadAll(kDeploy / "server.properties.in");
  Replace(text, "@PORT@", std::to_string(port_));
  Replace(text, "@CONTROLLER_PORT@", std::to_string(controller_port_));
  Replace(text, "@DATA_DIR@", (dir_.path() / "data").string());
  const fs::path file = dir_.path() / "server.properties";
  std::ofstream(file) << text;
  return file;
}

std::string ScratchKafka::ClassPath() const {
  return Jars() + "/*";
}

void ScratchKafka::Format(const std::string& config) {
  const fs::path log = dir_.path() / "format.log";
  if (RunToEnd({"java", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp", ClassPath(),
                "-Dlog4j2.configurationFile=" + (kDeploy / "log4j2.properties").string(),
                "kafka.tools.StorageTool", "format", "-t", kClusterId, "-c", config},
               log) != 0) {
    throw std::runtime_error("kafka format: " + ReadTail(log));
  }
}

void ScratchKafka::Start() {
  const fs::path log = dir_.path() / "server.log";
  server_ = std::make_unique<ScratchProcess>(
      std::vector<std::string>{
          "java", "-Xms128m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp",
          ClassPath(), "-Dlog4j2.configurationFile=" + (kDeploy / "log4j2.properties").string(),
          "kafka.Kafka", dir_.path() / "server.properties"},
      log);
  if (!WaitFor([this] { return Answers(brokers()) || !server_->running(); }, kStartLimit) ||
      !server_->running()) {
    throw std::runtime_error("kafka does not start: " + ReadTail(log));
  }
}

void ScratchKafka::Stop() {
  if (!server_) return;
  server_->Signal(SIGCONT);
  server_->Signal(SIGTERM);
  server_->Wait();
  server_.reset();
}

}  // namespace minichat::test
