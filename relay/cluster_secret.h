#pragma once

#include <string_view>

#include "server/base/status.h"

namespace minichat::relay {

// The metadata key of every call between nodes.
inline constexpr char kClusterSecretKey[] = "minichat-cluster-secret";

// Not empty, and fit for a header: visible ASCII. The message never repeats the secret.
Status CheckClusterSecret(std::string_view secret);

// Takes as long for a secret that is wrong in its first byte as for one wrong in its last.
bool SameSecret(std::string_view expected, std::string_view given);

}  // namespace minichat::relay
