#pragma once

#include "server/app/app_config.h"
#include "server/base/status.h"

namespace minichat::app {

// `minichat migrate`: makes the topic in Kafka and the tables in Postgres, as far as the
// configuration names them. Safe to repeat, and to run from several machines at once.
Status Migrate(const AppConfig& config);

}  // namespace minichat::app
