#include "server/auth/token_key.h"

#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include "server/auth/token_issuer.h"
#include "server/auth/token_test_support.h"
#include "server/auth/token_verifier.h"

namespace minichat::auth {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t kNow = 1'790'000'000'000;

struct Pems {
  std::string private_key;
  std::string locked_key;  // the same, encrypted
  std::string public_key;
};

std::string TextOf(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

Pems MakePems() {
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(EVP_RSA_gen(2048), EVP_PKEY_free);
  const auto write = [](auto to) {
    const std::unique_ptr<BIO, int (*)(BIO*)> bio(BIO_new(BIO_s_mem()), BIO_free);
    to(bio.get());
    return TextOf(bio.get());
  };
  unsigned char password[] = "pass";
  return {write([&](BIO* bio) {
            PEM_write_bio_PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
          }),
          write([&](BIO* bio) {
            PEM_write_bio_PrivateKey(bio, key.get(), EVP_aes_128_cbc(), password, 4, nullptr,
                                     nullptr);
          }),
          write([&](BIO* bio) { PEM_write_bio_PUBKEY(bio, key.get()); })};
}

// Made once: it takes a while.
const Pems& TestPems() {
  static const Pems kPems = MakePems();
  return kPems;
}

TEST(TokenKeyTest, ShortSecretsAndKeyFilesAreNoSecrets) {
  const std::string secret = testdata::kSecret;

  EXPECT_TRUE(TokenKey::FromSecret(secret).ok());
  const Status status = TokenKey::FromSecret(secret.substr(0, 31)).status();
  EXPECT_THAT(status.message(), HasSubstr("at least 32 bytes"));
  EXPECT_THAT(status.message(), Not(HasSubstr(secret.substr(0, 31))));
  EXPECT_THAT(TokenKey::FromSecret(testdata::kPublicPem).status().message(),
              HasSubstr("is a PEM file"));
}

TEST(TokenKeyTest, TakesRsaKeysOfGoodSizeOnly) {
  EXPECT_TRUE(TokenKey::FromPublicPem(testdata::kPublicPem).ok());
  for (const char* pem : {testdata::kSmallPem, testdata::kEcPem}) {
    EXPECT_THAT(TokenKey::FromPublicPem(pem).status().message(), HasSubstr("2048 to 8192 bits"));
  }
  for (const std::string& pem : {std::string(), std::string("nonsense"), TestPems().private_key}) {
    EXPECT_THAT(TokenKey::FromPublicPem(pem).status().message(),
                HasSubstr("no unencrypted public"));
  }
  EXPECT_THAT(TokenKey::FromPrivatePem(testdata::kPublicPem).status().message(),
              HasSubstr("no unencrypted private"));
}

// It must not ask for the password at the terminal.
TEST(TokenKeyTest, EncryptedKeysAreRefused) {
  EXPECT_THAT(TestPems().locked_key, HasSubstr("ENCRYPTED"));
  EXPECT_FALSE(TokenKey::FromPrivatePem(TestPems().locked_key).ok());
}

TEST(TokenKeyTest, WhatThePrivateKeySignsThePublicOneVerifies) {
  const TokenKey secret = *TokenKey::FromPrivatePem(TestPems().private_key);
  const TokenKey open = *TokenKey::FromPublicPem(TestPems().public_key);

  const std::string signature = *secret.Sign("text");

  EXPECT_TRUE(open.Verify("text", signature));
  EXPECT_FALSE(open.Verify("texT", signature));
  EXPECT_FALSE(open.Verify("text", signature.substr(1)));
  EXPECT_FALSE(open.Verify("text", ""));
  EXPECT_FALSE(TokenKey::FromPublicPem(testdata::kPublicPem)->Verify("text", signature));
  EXPECT_EQ(open.Sign("text").status().code(), StatusCode::kFailedPrecondition);
}

TEST(TokenKeyTest, EachBitOfASecretsSignatureCounts) {
  const TokenKey key = *TokenKey::FromSecret(testdata::kSecret);
  const std::string signature = *key.Sign("text");
  ASSERT_EQ(signature.size(), 32);
  EXPECT_TRUE(key.Verify("text", signature));

  for (std::size_t bit = 0; bit < signature.size() * 8; ++bit) {
    std::string other = signature;
    other[bit / 8] = static_cast<char>(other[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(key.Verify("text", other)) << bit;
  }
  EXPECT_FALSE(key.Verify("text", signature + '\0'));
}

TEST(TokenIssuerTest, IssuesWhatTheVerifierTakes) {
  const std::pair<TokenKey, TokenKey> pairs[] = {
      {*TokenKey::FromSecret(testdata::kSecret), *TokenKey::FromSecret(testdata::kSecret)},
      {*TokenKey::FromPrivatePem(TestPems().private_key),
       *TokenKey::FromPublicPem(TestPems().public_key)}};
  const TokenGrant grant{"ann", std::chrono::minutes(10), "t-1", "chat", "https://issuer.example"};
  for (const auto& [signing, verifying] : pairs) {
    const TokenVerifier verifier(verifying, {"chat", "https://issuer.example"});

    const auto identity = verifier.Verify(*IssueToken(signing, grant, kNow), kNow);

    ASSERT_TRUE(identity.ok()) << identity.status().ToString();
    EXPECT_EQ(identity->user.value(), "ann");
    EXPECT_EQ(identity->token_id, "t-1");
    EXPECT_EQ(identity->expires_at_ms, kNow + 600'000);
  }
}

}  // namespace
}  // namespace minichat::auth
