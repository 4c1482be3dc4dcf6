# shellcheck shell=bash
# The lab: experiments with services of their own under var/lab, beside any cluster of `./dev up`.
# Sourced by ./dev.

LAB_DIR=$ROOT/loadtest/lab
# Tests use the build that they make anyway.
LAB_PRESET=${MINICHAT_LAB_PRESET:-release}

lab_usage() {
  cat <<TEXT
Usage: ./dev lab NAME [--quick]

$(lab_list)

  --quick            a few seconds per condition: for trying things, and for the tests
  --part A,B         relay-modes: only base, delay, disturbances, modern or cpu
  --slo p95=50ms     capacity: what has to hold
  --profile classic  live: the thread-pool server instead of minichat as it is
  --resume FOLDER    relay-modes: go on with a run that a break ended; what it has is kept

Each run leaves a page, loadtest/reports/NAME/TIME/report.html, with the data beside it. Exit 0:
every check held; 1: one did not, or the run is void. Keep the machine quiet meanwhile.
TEXT
}
# Needs Node.js; before it is installed the names have to do.
lab_list() {
  if command -v node >/dev/null; then
    node "$LAB_DIR/main.js" list
  else
    printf '  %s\n' relay-modes slow-downstream transports overload hot-spots capacity live
  fi
}

verb_lab() {
  local name=${1:-help}
  case $name in
    list | help | -h | --help)
      lab_usage
      return 0
      ;;
  esac
  ensure_packages "$ROOT/deploy/dev/packages.txt"
  ensure_lab
  ensure_kafka_jars
  node "$LAB_DIR/main.js" check "$@" || exit
  build_lab "$name"
  use_lab_folders
  take_lab_lock
  warn_of_cluster
  at_exit stop_lab
  stop_lab # what a lab left that was killed
  start_lab_services "$name" 8>&-
  run_lab "$@"
}

# Node.js and the npm packages of loadtest/lab.
ensure_lab() {
  command -v npm >/dev/null || ensure_packages "$ROOT/deploy/dev/packages-node.txt"
  ensure_npm "$LAB_DIR" 100
}

build_lab() {
  local targets=(minichat minichat-load minichat-inspect)
  lab_needs_cluster "$1" || targets+=("minichat-lab-$1")
  build_preset "$LAB_PRESET" "${targets[@]}"
}
lab_needs_cluster() { node "$LAB_DIR/main.js" needs-cluster "$1"; }

# All functions of ./dev work on these folders from here on.
# shellcheck disable=SC2034  # cluster.sh uses them
use_lab_folders() {
  VAR=$ROOT/var/lab
  RUN=$VAR/run
  LOG=$VAR/log
  CLUSTER_JSON=$VAR/cluster.json
  BINARY=$ROOT/build/$LAB_PRESET/bin/minichat
  mkdir -p "$RUN" "$LOG"
}

# Not forbidden: for trying things the figures don't matter.
warn_of_cluster() {
  [[ -z $(cd "$ROOT/var/run" 2>/dev/null && RUN=$PWD started_names) ]] ||
    warn "The cluster of ./dev up runs beside the lab and takes CPU from it (./dev down stops it)"
}

# Two labs at once would measure each other.
take_lab_lock() {
  exec 8>"$VAR/lock"
  flock -n 8 || die "another ./dev lab runs in this checkout"
}

start_lab_services() {
  if ! lab_needs_cluster "$1"; then
    printf '{"root": "%s", "preset": "%s", "bin": "%s", "kafka_lib": "%s"}\n' "$ROOT" "$LAB_PRESET" \
      "$ROOT/build/$LAB_PRESET/bin" "$KAFKA_LIB" >"$VAR/services.json"
    return 0
  fi
  say "Starting Redis, Postgres, Kafka and Prometheus for the lab"
  start_redis
  start_kafka
  start_postgres
  await_kafka
  prepare_cluster_values
  step "Creating tables and the topic" migrate run_migrate
  write_prometheus_targets
  start_prometheus
  write_lab_services
}

# What the programs of the lab need to know.
write_lab_services() {
  cat >"$VAR/services.json" <<JSON
{
  "root": "$ROOT",
  "preset": "$LAB_PRESET",
  "bin": "$ROOT/build/$LAB_PRESET/bin",
  "kafka_lib": "$KAFKA_LIB",
  "ledger": "$RUN",
  "secret_file": "$RUN/cluster.secret",
  "psql": "$(postgres_bin)/psql",
  "redis": "$DIRECTORY_URL",
  "kafka": "127.0.0.1:$KAFKA_PORT",
  "postgres": "$STORE_URL",
  "prometheus": "http://127.0.0.1:$PROMETHEUS_PORT",
  "prometheus_targets": "$VAR/prometheus/nodes.json",
  "pids": {
    "redis": $(pid_of redis), "postgres": $(pid_of postgres), "kafka": $(pid_of kafka),
    "prometheus": $(pid_of prometheus)
  },
  "versions": {
    "redis": "$(redis-server --version | grep -o 'v=[0-9.]*' | cut -c3-)",
    "postgres": "$("$(postgres_bin)/postgres" --version | grep -o '[0-9.]*' | head -n 1)",
    "kafka": "$(basename "$KAFKA_LIB"/kafka_2.13-*.jar .jar | sed 's/.*-//')",
    "prometheus": "$(prometheus --version 2>&1 | grep -o 'version [0-9.]*' | head -n 1 | cut -c9-)"
  }
}
JSON
}

# A signal ends the experiment first, then the services: the shell waits for it.
run_lab() {
  local code=0
  node "$LAB_DIR/main.js" "$@" --services "$VAR/services.json" \
    --reports "$ROOT/loadtest/reports" 8>&- || code=$?
  return "$code"
}

# Nodes too, should an experiment have been killed.
stop_lab() {
  [[ -z $(started_names) ]] || stop_everything
}

# For `./dev down`: what a lab left that was killed. One that runs is left alone.
stop_killed_lab() {
  [[ -d $ROOT/var/lab ]] || return 0
  (
    use_lab_folders
    exec 8>"$VAR/lock"
    flock -n 8 || exit 0
    [[ -n $(started_names) ]] || exit 0
    say "Stopping what a lab left: $(started_names | xargs)"
    stop_everything
  )
}
