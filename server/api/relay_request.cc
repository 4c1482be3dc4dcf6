#include "server/api/relay_request.h"

#include <algorithm>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "server/base/utf8.h"

namespace minichat::api {
namespace {

namespace json = boost::json;

Status BadMode(std::string_view given, const std::vector<std::string>& allowed) {
  std::string message = "mode: ";
  if (IsId(given)) message += "\"" + std::string(given) + "\" is unknown; ";
  message += "must be one of ";
  for (const std::string& mode : allowed) message += "\"" + mode + "\", ";
  return InvalidArgument(message + "or null");
}

}  // namespace

Result<std::string> ParseRelayRequest(std::string_view body,
                                      const std::vector<std::string>& allowed) {
  json::error_code ec;
  const json::value parsed = json::parse(json::string_view(body.data(), body.size()), ec);
  if (ec) return InvalidArgument("the body is not valid JSON: " + ec.message());
  const json::object* object = parsed.if_object();
  if (object == nullptr) return InvalidArgument("the body must be {\"mode\": …}");
  const json::value* mode = object->if_contains("mode");
  if (mode == nullptr || object->size() != 1) {
    return InvalidArgument("the body must be {\"mode\": …} and nothing else");
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
