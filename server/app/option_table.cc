#include "server/app/option_table.h"

#include <algorithm>
#include <utility>

namespace minichat::app {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using Rows = std::vector<Option>;
using C = AppConfig;

void AddNode(Rows& rows) {
  rows.push_back(NameOption("node.name", &C::node_name,
                            "This node's name, different for each node of a cluster. Label "
                            "\"node\" in what clients and metrics see."));
  rows.push_back(ListOption("node.roles", &C::node_roles, {"chat", "persister"},
                            "What this node does: serve clients (chat), write the log to the store "
                            "(persister), or both. At least one node needs each role."));
  rows.push_back(
      CountOption("io.threads", &C::io_threads, {1, 64}, "Threads that serve client connections."));
  rows.push_back(ChoiceOption("logging.level", &C::logging_level,
                              {"trace", "debug", "info", "warn", "error", "off"},
                              "How much is written to standard error.")
                     .Reloadable());
}

void AddListeners(Rows& rows) {
  rows.push_back(ListenOption("client.listen", &C::client_listen,
                              "Where clients connect: WebSocket at /ws, HTTP at /api/v1, the page "
                              "at /."));
  rows.push_back(ListOption("client.origins", &C::client_origins, {},
                            "Web origins whose pages may connect, such as https://chat.example; * "
                            "for any. Empty: pages that this node serves itself. Clients that "
                            "send no Origin are no browsers and may always connect."));
  rows.push_back(ListenOption("admin.listen", &C::admin_listen,
                              "Where /healthz, /readyz, /metrics and /admin/v1 are served. Off "
                              "loopback it needs admin.key."));
  rows.push_back(TextOption("admin.key", &C::admin_key,
                            "Key that /admin/v1 then asks for (Authorization: Bearer …).")
                     .Secret());
  rows.push_back(
      TextOption("admin.key_file", &C::admin_key_file, "File that holds admin.key, one line."));
  rows.push_back(TextOption("api.keys", &C::api_keys,
                            "Keys of the services that may use /api/v1 (Authorization: Bearer …), "
                            "separated by commas; at least 16 characters each. Empty: nobody may.")
                     .Secret());
  rows.push_back(
      TextOption("api.keys_file", &C::api_keys_file, "File that holds api.keys, one line."));
}

void AddCluster(Rows& rows) {
  rows.push_back(AddressOption("relay.listen", &C::relay_listen, true,
                               "Where other nodes hand messages to this one (gRPC). Empty: this "
                               "node stands alone. Needs cluster.secret."));
  rows.push_back(AddressOption("relay.advertise", &C::relay_advertise, true,
                               "The address under which other nodes reach relay.listen. Empty: "
                               "the address it is bound to."));
  rows.push_back(ChoiceOption("relay.mode", &C::relay_mode, {"bulk", "single", "stream"},
                              "One call per target node with the list of recipients (bulk), one "
                              "call per recipient (single), or one long-lived stream per target "
                              "node on which all that is pending goes out together (stream). A "
                              "mode set for the whole cluster with PUT /admin/v1/relay wins over "
                              "this.")
                     .Reloadable());
  rows.push_back(TextOption("cluster.secret", &C::cluster_secret,
                            "Secret that all nodes of a cluster share; every relay call carries "
                            "it. At least 16 characters, visible ASCII without "
                            "blanks.")
                     .Secret());
  rows.push_back(TextOption("cluster.secret_file", &C::cluster_secret_file,
                            "File that holds cluster.secret, one line."));
}

void AddAuth(Rows& rows) {
  rows.push_back(BoolOption("auth.insecure", &C::auth_insecure,
                            "Clients say who they are and are believed. Only while client.listen "
                            "is a loopback address. false: clients show tokens (JWT), and the "
                            "node needs auth.secret or auth.public_key_file."));
  rows.push_back(BoolOption("auth.insecure_anywhere", &C::auth_insecure_anywhere,
                            "Allows auth.insecure where other machines can connect."));
  rows.push_back(TextOption("auth.secret", &C::auth_secret,
                            "Secret that tokens are signed with (HS256), at least 32 bytes.")
                     .Secret());
  rows.push_back(TextOption("auth.secret_file", &C::auth_secret_file,
                            "File that holds auth.secret, one line."));
  rows.push_back(TextOption("auth.public_key_file", &C::auth_public_key_file,
                            "File with the public key, in PEM, of whoever signs the tokens (RS256, "
                            "RSA of 2048 to 8192 bits)."));
  rows.push_back(TextOption("auth.audience", &C::auth_audience,
                            "What a token's aud must be or contain. Empty: aud is not looked at."));
  rows.push_back(TextOption("auth.issuer", &C::auth_issuer,
                            "What a token's iss must be. Empty: iss is not looked at."));
  rows.push_back(DurationOption("auth.leeway", &C::auth_leeway, {seconds(0), minutes(5)},
                                "By how much the clocks of the issuer and this node may differ: a "
                                "token is taken so much before and after its time."));
}

void AddChat(Rows& rows) {
  rows.push_back(ListOption("rooms.open", &C::rooms_open, {},
                            "Patterns of rooms that anyone may join; * stands for any "
                            "characters."));
  rows.push_back(DurationOption("rooms.idle_ttl", &C::rooms_idle_ttl, {seconds(1), hours(240)},
                                "A room without traffic leaves the directory after this time, once "
                                "all its messages are stored; the next use brings it back."));
  rows.push_back(
      CountOption("presence.max_sessions", &C::presence_max_sessions, {0, 1'000},
                  "A room in which more sessions than this have joined gets no presence "
                  "and typing events; `who` answers all the same. 0: no room gets any."));
  rows.push_back(DurationOption("dedup.ttl", &C::dedup_ttl, {seconds(30), hours(24)},
                                "How long an unmarked retry (same room, sender and cid) is "
                                "recognised. One marked resend:true is recognised for ever. At "
                                "least some times what a send may take (5 s)."));
}

void AddBackends(Rows& rows) {
  rows.push_back(BackendOption("log", &C::log_url, "kafka://host:port[,host:port]", {.port = true},
                               "Where a message is stored before it is acknowledged. The topic is "
                               "minichat.messages."));
  rows.push_back(BackendOption("directory", &C::directory_url,
                               "redis://[:password@]host[:port][/database]",
                               {.numbered_path = true},
                               "Where rooms have their order, their last messages and their "
                               "routes."));
  rows.push_back(BackendOption("store", &C::store_url,
                               "postgresql://user[:password]@host:port/database", {},
                               "Where history lives."));
}

void AddLimits(Rows& rows) {
  rows.push_back(CountOption("limits.sessions", &C::limits_sessions, {1, 1'000'000},
                             "Client connections that this node holds at most; more are refused."));
  rows.push_back(CountOption("limits.spare_descriptors", &C::limits_spare_descriptors, {8, 10'000},
                             "File descriptors that no client gets: for links to back ends and "
                             "other nodes, and for admin.listen. At most a quarter of those that "
                             "the system allows."));
  rows.push_back(CountOption("limits.handshakes_per_s", &C::limits_handshakes_per_s, {0, 100'000},
                             "WebSocket handshakes a second, with bursts of twice that; more are "
                             "answered 503. 0: any number."));
  rows.push_back(CountOption("limits.address_connections", &C::limits_address_connections,
                             {0, 1'000'000},
                             "Client connections of one IPv4 address, or one IPv6 network of 64 "
                             "bits; more are answered 429. 0: any number, as behind a proxy on "
                             "another machine."));
  rows.push_back(CountOption("limits.address_handshakes_per_s", &C::limits_address_handshakes_per_s,
                             {0, 100'000},
                             "WebSocket handshakes a second of one address, with bursts of twice "
                             "that; more are answered 429. 0: any number."));
  rows.push_back(BoolOption("limits.loopback", &C::limits_loopback,
                            "The limits of one address hold for loopback addresses too. false: a "
                            "proxy on this machine may bring everybody's connections."));
  rows.push_back(CountOption("limits.user_sessions", &C::limits_user_sessions, {0, 1'000'000},
                             "Sessions of one user on this node; more are refused as overloaded. "
                             "0: any number."));
  rows.push_back(CountOption("limits.rooms", &C::limits_rooms, {1, 10'000},
                             "Rooms that one session may join."));
  rows.push_back(CountOption("limits.messages_per_s", &C::limits_messages_per_s, {1, 100'000},
                             "Requests a second that one session may make, with bursts of twice "
                             "that; more are refused as rate_limited."));
  rows.push_back(CountOption("limits.user_messages_per_s", &C::limits_user_messages_per_s,
                             {0, 1'000'000},
                             "The same for all sessions of one user on this node together. 0: "
                             "twice limits.messages_per_s."));
  rows.push_back(CountOption("limits.waiting_sends", &C::limits_waiting_sends, {1, 1'000'000},
                             "Sends that may wait for the log and the directory at once; more are "
                             "refused as overloaded. About as many as the node works off in "
                             "the time that a sender may wait."));
  rows.push_back(CountOption("limits.waiting_reads", &C::limits_waiting_reads, {1, 10'000},
                             "Reads of history that may be under way at once, of at most 1 MiB "
                             "each; more are refused as overloaded."));
  rows.push_back(CountOption("limits.queue_events", &C::limits_queue_events, {16, 1'000'000},
                             "Messages that may wait to be written to one client; above, it is "
                             "closed as a slow reader (4008)."));
  rows.push_back(BytesOption("limits.queue_bytes", &C::limits_queue_bytes,
                             {128 << 10, std::uint64_t{1} << 30},
                             "Bytes that may wait to be written to one client; above, it is closed "
                             "as a slow reader (4008)."));
  rows.push_back(BytesOption("limits.node_queue_bytes", &C::limits_node_queue_bytes,
                             {1 << 20, std::uint64_t{1} << 40},
                             "Bytes that may wait to be written to all clients together; above, "
                             "sends and new sessions are refused as overloaded, and a client for "
                             "which more than 16 KiB wait is closed as a slow reader."));
}

// How messages get from node to node and to the clients of their own node.
void AddLabSwitches(Rows& rows) {
  rows.push_back(ChoiceOption("lab.profile", &C::lab_profile, {"none", "classic", "modern"},
                              "Sets the other keys under lab. at once, but for those that are "
                              "given themselves. classic: a thread-pool server, as chat back ends "
                              "are often built (dispatch pool, deadline fixed, local "
                              "per_recipient, repair off); modern: the defaults."));
  rows.push_back(ChoiceOption("lab.dispatch", &C::lab_dispatch, {"async", "pool"},
                              "How a call to another node is made: without a thread that waits "
                              "for it (async), or as a task of a thread pool that blocks in it "
                              "(pool; not with relay.mode: stream)."));
  rows.push_back(ChoiceOption("lab.deadline", &C::lab_deadline, {"propagate", "fixed", "none"},
                              "When a call to another node ends: with what its message has left, "
                              "at most 500 ms (propagate); after lab.fixed_deadline (fixed); never "
                              "by time (none; not with relay.mode: stream)."));
  rows.push_back(DurationOption("lab.fixed_deadline", &C::lab_fixed_deadline,
                                {milliseconds(1), minutes(10)},
                                "The deadline of lab.deadline: fixed."));
  rows.push_back(ChoiceOption("lab.local", &C::lab_local, {"batched", "per_recipient"},
                              "How a message gets to the sessions of the node that it was sent "
                              "to: all at once (batched), or by one task of the thread pool for "
                              "each of them (per_recipient)."));
  rows.push_back(ChoiceOption("lab.repair", &C::lab_repair, {"on", "off"},
                              "off: messages go out as they come, so that one may overtake "
                              "another, and what got lost on the way stays lost until the client "
                              "joins again."));
}

void AddLabServer(Rows& rows) {
  rows.push_back(CountOption("lab.executor.core", &C::lab_executor_core, {1, 2'000},
                             "Threads of the pool that are kept. It is the pool of lab.dispatch: "
                             "pool and lab.local: per_recipient, with name=\"fanout\" in the "
                             "metrics. It grows to core threads, then queues, then grows to max."));
  rows.push_back(CountOption("lab.executor.max", &C::lab_executor_max, {1, 2'000},
                             "Threads of the pool at most."));
  rows.push_back(CountOption("lab.executor.queue", &C::lab_executor_queue, {1, 1'000'000},
                             "Tasks that may wait for a thread of the pool."));
  rows.push_back(ChoiceOption("lab.executor.overflow", &C::lab_executor_overflow,
                              {"caller_runs", "reject"},
                              "What happens to a task when all threads are busy and the queue is "
                              "full: the thread that brings the tasks runs it itself "
                              "(caller_runs), or it is dropped (reject)."));
  rows.push_back(CountOption("lab.server_workers", &C::lab_server_workers, {0, 1'000},
                             "Threads that handle the calls of other nodes, each held by its call "
                             "until it is answered (not with relay.mode: stream). 0: no thread "
                             "waits."));
  rows.push_back(DurationOption("lab.fault.relay_delay", &C::lab_fault_relay_delay,
                                {seconds(0), seconds(4)},
                                "A call of another node waits so long before it is handled and "
                                "answered, as if the network were slow."));
}

void AddLab(Rows& rows) {
  rows.push_back(BoolOption("lab.enabled", &C::lab_enabled,
                            "Allows the keys under lab., which are for experiments and tests."));
  AddLabSwitches(rows);
  AddLabServer(rows);
  rows.push_back(ChoiceOption("lab.fault.die", &C::lab_fault_die,
                              {"never", "after_log", "after_commit"},
                              "The node kills itself when the first message gets to this step: "
                              "logged but without a place, or placed but not relayed."));
  rows.push_back(BoolOption("lab.coalesce", &C::lab_coalesce,
                            "What one turn of the event loop has for a client goes out in one "
                            "write. false: each frame by itself."));
}

}  // namespace

bool AppConfig::HasRole(const std::string& role) const {
  return std::find(node_roles.begin(), node_roles.end(), role) != node_roles.end();
}

OptionTable::OptionTable() {
  AddNode(options_);
  AddListeners(options_);
  AddCluster(options_);
  AddAuth(options_);
  AddChat(options_);
  AddBackends(options_);
  AddLimits(options_);
  AddLab(options_);
}

const Option* OptionTable::Find(std::string_view key) const {
  const auto found = std::find_if(options_.begin(), options_.end(),
                                  [key](const Option& option) { return option.key == key; });
  return found == options_.end() ? nullptr : &*found;
}

bool OptionTable::IsSection(std::string_view key) const {
  const std::string prefix = std::string(key) + ".";
  return std::any_of(options_.begin(), options_.end(),
                     [&](const Option& option) { return option.key.starts_with(prefix); });
}

Status OptionTable::UnknownKey(std::string_view key) const {
  std::vector<std::string> keys;
  for (const Option& option : options_) keys.push_back(option.key);
  const std::string nearest = Nearest(key, keys);
  return InvalidArgument("unknown key \"" + std::string(key) + "\"" +
                         (nearest.empty() ? "; docs/configuration.md lists all keys"
                                          : " (did you mean " + nearest + "?)"));
}

}  // namespace minichat::app
