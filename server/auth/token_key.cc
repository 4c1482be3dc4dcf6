#include "server/auth/token_key.h"

#include <algorithm>
#include <utility>

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>

namespace minichat::auth {
namespace {

constexpr int kMaxRsaBits = 8192;  // above, one check would cost milliseconds
constexpr std::size_t kMaxPemBytes = std::size_t{64} * 1024;

struct BioFree {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
struct ContextFree {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_MD_CTX, ContextFree>;

// In place of OpenSSL's own, which would ask at the terminal.
int NoPassword(char*, int, int, void*) {
  return -1;
}

using PemReader = EVP_PKEY* (*)(BIO*, EVP_PKEY**, pem_password_cb*, void*);

Result<std::shared_ptr<EVP_PKEY>> ReadRsa(const std::string& pem, PemReader read,
                                          const std::string& kind) {
  const std::size_t size = std::min(pem.size(), kMaxPemBytes);
  const std::unique_ptr<BIO, BioFree> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(size)));
  std::shared_ptr<EVP_PKEY> key(read(bio.get(), nullptr, NoPassword, nullptr), EVP_PKEY_free);
  ERR_clear_error();
  if (key == nullptr) return InvalidArgument("holds no unencrypted " + kind + " key in PEM");
  const int bits = EVP_PKEY_get_bits(key.get());
  if (EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_RSA || bits < kMinRsaBits || bits > kMaxRsaBits) {
    return InvalidArgument("must be an RSA key of 2048 to 8192 bits, for RS256");
  }
  return key;
}

const unsigned char* Bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string Hmac(const std::string& secret, std::string_view data) {
  std::string code(EVP_MAX_MD_SIZE, '\0');
  unsigned int size = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()), Bytes(data), data.size(),
       reinterpret_cast<unsigned char*>(code.data()), &size);
  code.resize(size);
  return code;
}

bool VerifyRsa(EVP_PKEY* key, std::string_view data, std::string_view signature) {
  const Context context(EVP_MD_CTX_new());
  const bool right =
      EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key) == 1 &&
      EVP_DigestVerify(context.get(), Bytes(signature), signature.size(), Bytes(data),
                       data.size()) == 1;
  ERR_clear_error();
  return right;
}

Result<std::string> SignRsa(EVP_PKEY* key, std::string_view data) {
  const Context context(EVP_MD_CTX_new());
  std::size_t size = static_cast<std::size_t>(EVP_PKEY_get_size(key));
  std::string signature(size, '\0');
  const bool done =
      EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key) == 1 &&
      EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                     Bytes(data), data.size()) == 1;
  ERR_clear_error();
  if (!done) return Internal("the RSA key can't sign");
  signature.resize(size);
  return signature;
}

}  // namespace

std::string_view ToString(Algorithm algorithm) {
  return algorithm == Algorithm::kHs256 ? "HS256" : "RS256";
}

Result<TokenKey> TokenKey::FromSecret(std::string secret) {
  if (secret.size() < kMinSecretBytes) {
    return InvalidArgument("must be at least " + std::to_string(kMinSecretBytes) + " bytes");
  }
  // Tokens signed with a key file's text as the secret are how forgers use a public key.
  if (secret.starts_with("-----BEGIN")) return InvalidArgument("is a PEM file, not a secret");
  TokenKey key;
  key.secret_ = std::move(secret);
  return key;
}

Result<TokenKey> TokenKey::FromPublicPem(const std::string& pem) {
  auto rsa = ReadRsa(pem, PEM_read_bio_PUBKEY, "public");
  if (!rsa.ok()) return rsa.status();
  TokenKey key;
  key.rsa_ = std::move(*rsa);
  return key;
}

Result<TokenKey> TokenKey::FromPrivatePem(const std::string& pem) {
  auto rsa = ReadRsa(pem, PEM_read_bio_PrivateKey, "private");
  if (!rsa.ok()) return rsa.status();
  TokenKey key;
  key.rsa_ = std::move(*rsa);
  key.is_private_ = true;
  return key;
}

Algorithm TokenKey::algorithm() const {
  return rsa_ == nullptr ? Algorithm::kHs256 : Algorithm::kRs256;
}

bool TokenKey::Verify(std::string_view data, std::string_view signature) const {
  if (rsa_ != nullptr) return VerifyRsa(rsa_.get(), data, signature);
  const std::string expected = Hmac(secret_, data);
  return !expected.empty() && signature.size() == expected.size() &&
         CRYPTO_memcmp(expected.data(), signature.data(), expected.size()) == 0;
}

Result<std::string> TokenKey::Sign(std::string_view data) const {
  if (rsa_ == nullptr) return Hmac(secret_, data);
  if (!is_private_) return FailedPrecondition("a public key can't sign");
  return SignRsa(rsa_.get(), data);
}

}  // namespace minichat::auth
