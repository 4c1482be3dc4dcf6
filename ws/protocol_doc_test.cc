// The tables of docs/protocol.md are those of the code.
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "server/core/client_error.h"
#include "ws/close_reason.h"

namespace minichat::ws {
namespace {

// The rows of the table behind a marker, without its two head lines.
std::string TableAfter(const std::string& marker) {
  std::ifstream file("docs/protocol.md");
  std::string rows;
  std::string line;
  bool found = false;
  int head = 2;
  while (std::getline(file, line)) {
    if (!found) {
      found = line.rfind("<!-- " + marker, 0) == 0;
    } else if (line.empty()) {
      break;
    } else if (head-- <= 0) {
      rows += line + "\n";
    }
  }
  return rows;
}

const char* YesNo(bool yes) {
  return yes ? "yes" : "no";
}

TEST(ProtocolDocTest, HasTheErrorCodes) {
  std::ostringstream rows;
  for (const core::ErrorCodeInfo& info : core::ErrorCodes()) {
    rows << "| `" << info.name << "` | " << YesNo(info.retry) << " | " << info.what << " |\n";
  }
  EXPECT_EQ(TableAfter("errors"), rows.str());
}

TEST(ProtocolDocTest, HasTheCloseCodes) {
  std::ostringstream rows;
  for (const CloseReasonInfo& info : CloseReasons()) {
    rows << "| " << info.code << " | `" << info.name << "` | " << YesNo(info.reconnect) << " | "
         << info.why << " |\n";
  }
  EXPECT_EQ(TableAfter("closes"), rows.str());
}

TEST(ProtocolDocTest, OwnCodesLieInTheirRange) {
  for (const CloseReasonInfo& info : CloseReasons()) {
    EXPECT_TRUE(info.code < 1016 || (info.code >= 4000 && info.code < 4100)) << info.code;
  }
}

}  // namespace
}  // namespace minichat::ws
