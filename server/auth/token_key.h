#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "server/base/status.h"

struct evp_pkey_st;  // of OpenSSL

namespace minichat::auth {

inline constexpr std::size_t kMinSecretBytes = 32;
inline constexpr int kMinRsaBits = 2048;

enum class Algorithm {
  kHs256,  // HMAC with SHA-256 and a shared secret
  kRs256,  // RSA (PKCS #1 v1.5) with SHA-256
};
std::string_view ToString(Algorithm algorithm);  // as a token's header writes it

// A key with the one algorithm that it is for. A token's header never chooses.
//
// Threading: immutable.
// Errors:    the makers answer InvalidArgument, without a part of the key.
class TokenKey {
 public:
  // HS256; signs and verifies. At least kMinSecretBytes.
  static Result<TokenKey> FromSecret(std::string secret);
  // RS256; the public key verifies, the private one signs too. RSA of 2,048 to 8,192 bits in PEM,
  // not encrypted.
  static Result<TokenKey> FromPublicPem(const std::string& pem);
  static Result<TokenKey> FromPrivatePem(const std::string& pem);

  Algorithm algorithm() const;
  // Takes as long for a signature that is wrong in its first byte as for one wrong in its last.
  bool Verify(std::string_view data, std::string_view signature) const;
  // FailedPrecondition with a public key.
  Result<std::string> Sign(std::string_view data) const;

 private:
  TokenKey() = default;

  std::string secret_;                // empty: RS256
  std::shared_ptr<evp_pkey_st> rsa_;  // null: HS256
  bool is_private_ = false;
};

}  // namespace minichat::auth
