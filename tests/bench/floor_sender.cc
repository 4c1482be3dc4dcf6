// floor-sender: what writing to sockets costs at the least. Accepts clients, then sends each of
// them the same bytes at fixed times with one plain send() each, and does nothing else. The measure
// that minichat-bench holds the nodes against.
//
//   floor-sender PORT_FILE CLIENTS BYTES
//
// On its first connection it reads lines "START INTERVAL COUNT" (nanoseconds of the monotonic
// clock) and carries them out; it ends with that connection.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <time.h>

namespace {

[[noreturn]] void Fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

int Listen(const std::string& port_file) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (listener < 0 || bind(listener, generic, length) != 0 || listen(listener, 1024) != 0 ||
      getsockname(listener, generic, &length) != 0) {
    Fail("listen");
  }
  const std::string unfinished = port_file + ".new";
  std::FILE* file = std::fopen(unfinished.c_str(), "w");
  if (file == nullptr) Fail(unfinished.c_str());
  std::fprintf(file, "%d\n", ntohs(address.sin_port));
  if (std::fclose(file) != 0 || std::rename(unfinished.c_str(), port_file.c_str()) != 0)
    Fail(port_file.c_str());
  return listener;
}

std::vector<int> Accept(int listener, std::size_t count) {
  std::vector<int> clients;
  while (clients.size() < count) {
    const int client = accept(listener, nullptr, nullptr);
    if (client < 0) Fail("accept");
    const int on = 1;
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    clients.push_back(client);
  }
  return clients;
}

void SleepUntil(long long ns) {
  const timespec until{static_cast<time_t>(ns / 1'000'000'000),
                       static_cast<long>(ns % 1'000'000'000)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

void SendToAll(const std::vector<int>& clients, const std::string& bytes) {
  for (const int client : clients) {
    if (send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(bytes.size())) {
      Fail("send");
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: floor-sender PORT_FILE CLIENTS BYTES\n", stderr);
    return 2;
  }
  const int listener = Listen(argv[1]);
  const std::vector<int> clients = Accept(listener, std::strtoul(argv[2], nullptr, 10));
  const std::string bytes(std::strtoul(argv[3], nullptr, 10), 'x');
  std::FILE* orders = fdopen(clients.front(), "r");
  long long start = 0, interval = 0, count = 0;
  while (std::fscanf(orders, "%lld %lld %lld", &start, &interval, &count) == 3) {
    for (long long i = 0; i < count; ++i) {
      SleepUntil(start + i * interval);
      SendToAll(clients, bytes);
    }
  }
  return 0;
}
