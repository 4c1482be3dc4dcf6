#pragma once

namespace minichat::loadtest {

// From now on SIGINT and SIGTERM are counted rather than end the process; the third one ends it.
void CountStopSignals();
int StopSignals();

}  // namespace minichat::loadtest
