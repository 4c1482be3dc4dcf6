#include "server/auth/token_issuer.h"

#include "server/auth/base64url.h"
#include "server/base/json_writer.h"

namespace minichat::auth {
namespace {

std::string Payload(const TokenGrant& grant, std::int64_t now_s) {
  JsonObject claims;
  claims.Add("sub", grant.user);
  if (!grant.issuer.empty()) claims.Add("iss", grant.issuer);
  if (!grant.audience.empty()) claims.Add("aud", grant.audience);
  if (!grant.id.empty()) claims.Add("jti", grant.id);
  claims.Add("iat", now_s).Add("exp", now_s + static_cast<std::int64_t>(grant.ttl.count()));
  return claims.Take();
}

}  // namespace

Result<std::string> IssueToken(const TokenKey& key, const TokenGrant& grant, std::int64_t now_ms) {
  JsonObject header;
  header.Add("alg", ToString(key.algorithm())).Add("typ", "JWT");
  std::string token =
      EncodeBase64Url(header.Take()) + '.' + EncodeBase64Url(Payload(grant, now_ms / 1000));
  const Result<std::string> signature = key.Sign(token);
  if (!signature.ok()) return signature.status();
  return token + '.' + EncodeBase64Url(*signature);
}

}  // namespace minichat::auth
