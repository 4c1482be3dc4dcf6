#include "loadtest/experiments/hot_spots/token_spot.h"

#include <string>

#include "server/auth/token_issuer.h"
#include "server/auth/token_test_support.h"
#include "server/auth/token_verifier.h"

namespace minichat::lab {
namespace {

constexpr std::size_t kMessages = 1'000;            // of one connection
constexpr std::int64_t kNowMs = 1'790'000'001'000;  // within the life of the tokens
constexpr const char* kUser = "ann";

Status Wrong() {
  return Internal("hot-spots: a token names somebody else or nobody");
}

Status VerifyEach(const auth::TokenVerifier& verifier, const std::string& token) {
  for (std::size_t i = 0; i < kMessages; ++i) {
    const auto identity = verifier.Verify(token, kNowMs);
    if (!identity.ok() || identity->user.value() != kUser) return Wrong();
  }
  return {};
}

// What is left to do with each message: its session knows until when it may send.
Status VerifyOnce(const auth::TokenVerifier& verifier, const std::string& token) {
  const auto identity = verifier.Verify(token, kNowMs);
  if (!identity.ok() || identity->user.value() != kUser) return Wrong();
  volatile std::int64_t now_ms = kNowMs;  // read anew each time, as a clock is
  for (std::size_t i = 0; i < kMessages; ++i) {
    if (now_ms >= identity->valid_until_ms) return Wrong();
  }
  return {};
}

}  // namespace

Result<SpotResult> MeasureToken(const SpotPlan& plan) {
  const auto secret = auth::TokenKey::FromSecret(auth::testdata::kSecret);
  if (!secret.ok()) return secret.status();
  const auto rsa = auth::TokenKey::FromPublicPem(auth::testdata::kPublicPem);
  if (!rsa.ok()) return rsa.status();
  auth::TokenGrant grant;
  grant.user = kUser;
  grant.id = "t-1";
  const auto token = auth::IssueToken(*secret, grant, kNowMs);
  if (!token.ok()) return token.status();
  const auth::TokenVerifier hs256(*secret, {});
  const auth::TokenVerifier rs256(*rsa, {});
  return Measure(
      {"token",
       "Who it is: the token of a client that sends 1,000 messages",
       "message",
       {{"each message, RS256", kMessages,
         [&] { return VerifyEach(rs256, auth::testdata::kRs256Token); }},
        {"each message, HS256", kMessages, [&] { return VerifyEach(hs256, *token); }},
        {"once a connection, HS256", kMessages, [&] { return VerifyOnce(hs256, *token); }},
        {"once a connection, RS256", kMessages,
         [&] { return VerifyOnce(rs256, auth::testdata::kRs256Token); }}},
       {},
       50},
      plan);
}

}  // namespace minichat::lab
