// What any client may send: DecodeFrame() must not crash, must let nothing through that the checks
// promise to stop, and what is made of it for other clients must be valid JSON again.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "server/base/check.h"
#include "server/base/utf8.h"
#include "ws/codec.h"

namespace {

using namespace minichat;  // a test target

// A frame that the node wrote is valid JSON: the decoder gets as far as its op.
void CheckIsJson(const std::string& encoded, const std::string& op) {
  if (encoded.size() > ws::kMaxFrameBytes) return;
  const ws::DecodedFrame decoded = ws::DecodeFrame(encoded);
  const auto* bad = std::get_if<ws::BadFrame>(&decoded);
  CHECK(bad != nullptr);
  CHECK(bad->error.message.rfind("op: unknown \"" + op + "\"", 0) == 0);
}

void CheckSend(const core::SendRequest& request) {
  CHECK(IsId(request.room.value()) && IsId(request.cid.value()));
  CHECK(request.body.size() <= kMaxBodyBytes && IsCleanUtf8(request.body));
  const core::PlacedMessage placed{core::MakeMessage(request.room, core::UserId("ann"), request.cid,
                                                     request.kind, request.body, 1),
                                   {1, 0, 1}};
  CheckIsJson(ws::EncodeMessage(placed), "message");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const ws::DecodedFrame decoded = ws::DecodeFrame(text);
  if (const auto* bad = std::get_if<ws::BadFrame>(&decoded)) {
    CHECK(!bad->error.message.empty());
    CheckIsJson(ws::EncodeError(bad->rid, bad->error), "error");
    return 0;
  }
  const auto& frame = std::get<ws::ClientFrame>(decoded);
  CheckIsJson(ws::EncodePong(frame.rid), "pong");
  if (const auto* send = std::get_if<ws::Send>(&frame.op)) CheckSend(send->request);
  return 0;
}
