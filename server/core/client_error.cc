#include "server/core/client_error.h"

#include "server/base/check.h"

namespace minichat::core {

const std::vector<ErrorCodeInfo>& ErrorCodes() {
  static const std::vector<ErrorCodeInfo> kCodes = {
      {ErrorCode::kBadRequest, "bad_request", false,
       "The frame or a field of it is not as this document says."},
      {ErrorCode::kTooLarge, "too_large", false, "A field is longer than its limit."},
      {ErrorCode::kUnauthorized, "unauthorized", false,
       "The token or the user is missing or not valid."},
      {ErrorCode::kForbidden, "forbidden", false,
       "This user may not enter the room, or the room does not exist."},
      {ErrorCode::kNotMember, "not_member", false, "This session has not joined the room."},
      {ErrorCode::kNoSuchRoom, "no_such_room", false,
       "The room does not exist (told to API keys only)."},
      {ErrorCode::kCidConflict, "cid_conflict", false,
       "The cid was used in this room with another text. Nothing was changed."},
      {ErrorCode::kRateLimited, "rate_limited", true,
       "Too many requests from this session, or from all of its user."},
      {ErrorCode::kOverloaded, "overloaded", true,
       "The node is at one of its bounds. Nothing was stored."},
      {ErrorCode::kUnavailable, "unavailable", true, "A back end is away. Nothing was stored."},
      {ErrorCode::kUnknown, "unknown", true,
       "The message may have been stored. Send it again with the same cid and resend:true."},
      {ErrorCode::kInternal, "internal", true, "A fault of the server. The log has the details."},
  };
  return kCodes;
}

const ErrorCodeInfo& InfoOf(ErrorCode code) {
  for (const ErrorCodeInfo& info : ErrorCodes()) {
    if (info.code == code) return info;
  }
  CHECK(false && "every code is in the table");
}

}  // namespace minichat::core
