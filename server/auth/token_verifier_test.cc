#include "server/auth/token_verifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/auth/base64url.h"
#include "server/auth/token_test_support.h"

namespace minichat::auth {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t kIssuedS = 1'790'000'000;  // of the tokens in testdata
constexpr std::int64_t kExpiresS = kIssuedS + 3600;
constexpr std::int64_t kNow = (kIssuedS + 60) * 1000;
constexpr char kHeader[] = R"({"alg":"HS256","typ":"JWT"})";

TokenKey Secret() {
  return *TokenKey::FromSecret(testdata::kSecret);
}
TokenKey PublicKey() {
  return *TokenKey::FromPublicPem(testdata::kPublicPem);
}

// A token with the right signature of HS256, whatever it says.
std::string Token(const std::string& payload, const std::string& header = kHeader) {
  const std::string text = EncodeBase64Url(header) + "." + EncodeBase64Url(payload);
  return text + "." + EncodeBase64Url(*Secret().Sign(text));
}
std::string Claiming(const std::string& more) {
  return Token(R"({"sub":"ann","exp":1790003600)" + (more.empty() ? more : "," + more) + "}");
}

// Why the token is refused; "" when it is not.
std::string Refusal(const std::string& token, const TokenRules& rules = {},
                    std::int64_t now_ms = kNow) {
  const auto identity = TokenVerifier(Secret(), rules).Verify(token, now_ms);
  return identity.ok() ? "" : identity.status().message();
}

TEST(TokenVerifierTest, TakesAnotherImplementationsTokens) {
  const TokenRules rules{"chat", "https://issuer.example"};
  for (const auto& identity :
       {TokenVerifier(Secret(), rules).Verify(testdata::kHs256Token, kNow),
        TokenVerifier(PublicKey(), rules).Verify(testdata::kRs256Token, kNow)}) {
    ASSERT_TRUE(identity.ok()) << identity.status().ToString();
    EXPECT_EQ(identity->user.value(), "ann");
    EXPECT_EQ(identity->token_id, "t-1");
    EXPECT_EQ(identity->issued_at_ms, kIssuedS * 1000);
    EXPECT_EQ(identity->expires_at_ms, kExpiresS * 1000);
    EXPECT_EQ(identity->valid_until_ms, kExpiresS * 1000 + 30'000);
  }
}

// RFC 7515, appendix A.1: its signature is right, but it names no user.
TEST(TokenVerifierTest, KnowsTheSignatureOfTheStandardsExample) {
  const auto key = DecodeBase64Url(
      "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow");
  const std::string token =
      "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogI"
      "mh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

  const auto identity = TokenVerifier(*TokenKey::FromSecret(*key), {}).Verify(token, 0);

  EXPECT_EQ(identity.status().message(), "token: sub: is missing");
}

TEST(TokenVerifierTest, TheHeaderDoesNotChooseTheAlgorithm) {
  const auto by_public_key = [](const std::string& token) {
    return TokenVerifier(PublicKey(), {}).Verify(token, kNow).status().message();
  };
  const std::string confused = testdata::kConfusedToken;

  EXPECT_EQ(by_public_key(confused), "token: alg: must be RS256");
  // The same signature, made with the public key as secret, under the header that is wanted.
  EXPECT_EQ(
      by_public_key(EncodeBase64Url(R"({"alg":"RS256"})") + confused.substr(confused.find('.'))),
      "token: the signature is wrong");
  EXPECT_EQ(by_public_key(testdata::kNoneToken), "token: alg: must be RS256");
  EXPECT_EQ(Refusal(testdata::kRs256Token), "token: alg: must be HS256");
}

TEST(TokenVerifierTest, AlgNoneIsRefusedInEachSpelling) {
  EXPECT_EQ(Refusal(testdata::kNoneToken), "token: alg: must be HS256");
  const std::string payload = R"({"sub":"ann","exp":1790003600})";
  for (const char* header :
       {R"({"alg":"none"})", R"({"alg":"None"})", R"({"alg":""})", "{}", R"({"alg":null})",
        R"({"alg":["HS256"]})", R"({"alg":"hs256"})", R"({"alg":"HS512"})"}) {
    EXPECT_EQ(Refusal(Token(payload, header)), "token: alg: must be HS256") << header;
  }
  EXPECT_EQ(Refusal(EncodeBase64Url(kHeader) + "." + EncodeBase64Url(payload) + "."),
            "token: the signature is wrong");
}

TEST(TokenVerifierTest, ForgedTokensAreRefused) {
  const std::string good = Claiming("");
  ASSERT_EQ(Refusal(good), "");
  const std::string other = Token(R"({"sub":"bob","exp":1790003600})");
  const auto payload_of = [](const std::string& token) {
    return token.substr(token.find('.'), token.rfind('.') - token.find('.'));
  };

  EXPECT_EQ(
      Refusal(good.substr(0, good.find('.')) + payload_of(other) + good.substr(good.rfind('.'))),
      "token: the signature is wrong");
  const TokenKey wrong = *TokenKey::FromSecret(std::string(32, 'x'));
  EXPECT_EQ(TokenVerifier(wrong, {}).Verify(good, kNow).status().message(),
            "token: the signature is wrong");
}

TEST(TokenVerifierTest, TimesAreJudgedWithTheLeeway) {
  const TokenRules rules{"", "", std::chrono::seconds(30)};
  const std::string token = Claiming(R"("nbf":1790000000,"iat":1790000000)");
  const auto at = [&](std::int64_t second) { return Refusal(token, rules, second * 1000); };

  EXPECT_EQ(at(kIssuedS - 31), "token: is not valid yet");
  // Nodes whose clocks are 5 s off judge as the others do.
  EXPECT_EQ(at(kIssuedS - 30), "");
  EXPECT_EQ(at(kIssuedS - 5), "");
  EXPECT_EQ(at(kExpiresS + 5), "");
  EXPECT_EQ(at(kExpiresS + 29), "");
  EXPECT_EQ(at(kExpiresS + 30), "token: has expired");
  EXPECT_EQ(Refusal(Claiming(R"("iat":1790000000)"), rules, (kIssuedS - 31) * 1000),
            "token: iat: lies in the future");
  EXPECT_EQ(Refusal(token, {"", "", std::chrono::seconds(0)}, kExpiresS * 1000),
            "token: has expired");
}

TEST(TokenVerifierTest, AudienceAndIssuerMustBeThoseThatAreSet) {
  const TokenRules rules{"chat", "https://issuer.example"};
  const std::string issuer = R"("iss":"https://issuer.example")";

  EXPECT_EQ(Refusal(Claiming(issuer + R"(,"aud":"chat")"), rules), "");
  EXPECT_EQ(Refusal(Claiming(issuer + R"(,"aud":["mail","chat"])"), rules), "");
  for (const char* aud : {"", R"(,"aud":"chat2")", R"(,"aud":[])", R"(,"aud":["mail"])"}) {
    EXPECT_EQ(Refusal(Claiming(issuer + aud), rules), "token: aud: does not name this service")
        << aud;
  }
  for (const char* iss : {R"("aud":"chat")", R"("aud":"chat","iss":"https://issuer.example/")"}) {
    EXPECT_EQ(Refusal(Claiming(iss), rules), "token: iss: is not whose tokens are taken here");
  }
}

TEST(TokenVerifierTest, UserAndExpiryMustBeThereAndOfTheirType) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"exp":1790003600})", "sub: is missing"},
      {R"({"sub":"ann"})", "exp: is missing"},
      {R"({"sub":7,"exp":1790003600})", "sub: must be a string"},
      {R"({"sub":["ann"],"exp":1790003600})", "sub: must be a string"},
      {R"({"sub":null,"exp":1790003600})", "sub: must be a string"},
      {R"({"sub":"","exp":1790003600})", "sub: must be 1 to 64 characters of"},
      {R"({"sub":"a b","exp":1790003600})", "sub: must be 1 to 64 characters of"},
      {R"({"sub":"ann\u0000","exp":1790003600})", "sub: must be 1 to 64 characters of"},
      {R"({"sub":"ann","exp":"1790003600"})", "exp: must be a number of seconds"},
      {R"({"sub":"ann","exp":null})", "exp: must be a number of seconds"},
      {R"({"sub":"ann","exp":-1})", "exp: must be a number of seconds"},
      {R"({"sub":"ann","exp":253402300800})", "exp: must be a number of seconds"},
      {R"({"sub":"ann","exp":9223372036854775807})", "exp: must be a number of seconds"},
      {R"({"sub":"ann","exp":18446744073709551615})", "exp: must be a number of seconds"},
      {R"({"sub":"ann","exp":1e300})", "exp: must be a number of seconds"},
      {R"({"sub":"ann","exp":1790003600,"nbf":"x"})", "nbf: must be a number of seconds"},
      {R"({"sub":"ann","exp":1790003600,"iat":1e12})", "iat: must be a number of seconds"},
      {R"({"sub":"ann","exp":1790003600,"iss":1})", "iss: must be a string"},
      {R"({"sub":"ann","exp":1790003600,"jti":{}})", "jti: must be a string"},
      {R"({"sub":"ann","exp":1790003600,"aud":[1]})", "aud: must be a string or a list"},
  };
  for (const auto& [payload, reason] : cases) {
    EXPECT_THAT(Refusal(Token(payload)), HasSubstr(std::string("token: ") + reason)) << payload;
  }
  EXPECT_EQ(Refusal(Token(R"({"sub":"ann","exp":1790003600.5})")), "");
  EXPECT_EQ(Refusal(Token(R"({"sub":"ann","exp":253402300799})")), "");
  EXPECT_EQ(Refusal(Claiming("\"jti\":\"" + std::string(257, 'j') + "\"")),
            "token: jti: must be at most 256 bytes");
}

