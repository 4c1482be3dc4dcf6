#include "server/app/process.h"

#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

#include "server/app/version.h"

namespace minichat::app {
namespace {

double CpuSeconds() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

double ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  double total_pages = 0;
  double resident_pages = 0;
  statm >> total_pages >> resident_pages;
  return resident_pages * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

double OpenDescriptors() {
  std::error_code ec;
  double count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", ec)) {
    static_cast<void>(entry);
    ++count;
  }
  return count;
}

}  // namespace

void PrepareProcess() {
  std::signal(SIGPIPE, SIG_IGN);
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
}

std::uint64_t DescriptorLimit() {
  rlimit files{};
  constexpr std::uint64_t kUsual = 1024;
  return ::getrlimit(RLIMIT_NOFILE, &files) == 0 ? files.rlim_cur : kUsual;
}

void AddProcessMetrics(MetricsRegistry& registry) {
  registry
      .AddGauge("minichat_build_info", "Always 1; its label says which version runs",
                {{"version", kVersion}})
      .Set(1);
  Counter& cpu = registry.AddCounter("process_cpu_seconds_total", "CPU time used, user and system");
  Gauge& memory = registry.AddGauge("process_resident_memory_bytes", "Resident memory");
  registry.AddGauge("process_max_fds", "File descriptors that the process may have open")
      .Set(static_cast<double>(DescriptorLimit()));
  Gauge& descriptors = registry.AddGauge("process_open_fds", "Open file descriptors");
  registry.AddCollector([&cpu, &memory, &descriptors] {
    cpu.Increment(CpuSeconds() - cpu.Value());
    memory.Set(ResidentBytes());
    descriptors.Set(OpenDescriptors());
  });
}

}  // namespace minichat::app
