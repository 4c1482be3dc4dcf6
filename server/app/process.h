#pragma once

#include <cstdint>

#include "server/base/metrics.h"

namespace minichat::app {

// What every minichat process does first: a peer that is gone must not end it (SIGPIPE), and each
// connection needs a descriptor (the soft limit is raised to the hard one).
void PrepareProcess();

// How many file descriptors the process may have.
std::uint64_t DescriptorLimit();

// process_cpu_seconds_total, process_resident_memory_bytes, process_open_fds, read at each scrape,
// and minichat_build_info.
//
// Lifetime: the registry outlives the process's last scrape.
void AddProcessMetrics(MetricsRegistry& registry);

}  // namespace minichat::app
