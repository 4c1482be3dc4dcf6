#include "server/app/token_auth.h"

namespace minichat::app {

Result<auth::TokenKey> VerifyingKey(const AppConfig& config) {
  if (!config.auth_secret.empty()) return auth::TokenKey::FromSecret(config.auth_secret);
  return auth::TokenKey::FromPublicPem(config.auth_public_key);
}

auth::TokenRules TokenRulesOf(const AppConfig& config) {
  return {config.auth_audience, config.auth_issuer,
          std::chrono::duration_cast<std::chrono::milliseconds>(config.auth_leeway)};
}

}  // namespace minichat::app
