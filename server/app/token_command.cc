#include "server/app/token_command.h"

#include <chrono>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>

#include <openssl/rand.h>

#include "server/app/config_values.h"
#include "server/app/token_auth.h"
#include "server/auth/base64url.h"
#include "server/auth/token_issuer.h"
#include "server/base/utf8.h"

namespace minichat::app {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr std::size_t kIdBytes = 16;
constexpr Duration kLongest = hours(24 * 366);

std::int64_t WallMillis() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

std::string NewTokenId() {
  std::string bytes(kIdBytes, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size())) !=
      1) {
    return "";
  }
  return auth::EncodeBase64Url(bytes);
}

Result<auth::TokenGrant> GrantOf(const AppConfig& config, const CommandLine& line) {
  auth::TokenGrant grant;
  grant.user = line.Own("user");
  if (!IsId(grant.user)) {
    return InvalidArgument("--user: must be 1 to 64 characters of A-Z a-z 0-9 . _ : @ -");
  }
  if (const std::string ttl = line.Own("ttl"); !ttl.empty()) {
    const std::optional<Duration> parsed = ParseDuration(ttl);
    if (!parsed || *parsed < seconds(1) || *parsed > kLongest) {
      return InvalidArgument("--ttl: must be a duration like 15m or 1h, from 1s to 8784h");
    }
    grant.ttl = std::chrono::duration_cast<seconds>(*parsed);
  }
  grant.id = NewTokenId();
  grant.audience = config.auth_audience;
  grant.issuer = config.auth_issuer;
  return grant;
}

Result<auth::TokenKey> SigningKey(const AppConfig& config, const CommandLine& line) {
  const std::string file = line.Own("private-key-file");
  if (!config.auth_secret.empty()) {
    if (file.empty()) return VerifyingKey(config);
    return InvalidArgument("--private-key-file: tokens are signed with auth.secret here");
  }
  if (file.empty()) {
    return InvalidArgument("--private-key-file: is missing; auth.public_key_file can't sign");
  }
  std::ifstream in(file);
  std::ostringstream pem;
  pem << in.rdbuf();
  Result<auth::TokenKey> key = auth::TokenKey::FromPrivatePem(pem.str());
  if (key.ok()) return key;
  return InvalidArgument("--private-key-file: " + file + " " + key.status().message());
}

}  // namespace

Status PrintToken(const AppConfig& config, const CommandLine& line) {
  if (config.auth_secret.empty() && config.auth_public_key_file.empty()) {
    return InvalidArgument(
        "token: this configuration has no key for tokens; set auth.insecure: false, and "
        "auth.secret_file or auth.public_key_file");
  }
  const Result<auth::TokenGrant> grant = GrantOf(config, line);
  if (!grant.ok()) return grant.status();
  const Result<auth::TokenKey> signing = SigningKey(config, line);
  if (!signing.ok()) return signing.status();
  const std::int64_t now = WallMillis();
  const Result<std::string> token = auth::IssueToken(*signing, *grant, now);
  if (!token.ok()) return token.status();
  // A private key that is not the public one's, for instance.
  const Result<auth::TokenKey> verifying = VerifyingKey(config);
  if (!verifying.ok()) return verifying.status();
  const auto taken = auth::TokenVerifier(*verifying, TokenRulesOf(config)).Verify(*token, now);
  if (!taken.ok()) {
    return FailedPrecondition("the nodes would refuse this token: " + taken.status().message());
  }
  std::cout << *token << "\n";
  return {};
}

}  // namespace minichat::app
