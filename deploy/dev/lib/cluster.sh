# shellcheck shell=bash
# The dev cluster: up, down, status, logs, smoke. Sourced by ./dev.

CLUSTER_JSON=$VAR/cluster.json
BINARY=$ROOT/build/release/bin/minichat
# Variables that someone set for a node of their own are not meant for this cluster's.
CLEAN_ENV=(env)
while read -r name; do CLEAN_ENV+=(-u "$name"); done < <(compgen -e | grep '^MINICHAT_' || true)
SMOKE=$ROOT/build/release/bin/minichat-smoke

verb_up() {
  local nodes=3 mode=${MINICHAT_RELAY_MODE:-bulk} mode_asked=
  while (($# > 0)); do
    case $1 in
      --nodes=*) nodes=${1#*=} ;;
      --mode=*) mode=${1#*=} mode_asked=yes ;;
      --nodes | --mode)
        (($# > 1)) || die "up: $1 needs a value"
        if [[ $1 == --nodes ]]; then nodes=$2; else mode=$2 mode_asked=yes; fi
        shift
        ;;
      *) die "up: unknown argument \"$1\"" ;;
    esac
    shift
  done
  [[ $nodes =~ ^[1-9]$ ]] || die "--nodes: \"$nodes\" is not allowed; allowed: 1 to 9"
  [[ $mode == bulk || $mode == single || $mode == stream ]] ||
    die "--mode: \"$mode\" is not allowed; allowed: bulk, single, stream"

  if cluster_runs "$nodes"; then
    [[ -z $mode_asked ]] || refuse_other_mode "$mode"
    say "The cluster is already up; nothing was changed."
    verb_status
    return 0
  fi
  if services_run && [[ -f $CLUSTER_JSON && -x $BINARY ]]; then
    start_dead_nodes
    start_dead_prometheus
    verb_status
    return 0
  fi
  if [[ -n $(started_names) ]]; then
    say "Only a part of an earlier cluster is still there; stopping it first."
    verb_down
  fi
  local smoke=0
  at_exit undo_up
  bring_up "$nodes" "$mode"
  verb_status
  say
  run_smoke || smoke=$?
  UP_DONE=yes
  return "$smoke"
}

refuse_other_mode() {
  grep -q "\"relay_mode\": \"$1\"" "$CLUSTER_JSON" ||
    die "the cluster was started in another mode; switch it as README.md says, or run ./dev down first"
}

# cluster_runs NODES: everything that `up` started lives. Another number of nodes is refused.
cluster_runs() {
  [[ -f $CLUSTER_JSON ]] || return 1
  local name running=0
  for name in $(started_names); do
    alive "$name" || return 1
    [[ $name != n[0-9]* ]] || running=$((running + 1))
  done
  services_run && alive prometheus || return 1
  ((running == $1)) || die "a cluster of $running nodes is up; run ./dev down first"
}

services_run() { alive redis && alive postgres && alive kafka; }

# Nodes that ended while the rest went on come back as they were.
start_dead_nodes() {
  local name i
  for name in $(started_names); do
    [[ $name == n[0-9]* ]] || continue
    ! alive "$name" || continue
    i=${name#n}
    say "$name is down; starting it again"
    start_process "$name" "${CLEAN_ENV[@]}" "$BINARY" serve --config "$VAR/$name.yaml"
    await_node "$i"
    sed -i "s/\"name\":\"$name\",\"pid\":[0-9]*/\"name\":\"$name\",\"pid\":$(pid_of "$name")/" "$CLUSTER_JSON"
  done
}

# Nobody chats through it: the cluster goes on without it, so it comes back alone.
start_dead_prometheus() {
  ! alive prometheus || return 0
  say "prometheus is down; starting it again"
  write_node_targets "$(started_names | grep -c '^n[0-9]')"
  start_prometheus
  sed -i "s|\"prometheus\": [^,]*|\"prometheus\": \"http://127.0.0.1:$PROMETHEUS_PORT\"|" "$CLUSTER_JSON"
}

bring_up() {
  local nodes=$1 mode=$2 begin=$SECONDS i
  ensure_packages "$ROOT/deploy/dev/packages.txt"
  ensure_kafka_jars
  build_preset release
  say "Starting Redis, Postgres and Kafka"
  start_redis
  start_kafka
  start_postgres
  await_kafka
  prepare_cluster_values
  step "Creating tables and the topic" migrate run_migrate
  say "Starting $nodes nodes"
  for ((i = 1; i <= nodes; i++)); do start_node "$i" "$mode"; done
  for ((i = 1; i <= nodes; i++)); do await_node "$i"; done
  say "Starting Prometheus"
  write_node_targets "$nodes"
  start_prometheus
  write_cluster_json "$nodes" "$mode"
  say "Up after $((SECONDS - begin)) s."
}

# Ctrl-C or a failure during `up` leaves nothing running.
UP_DONE=
undo_up() {
  [[ -z $UP_DONE ]] || return 0
  stop_step
  say "up did not finish; stopping what it started"
  stop_everything
}

prepare_cluster_values() {
  LOG_URL=kafka://127.0.0.1:$KAFKA_PORT
  DIRECTORY_URL=redis://127.0.0.1:$REDIS_PORT
  STORE_URL=postgresql://minichat@127.0.0.1:$POSTGRES_PORT/minichat
  if [[ ! -s $RUN/cluster.secret ]]; then
    (umask 077 && head -c 32 /dev/urandom | base64 -w 0 >"$RUN/cluster.secret")
  fi
}

run_migrate() {
  "${CLEAN_ENV[@]}" "$BINARY" migrate --log "$LOG_URL" --directory "$DIRECTORY_URL" --store "$STORE_URL"
}

# start_node NUMBER MODE
start_node() {
  local i=$1 mode=$2 config=$VAR/n$1.yaml
  choose_port "n$i.client" $((8080 + i)) && local client=$PORT
  choose_port "n$i.admin" $((9100 + i)) && local admin=$PORT
  choose_port "n$i.relay" $((7100 + i)) && local relay=$PORT
  cat >"$config" <<YAML
# Written by ./dev up, anew each time. docs/configuration.md explains all keys. After a change of
# relay.mode or logging.level: kill -HUP \$(cut -d' ' -f1 var/run/n$i.pid)
node:
  name: n$i
client.listen: 127.0.0.1:$client
admin.listen: 127.0.0.1:$admin
relay:
  listen: 127.0.0.1:$relay
  mode: $mode
cluster.secret_file: $RUN/cluster.secret
auth.insecure: true
rooms.open: ["*"]
log: $LOG_URL
directory: $DIRECTORY_URL
store: $STORE_URL
YAML
  start_process "n$i" "${CLEAN_ENV[@]}" "$BINARY" serve --config "$config"
}

node_port() { cat "$RUN/n$1.$2.port"; }

# write_node_targets NUMBER: what Prometheus scrapes.
write_node_targets() {
  local i targets=()
  for ((i = 1; i <= $1; i++)); do targets+=("n$i=127.0.0.1:$(node_port "$i" admin)"); done
  write_prometheus_targets "${targets[@]}"
}

ready_or_dead() {
  gone "n$1" && return 0
  http GET "$(node_port "$1" admin)" /readyz | head -n 1 | grep -q ' 200 '
}
await_node() {
  wait_for 60 ready_or_dead "$1" || die "n$1 is not ready: $(http GET "$(node_port "$1" admin)" /readyz | http_body); see var/log/n$1.log"
  alive "n$1" || die "n$1 ended at once: $(tail -n 1 "$LOG/n$1.log")"
}

# The file that every tool reads.
write_cluster_json() {
  local nodes=$1 mode=$2 i list=
  for ((i = 1; i <= nodes; i++)); do
    [[ -z $list ]] || list+=,
    list+=$(printf '\n    {"name":"n%d","pid":%d,"client":"127.0.0.1:%d","admin":"127.0.0.1:%d","relay":"127.0.0.1:%d"}' \
      "$i" "$(pid_of "n$i")" "$(node_port "$i" client)" "$(node_port "$i" admin)" "$(node_port "$i" relay)")
  done
  cat >"$CLUSTER_JSON.new" <<JSON
{
  "nodes": [$list
  ],
  "redis": "$DIRECTORY_URL",
  "kafka": "127.0.0.1:$KAFKA_PORT",
  "postgres": "$STORE_URL",
  "prometheus": "http://127.0.0.1:$PROMETHEUS_PORT",
  "relay_mode": "$mode",
  "auth": "insecure",
  "admin_key": null
}
JSON
  mv "$CLUSTER_JSON.new" "$CLUSTER_JSON"
}

stop_everything() {
  local nodes=() name
  for name in $(started_names); do
    [[ $name != n[0-9]* ]] || nodes+=("$name")
  done
  rm -f "$CLUSTER_JSON"
  ((${#nodes[@]} == 0)) || stop_processes TERM 12 "${nodes[@]}"
  [[ ! -f $RUN/prometheus.pid ]] || stop_processes TERM 15 prometheus
  [[ ! -f $RUN/kafka.pid ]] || stop_processes TERM 20 kafka
  [[ ! -f $RUN/postgres.pid ]] || stop_processes INT 20 postgres
  [[ ! -f $RUN/redis.pid ]] || stop_processes TERM 10 redis
}

verb_down() {
  local names
  stop_killed_lab
  names=$(started_names | xargs)
  if [[ -z $names ]]; then
    say "Nothing is running."
    return 0
  fi
  say "Stopping $names"
  stop_everything
  say "Stopped. Data and logs are kept under var/."
}

verb_status() {
  local name names pid
  names=$(started_names)
  if [[ -z $names ]]; then
    say "Nothing is running. ./dev up starts a cluster."
    return 0
  fi
  printf '  %-10s %-8s %s\n' NAME PID WHERE
  for name in $names; do
    pid=$(pid_of "$name") || pid=gone
    printf '  %-10s %-8s %s\n' "$name" "$pid" "$(where_is "$name")"
  done
}

where_is() {
  case $1 in
    n[0-9]*)
      local i=${1#n} state
      state=$(http GET "$(node_port "$i" admin)" /readyz | head -n 1 | grep -q ' 200 ' && echo ready || echo "not ready")
      printf 'http://127.0.0.1:%s (admin %s, relay %s) %s' "$(node_port "$i" client)" \
        "$(node_port "$i" admin)" "$(node_port "$i" relay)" "$state"
      ;;
    prometheus) printf 'http://127.0.0.1:%s' "$(last_port prometheus '?')" ;;
    *) printf '127.0.0.1:%s' "$(last_port "$1" '?')" ;;
  esac
}

verb_logs() {
  local files=("$LOG"/n[0-9].log "$LOG"/redis.log "$LOG"/postgres.log "$LOG"/kafka.log
    "$LOG"/prometheus.log)
  if (($# > 0)); then
    files=("$LOG/$1.log")
    [[ -f ${files[0]} ]] || die "no log of \"$1\"; there are: $(cd "$LOG" && echo -- *.log | sed 's/^-- //; s/\.log//g')"
  fi
  tail -n 20 -F "${files[@]}" 2>/dev/null
}

verb_smoke() { run_smoke "$@"; }
# shellcheck disable=SC2120  # `up` gives no arguments
run_smoke() {
  [[ -f $CLUSTER_JSON ]] || die "no cluster is up; run ./dev up first"
  [[ -x $SMOKE ]] || build_preset release
  "$SMOKE" --cluster "$CLUSTER_JSON" "$@"
}
