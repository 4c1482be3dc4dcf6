#pragma once

#include "server/app/app_config.h"
#include "server/auth/token_verifier.h"
#include "server/base/status.h"

namespace minichat::app {

// The key that a configuration checks tokens with: auth.secret or the public key. One of them is
// set. The error does not say which, nor anything of the key.
Result<auth::TokenKey> VerifyingKey(const AppConfig& config);

// What a configuration wants of tokens.
auth::TokenRules TokenRulesOf(const AppConfig& config);

}  // namespace minichat::app
