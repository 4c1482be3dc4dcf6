#pragma once

#include <string>

#include "tests/bench/bench_cluster.h"

namespace minichat::bench {

struct SlowReaderOptions {
  std::size_t healthy = 10;  // members of the room that read
  std::size_t slow = 20;  // members that stop reading, come back when they are closed, stop again
  double rate = 2'000;    // messages a second
  std::size_t text_bytes = 2'048;
  std::chrono::seconds without{60};
  std::chrono::seconds with{300};
};

struct SlowReaderResult {
  double p99_without_ms = 0;  // of deliveries to the healthy
  double p99_with_ms = 0;
  double early_mib = 0;    // resident memory of all nodes, with slow readers, after two fifths…
  double late_mib = 0;     // …and at the end
  std::size_t closed = 0;  // slow readers that were closed
  std::string invalid;
};

// Clients that stop reading must cost the others nothing, and the node no memory that grows: the
// same load first without them, then with them.
//
// Threading: confined to one thread; blocks for as long as the options say, and tells stderr.
Result<SlowReaderResult> MeasureSlowReaders(test::ServiceSet& services,
                                            const SlowReaderOptions& options);

std::string ToTable(const SlowReaderResult& result);

}  // namespace minichat::bench
