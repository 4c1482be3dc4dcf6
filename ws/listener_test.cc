#include <stdexcept>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/memory_node.h"
#include "tests/support/ws_test_client.h"

namespace minichat::ws {
namespace {

using minichat::test::MemoryNode;
using minichat::test::WsTestClient;

// This process can open no further descriptor while this lives.
class NoDescriptorsLeft {
 public:
  NoDescriptorsLeft() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const int next = dup(STDERR_FILENO);
    close(next);
    rlimit tight = before_;
    tight.rlim_cur = static_cast<rlim_t>(next);
    setrlimit(RLIMIT_NOFILE, &tight);
  }
  ~NoDescriptorsLeft() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

bool Connect(int fd, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
}

TEST(ListenerTest, OutOfDescriptorsOldSessionsGoOnAndNewOnesComeLater) {
  MemoryNode::Options options;
  options.server.accept_pause = std::chrono::milliseconds(10);
  MemoryNode node(options);
  WsTestClient ann(node.port());
  ann.Send(R"({"op":"hello","user":"ann"})");
  ann.Receive();
  const int late = socket(AF_INET, SOCK_STREAM, 0);
  {
    const NoDescriptorsLeft tight;
    ASSERT_TRUE(Connect(late, node.port()));  // waits in the backlog
    while (node.Metric("minichat_accept_errors_total") < 2) {
      ann.Send(R"({"op":"ping","rid":1})");
      ASSERT_EQ(ann.Receive(), R"({"op":"pong","rid":1})");
    }
    EXPECT_EQ(node.Metric("minichat_connections"), 1);
  }

  EXPECT_TRUE(node.WaitForMetric("minichat_connections", 2));
  close(late);
  EXPECT_TRUE(node.WaitForMetric("minichat_connections", 1));
}

TEST(ListenerTest, AnAddressThatCannotBeHadIsAnError) {
  MemoryNode first;
  MemoryNode::Options options;
  options.server.port = first.port();

  EXPECT_THROW(MemoryNode second(options), std::runtime_error);
}

}  // namespace
}  // namespace minichat::ws
