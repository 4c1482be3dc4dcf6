#include "server/api/bearer.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace minichat::api {
namespace {

bool IsSame(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = static_cast<unsigned char>(difference | (a[i] ^ b[i]));
  }
  return difference == 0;
}

// What stands behind "Bearer", whose case says nothing (RFC 9110 11.1); empty: it is another
// scheme.
std::string_view BearerOf(std::string_view header) {
  constexpr std::string_view kScheme = "bearer ";
  if (header.size() < kScheme.size()) return {};
  for (std::size_t i = 0; i < kScheme.size(); ++i) {
    const char c = header[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c) != kScheme[i]) return {};
  }
  header.remove_prefix(kScheme.size());
  header.remove_prefix(std::min(header.find_first_not_of(' '), header.size()));
  return header;
}

}  // namespace

bool HasBearer(const HttpRequest& request, const std::vector<std::string>& keys) {
  const auto header = request.headers.find("authorization");
  if (header == request.headers.end()) return false;
  const std::string_view given = BearerOf(header->second);
  bool found = false;
  for (const std::string& key : keys) found |= IsSame(given, key);
  return found;
}

Router::Handler WithBearer(std::vector<std::string> keys, const std::string& wanted,
                           Router::Handler handler) {
  return [keys = std::move(keys), wanted, handler = std::move(handler)](const HttpRequest& request,
                                                                        HttpRoutes::Reply reply) {
    if (HasBearer(request, keys)) return handler(request, std::move(reply));
    HttpResponse response = ErrorResponse(401, "this path wants " + wanted + " as Bearer");
    response.headers["WWW-Authenticate"] = "Bearer";
    reply(std::move(response));
  };
}

}  // namespace minichat::api
