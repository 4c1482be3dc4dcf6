#include "storage/kafka/kafka_url.h"

#include <algorithm>
#include <charconv>

namespace minichat::kafka {
namespace {

constexpr std::string_view kScheme = "kafka://";

bool IsPort(std::string_view text) {
  unsigned port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port >= 1 && port <= 65535;
}

bool IsHost(std::string_view text) {
  return !text.empty() && text.find_first_of("/@?# ") == std::string_view::npos;
}

bool IsBroker(std::string_view text) {
  const auto colon = text.rfind(':');
  return colon != std::string_view::npos && IsHost(text.substr(0, colon)) &&
         IsPort(text.substr(colon + 1));
}

}  // namespace

Result<std::string> ParseKafkaUrl(std::string_view url) {
  if (url.substr(0, kScheme.size()) != kScheme) {
    return InvalidArgument("kafka: url: must be kafka://host:port[,host:port]");
  }
  const std::string_view brokers = url.substr(kScheme.size());
  for (std::size_t begin = 0; begin <= brokers.size();) {
    const std::size_t end = std::min(brokers.find(',', begin), brokers.size());
    const std::string_view broker = brokers.substr(begin, end - begin);
    if (!IsBroker(broker)) {
      return InvalidArgument("kafka: url: not host:port: '" + std::string(broker) + "'");
    }
    begin = end + 1;
  }
  return std::string(brokers);
}

}  // namespace minichat::kafka
