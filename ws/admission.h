#pragma once

#include <string>

#include "server/base/scheduler.h"
#include "server/core/client_error.h"
#include "server/core/ports/authenticator.h"
#include "ws/codec.h"
#include "ws/options.h"

namespace minichat::ws {

// Decides who a client is: by its token, or by its word where auth is insecure.
//
// Lifetime:  the scheduler and the authenticator outlive it.
// Threading: confined to the core's thread.
class Admission {
 public:
  // `authenticator` may be null only with insecure auth.
  Admission(const SessionOptions& options, Scheduler& core,
            const core::Authenticator* authenticator);

  // Without tokens the identity has no end: valid_until_ms is 0.
  core::ClientResult<core::Identity> Admit(const Hello& hello) const;
  // A new token for a session of `user`.
  core::ClientResult<core::Identity> Renew(const core::UserId& user, const Refresh& refresh) const;

 private:
  core::ClientResult<core::Identity> Believe(const Hello& hello) const;
  // `frame` is named in the error.
  core::ClientResult<core::Identity> Verify(const std::string& frame,
                                            const std::string& token) const;

  const bool insecure_;
  const std::size_t max_rooms_;
  Scheduler& core_;
  const core::Authenticator* const authenticator_;
};

}  // namespace minichat::ws
