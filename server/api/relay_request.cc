#include "server/api/relay_request.h"

#include <algorithm>

#include <boost/json/value.hpp>

#include "server/base/utf8.h"
#include "server/wire/json_fields.h"

namespace minichat::api {
namespace {

namespace json = boost::json;

Status BadMode(std::string_view given, const std::vector<std::string>& allowed) {
  std::string message = "mode: ";
  if (IsId(given)) message += "\"" + std::string(given) + "\" is not possible here; ";
  message += "must be one of ";
  for (const std::string& mode : allowed) message += "\"" + mode + "\", ";
  return InvalidArgument(message + "or null");
}

}  // namespace

Result<std::string> ParseRelayRequest(std::string_view body,
                                      const std::vector<std::string>& allowed) {
  const wire::JsonDocument document(body);
  if (!document.trouble().empty()) return InvalidArgument("body: " + document.trouble());
  if (const std::string fault = document.Fault(); !fault.empty())
    return InvalidArgument("body: " + fault);
  const json::value* mode = document.object().if_contains("mode");
  if (mode == nullptr || document.object().size() != 1) {
    return InvalidArgument("body: must be {\"mode\": …} and nothing else");
  }
  if (mode->is_null()) return std::string();
  const json::string* text = mode->if_string();
  if (text == nullptr) return BadMode("", allowed);
  const std::string name(text->data(), text->size());
  if (std::find(allowed.begin(), allowed.end(), name) == allowed.end()) {
    return BadMode(name, allowed);
  }
  return name;
}

}  // namespace minichat::api
