#include "server/auth/token_claims.h"

#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "server/base/json_scan.h"
#include "server/base/utf8.h"

namespace minichat::auth {
namespace {

namespace json = boost::json;

constexpr const char* kTimeRule = "must be a number of seconds from 0 to 253402300799";
constexpr std::size_t kMaxTokenIdBytes = 256;

std::string_view View(const json::string& text) {
  return {text.data(), text.size()};
}

// An object in which no key stands twice: readers differ in which of the two they believe.
Result<json::object> ParseObject(std::string_view text, const std::string& what) {
  json::error_code ec;
  json::value value = json::parse(json::string_view(text.data(), text.size()), ec);
  if (ec || !value.is_object()) return InvalidArgument(what + " is not a JSON object");
  json::object object = std::move(value.get_object());
  if (ScanMembers(text).size() != object.size()) {
    return InvalidArgument(what + " has the same key twice");
  }
  return object;
}

// Reads claims one after the other; the first thing that is wrong is kept.
class Reader {
 public:
  explicit Reader(const json::object& object) : object_(object) {}

  std::optional<std::string> Text(const char* name) {
    const json::value* value = object_.if_contains(name);
    if (value == nullptr) return std::nullopt;
    if (!value->is_string()) return Fail(name, "must be a string"), std::nullopt;
    return std::string(View(value->get_string()));
  }

  std::optional<std::int64_t> Time(const char* name) {
    const json::value* value = object_.if_contains(name);
    if (value == nullptr) return std::nullopt;
    constexpr auto kMax = static_cast<double>(kMaxTimeS);
    if (const auto* number = value->if_int64(); number != nullptr) {
      if (*number >= 0 && *number <= kMaxTimeS) return *number;
    } else if (const auto* real = value->if_double(); real != nullptr) {
      if (*real >= 0 && *real <= kMax) return static_cast<std::int64_t>(*real);
    }
    return Fail(name, kTimeRule), std::nullopt;
  }

  std::vector<std::string> TextOrList(const char* name) {
    const json::value* value = object_.if_contains(name);
    if (value == nullptr) return {};
    if (value->is_string()) return {std::string(View(value->get_string()))};
    std::vector<std::string> texts;
    if (const json::array* items = value->if_array()) {
      for (const json::value& item : *items) {
        if (item.is_string()) texts.emplace_back(View(item.get_string()));
      }
      if (texts.size() == items->size()) return texts;
    }
    return Fail(name, "must be a string or a list of strings"), std::vector<std::string>();
  }

  void Fail(const std::string& name, const std::string& rule) {
    if (status_.ok()) status_ = InvalidArgument(name + ": " + rule);
  }

  const Status& status() const { return status_; }

 private:
  const json::object& object_;
  Status status_;
};

}  // namespace

Status CheckHeader(std::string_view text, std::string_view algorithm) {
  const Result<json::object> header = ParseObject(text, "the header");
  if (!header.ok()) return header.status();
  const json::value* named = header->if_contains("alg");
  if (named == nullptr || !named->is_string() || View(named->get_string()) != algorithm) {
    return InvalidArgument("alg: must be " + std::string(algorithm));
  }
  if (header->if_contains("crit") != nullptr) {
    return InvalidArgument("crit: no extensions are understood");
  }
  return {};
}

Result<Claims> ParseClaims(std::string_view text) {
  const Result<json::object> object = ParseObject(text, "the payload");
  if (!object.ok()) return object.status();
  Reader reader(*object);
  Claims claims;
  const auto subject = reader.Text("sub");
  const auto expires = reader.Time("exp");
  if (!subject) reader.Fail("sub", "is missing");
  if (!expires) reader.Fail("exp", "is missing");
  claims.subject = subject.value_or("");
  claims.expires_s = expires.value_or(0);
  claims.not_before_s = reader.Time("nbf");
  claims.issued_at_s = reader.Time("iat");
  claims.issuer = reader.Text("iss");
  claims.audience = reader.TextOrList("aud");
  claims.id = reader.Text("jti").value_or("");
  if (claims.id.size() > kMaxTokenIdBytes) reader.Fail("jti", "must be at most 256 bytes");
  if (!reader.status().ok()) return reader.status();
  return claims;
}

}  // namespace minichat::auth
