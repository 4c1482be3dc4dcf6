#include "ws/admission.h"

#include <utility>

#include "server/base/check.h"

namespace minichat::ws {
namespace {

using core::ClientError;
using core::ClientResult;
using core::ErrorCode;
using core::Identity;

ClientError Error(ErrorCode code, std::string message) {
  return {code, std::move(message), std::nullopt};
}

}  // namespace

Admission::Admission(const SessionOptions& options, Scheduler& core,
                     const core::Authenticator* authenticator)
    : insecure_(options.insecure_auth),
      max_rooms_(options.max_rooms),
      core_(core),
      authenticator_(authenticator) {
  CHECK(insecure_ || authenticator_ != nullptr);  // the configuration has been checked
}

ClientResult<Identity> Admission::Admit(const Hello& hello) const {
  if (hello.resume.size() > max_rooms_) {
    return Error(ErrorCode::kBadRequest,
                 "hello.resume: must be at most " + std::to_string(max_rooms_) + " rooms");
  }
  if (insecure_) return Believe(hello);
  if (!hello.token) {
    return Error(ErrorCode::kUnauthorized, "hello.token: is missing; this node takes no names");
  }
  ClientResult<Identity> verified = Verify("hello", *hello.token);
  const auto* identity = std::get_if<Identity>(&verified);
  if (identity != nullptr && hello.user && *hello.user != identity->user) {
    return Error(ErrorCode::kUnauthorized, "hello.user: is not the token's user");
  }
  return verified;
}

ClientResult<Identity> Admission::Renew(const core::UserId& user, const Refresh& refresh) const {
  if (insecure_) {
    return Error(ErrorCode::kBadRequest, "refresh: this node takes names, not tokens");
  }
  ClientResult<Identity> verified = Verify("refresh", refresh.token);
  const auto* identity = std::get_if<Identity>(&verified);
  if (identity != nullptr && identity->user != user) {
    return Error(ErrorCode::kForbidden, "refresh.token: is another user's");
  }
  return verified;
}

ClientResult<Identity> Admission::Believe(const Hello& hello) const {
  if (!hello.user) {
    return Error(ErrorCode::kUnauthorized,
                 "hello.user: is missing; this node takes names, not tokens");
  }
  Identity identity;
  identity.user = *hello.user;
  return identity;
}

ClientResult<Identity> Admission::Verify(const std::string& frame, const std::string& token) const {
  Result<Identity> identity = authenticator_->Verify(token, core_.WallMillis());
  if (identity.ok()) return std::move(*identity);
  return Error(ErrorCode::kUnauthorized, frame + "." + identity.status().message());
}

}  // namespace minichat::ws
