#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "server/base/scheduler.h"

namespace minichat::app {

// Everything that can be configured, with its default. The option table (option_table.cc) binds
// each field to a key, a type and a text; docs/configuration.md is written from that table.
//
// Threading: immutable once the node runs; a reload makes a new one.
struct AppConfig {
  std::string node_name = "n1";
  std::vector<std::string> node_roles = {"chat", "persister"};

  std::string client_listen = "127.0.0.1:8080";
  std::vector<std::string> client_origins;
  std::string admin_listen = "127.0.0.1:9180";
  std::string admin_key;
  std::string admin_key_file;

  std::string api_keys;  // separated by commas
  std::string api_keys_file;

  std::string relay_listen;
  std::string relay_advertise;
  std::string relay_mode = "bulk";
  std::string cluster_secret;
  std::string cluster_secret_file;

  bool auth_insecure = true;
  bool auth_insecure_anywhere = false;
  std::string auth_secret;
  std::string auth_secret_file;
  std::string auth_public_key_file;
  std::string auth_public_key;  // the file's text; no option of its own
  std::string auth_audience;
  std::string auth_issuer;
  Duration auth_leeway = std::chrono::seconds(30);
  std::vector<std::string> rooms_open = {"*"};
  Duration rooms_idle_ttl = std::chrono::hours(1);
  std::uint64_t presence_max_sessions = 200;

  std::string log_url = "memory:";
  std::string directory_url = "memory:";
  std::string store_url = "memory:";
  Duration dedup_ttl = std::chrono::minutes(10);

  std::uint64_t limits_sessions = 20'000;
  std::uint64_t limits_rooms = 200;
  std::uint64_t limits_messages_per_s = 1'000;
  std::uint64_t limits_address_connections = 500;
  std::uint64_t limits_address_handshakes_per_s = 50;
  bool limits_loopback = false;
  std::uint64_t limits_handshakes_per_s = 2'000;
  std::uint64_t limits_user_sessions = 100;
  std::uint64_t limits_user_messages_per_s = 0;
  std::uint64_t limits_spare_descriptors = 64;
  std::uint64_t limits_waiting_sends = 1'000;
  std::uint64_t limits_waiting_reads = 128;
  std::uint64_t limits_queue_events = 1'000;
  std::uint64_t limits_queue_bytes = 1 << 20;
  std::uint64_t limits_node_queue_bytes = 256 << 20;

  std::uint64_t io_threads = 1;
  std::string logging_level = "info";

  bool lab_enabled = false;
  std::string lab_profile = "none";
  std::string lab_dispatch = "async";
  std::string lab_deadline = "propagate";
  Duration lab_fixed_deadline = std::chrono::seconds(30);
  std::string lab_local = "batched";
  std::string lab_repair = "on";
  std::uint64_t lab_executor_core = 30;
  std::uint64_t lab_executor_max = 200;
  std::uint64_t lab_executor_queue = 1'000;
  std::string lab_executor_overflow = "caller_runs";
  std::uint64_t lab_server_workers = 0;
  Duration lab_fault_relay_delay{};
  std::string lab_fault_die = "never";
  bool lab_coalesce = true;

  bool HasRole(const std::string& role) const;
};

}  // namespace minichat::app
