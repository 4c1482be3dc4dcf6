// What any client may send as a token, and what a careless issuer may sign: the verifier must not
// crash, and lets nobody in but whom the claims promise. The first byte of the input chooses: a
// whole token as it stands, or a payload or header that is then signed with the right key.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "server/auth/base64url.h"
#include "server/auth/token_claims.h"
#include "server/auth/token_verifier.h"
#include "server/base/check.h"
#include "server/base/utf8.h"

namespace {

using namespace minichat;  // a test target

constexpr std::int64_t kNow = 1'790'000'000'000;
constexpr std::string_view kHeader = R"({"alg":"HS256"})";
constexpr std::string_view kPayload = R"({"sub":"ann","exp":1790003600})";

const auth::TokenKey& Key() {
  static const auth::TokenKey kKey =
      *auth::TokenKey::FromSecret("the secret of the fuzz target, long enough");
  return kKey;
}

std::string Signed(std::string_view header, std::string_view payload) {
  const std::string text = auth::EncodeBase64Url(header) + "." + auth::EncodeBase64Url(payload);
  return text + "." + auth::EncodeBase64Url(*Key().Sign(text));
}

void CheckIdentity(const core::Identity& identity) {
  CHECK(IsId(identity.user.value()));
  CHECK(identity.expires_at_ms > 0 && identity.expires_at_ms <= auth::kMaxTimeS * 1000);
  CHECK(identity.valid_until_ms > kNow);
  CHECK(identity.issued_at_ms >= 0 && identity.issued_at_ms <= kNow + 30'000);
}

void CheckBase64(std::string_view text) {
  const auto bytes = auth::DecodeBase64Url(text);
  if (bytes) CHECK(auth::EncodeBase64Url(*bytes) == text);
  CHECK(auth::DecodeBase64Url(auth::EncodeBase64Url(text)) == text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  CheckBase64(input);
  std::string token(input);
  if (data[0] == 'p') token = Signed(kHeader, input);
  if (data[0] == 'h') token = Signed(input, kPayload);
  const auto identity = auth::TokenVerifier(Key(), {}).Verify(token, kNow);
  if (identity.ok()) {
    CheckIdentity(*identity);
  } else {
    CHECK(identity.status().message().rfind("token: ", 0) == 0);
    CHECK(IsCleanUtf8(identity.status().message()));
  }
  return 0;
}
