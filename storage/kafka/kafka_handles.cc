#include "storage/kafka/kafka_handles.h"

#include "server/base/log.h"

namespace minichat::kafka {

Result<ConfHandle> MakeConf(Settings settings) {
  ConfHandle conf(rd_kafka_conf_new());
  char error[512];
  for (const auto& [name, value] : settings) {
    if (rd_kafka_conf_set(conf.get(), name, value.c_str(), error, sizeof error) !=
        RD_KAFKA_CONF_OK) {
      return InvalidArgument(std::string("kafka: ") + name + ": " + error);
    }
  }
  rd_kafka_conf_set_log_cb(conf.get(), LogLine);
  return conf;
}

Result<ClientHandle> MakeClient(rd_kafka_type_t type, ConfHandle conf) {
  char error[512];
  ClientHandle client(rd_kafka_new(type, conf.get(), error, sizeof error));
  if (!client) return Unavailable(std::string("kafka: client: ") + error);
  static_cast<void>(conf.release());  // the client's now
  return client;
}

void LogLine(const rd_kafka_t*, int level, const char* facility, const char* text) {
  // syslog levels: 3 is an error, 4 a warning. What the clients can't heal comes through their
  // callbacks; these lines only explain it.
  constexpr int kWarning = 4;
  if (level <= kWarning) {
    log::Warn("kafka_client", {{"facility", facility}, {"text", text}});
  } else {
    log::Debug("kafka_client", {{"facility", facility}, {"text", text}});
  }
}

}  // namespace minichat::kafka