TEST(TokenVerifierTest, RepeatedKeysAreRefusedHoweverTheyAreWritten) {
  const std::string twice = "token: the payload has the same key twice";
  EXPECT_EQ(Refusal(Claiming(R"("sub":"bob")")), twice);
  EXPECT_EQ(Refusal(Claiming(R"("s\u0075b":"bob")")), twice);
  EXPECT_EQ(Refusal(Token(R"({"sub":"ann","exp":1790003600})", R"({"alg":"none","alg":"HS256"})")),
            "token: the header has the same key twice");
  EXPECT_EQ(Refusal(Claiming(R"("other":{"sub":"bob"},"list":["sub","exp"])")), "");
}

TEST(TokenVerifierTest, WhatIsNoTokenIsRefused) {
  const std::string good = Claiming("");
  for (const std::string& token : {std::string(), std::string("t"), std::string("a.b"), good + ".",
                                   good + ".a.b", good.substr(0, good.rfind('.'))}) {
    EXPECT_EQ(Refusal(token), "token: must be three parts with dots between") << token;
  }
  const std::string header = EncodeBase64Url(kHeader);
  for (const std::string& token :
       {good + "=", good + "AA", " " + good, header + ".e30=.AA", header + ".\xff.AA"}) {
    EXPECT_EQ(Refusal(token), "token: its parts must be base64url") << token;
  }
  EXPECT_EQ(Refusal(".."), "token: the header is not a JSON object");
  EXPECT_EQ(Refusal(Token("[]")), "token: the payload is not a JSON object");
  EXPECT_EQ(Refusal(Token(R"({"sub":"ann","exp":1790003600} x)")),
            "token: the payload is not a JSON object");
  EXPECT_EQ(Refusal(Token(R"({"sub":"ann","exp":1790003600})",
                          R"({"alg":"HS256","crit":["b64"],"b64":false})")),
            "token: crit: no extensions are understood");
}

TEST(TokenVerifierTest, SizeIsLimited) {
  const auto padded = [](std::size_t bytes) {
    return Claiming("\"pad\":\"" + std::string(bytes, 'p') + "\"");
  };
  std::size_t bytes = 2900;
  while (padded(bytes + 1).size() <= core::kMaxTokenBytes) ++bytes;

  EXPECT_EQ(Refusal(padded(bytes)), "");
  EXPECT_EQ(Refusal(padded(bytes + 1)), "token: must be at most 4096 bytes");
}

TEST(TokenVerifierTest, RefusalsTellNothingOfTheToken) {
  const std::string payload = R"({"sub":"private person","exp":1790003600,"iss":"secret-issuer"})";
  for (const std::string& token : {Token(payload), Token(payload, R"({"alg":"odd"})")}) {
    const std::string refusal = Refusal(token, {"chat", "x"});
    EXPECT_NE(refusal, "");
    for (const char* part : {"private", "secret", "odd", "eyJ"}) {
      EXPECT_THAT(refusal, Not(HasSubstr(part)));
    }
  }
}

}  // namespace
}  // namespace minichat::auth
