#pragma once

#include <string>

#include "loadtest/smoke/mode_result.h"

namespace minichat::loadtest {

std::string ToTable(const SmokeResult& result);
std::string ToJson(const SmokeResult& result);

}  // namespace minichat::loadtest
