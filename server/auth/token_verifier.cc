#include "server/auth/token_verifier.h"

#include <algorithm>
#include <optional>

#include "server/auth/base64url.h"
#include "server/auth/token_claims.h"
#include "server/base/utf8.h"

namespace minichat::auth {
namespace {

constexpr std::int64_t kMillis = 1000;

// The three parts of "header.payload.signature", still encoded.
struct Parts {
  std::string_view header;
  std::string_view payload;
  std::string_view signature;
  std::string_view signed_text;  // header and payload, with the dot between
};

std::optional<Parts> Split(std::string_view token) {
  const std::size_t first = token.find('.');
  if (first == std::string_view::npos) return std::nullopt;
  const std::size_t second = token.find('.', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  if (token.find('.', second + 1) != std::string_view::npos) return std::nullopt;
  return Parts{token.substr(0, first), token.substr(first + 1, second - first - 1),
               token.substr(second + 1), token.substr(0, second)};
}

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Status OfToken(const Status& status) {
  return InvalidArgument("token: " + status.message());
}

}  // namespace

Result<std::string> TokenVerifier::Open(std::string_view token) const {
  if (token.size() > core::kMaxTokenBytes) return InvalidArgument("must be at most 4096 bytes");
  const auto parts = Split(token);
  if (!parts) return InvalidArgument("must be three parts with dots between");
  const auto header = DecodeBase64Url(parts->header);
  auto payload = DecodeBase64Url(parts->payload);
  const auto signature = DecodeBase64Url(parts->signature);
  if (!header || !payload || !signature) return InvalidArgument("its parts must be base64url");
  if (Status status = CheckHeader(*header, ToString(key_.algorithm())); !status.ok()) return status;
  if (!key_.Verify(parts->signed_text, *signature)) {
    return InvalidArgument("the signature is wrong");
  }
  return std::move(*payload);
}

Status TokenVerifier::CheckTimes(const Claims& claims, std::int64_t now_ms) const {
  const std::int64_t leeway = rules_.leeway.count();
  if (now_ms >= claims.expires_s * kMillis + leeway) return InvalidArgument("has expired");
  if (claims.not_before_s && now_ms + leeway < *claims.not_before_s * kMillis) {
    return InvalidArgument("is not valid yet");
  }
  // A token of the future would outlive a later revocation of all tokens up to now.
  if (claims.issued_at_s && now_ms + leeway < *claims.issued_at_s * kMillis) {
    return InvalidArgument("iat: lies in the future");
  }
  return {};
}

Result<core::Identity> TokenVerifier::Judge(const Claims& claims, std::int64_t now_ms) const {
  if (Status status = CheckTimes(claims, now_ms); !status.ok()) return status;
  if (!rules_.audience.empty() && !Contains(claims.audience, rules_.audience)) {
    return InvalidArgument("aud: does not name this service");
  }
  if (!rules_.issuer.empty() && claims.issuer != rules_.issuer) {
    return InvalidArgument("iss: is not whose tokens are taken here");
  }
  if (!IsId(claims.subject)) {
    return InvalidArgument("sub: must be 1 to 64 characters of A-Z a-z 0-9 . _ : @ -");
  }
  core::Identity identity;
  identity.user = core::UserId(claims.subject);
  identity.token_id = claims.id;
  identity.issued_at_ms = claims.issued_at_s.value_or(0) * kMillis;
  identity.expires_at_ms = claims.expires_s * kMillis;
  identity.valid_until_ms = identity.expires_at_ms + rules_.leeway.count();
  return identity;
}

Result<core::Identity> TokenVerifier::Verify(std::string_view token, std::int64_t now_ms) const {
  const Result<std::string> payload = Open(token);
  if (!payload.ok()) return OfToken(payload.status());
  const Result<Claims> claims = ParseClaims(*payload);
  if (!claims.ok()) return OfToken(claims.status());
  Result<core::Identity> identity = Judge(*claims, now_ms);
  if (!identity.ok()) return OfToken(identity.status());
  return identity;
}

}  // namespace minichat::auth
