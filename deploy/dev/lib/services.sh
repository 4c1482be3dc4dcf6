# shellcheck shell=bash
# Private Redis, Postgres and Kafka with data under var/. The system's own are never touched.
# Sourced by ./dev.

# The port that this service had last time, if any.
last_port() {
  local port
  port=$(cat "$RUN/$1.port" 2>/dev/null) || port=$2
  printf '%s' "$port"
}
# Its own port when that is free, else the last one, so that addresses stay the same.
choose_port() {
  local wanted=$2
  if port_taken "$wanted"; then wanted=$(last_port "$1" "$2"); fi
  pick_port "$wanted" # sets PORT
  # shellcheck disable=SC2153
  printf '%s\n' "$PORT" >"$RUN/$1.port"
}

# await_service NAME PORT SECONDS ANSWERS: until it answers and is ours.
await_service() {
  wait_for "$3" serves_or_gone "$1" "$2" "$4" || die "$1 doesn't answer; see var/log/$1.log"
  alive "$1" || die "$1 ended at once: $(tail -n 1 "$LOG/$1.log")"
}
serves_or_gone() { gone "$1" || { owns_port "$1" "$2" && "$3"; }; }

start_redis() {
  choose_port redis 7379
  REDIS_PORT=$PORT
  mkdir -p "$VAR/redis"
  start_process redis redis-server --port "$REDIS_PORT" --bind 127.0.0.1 --dir "$VAR/redis" \
    --maxmemory-policy noeviction --save "" --appendonly no --daemonize no
  await_service redis "$REDIS_PORT" 10 redis_answers
}
redis_answers() { [[ $(redis-cli -p "$REDIS_PORT" ping 2>/dev/null) == PONG ]]; }

# Newest installed Postgres; Debian keeps its programs out of the PATH.
postgres_bin() {
  local dir newest=
  for dir in /usr/lib/postgresql/*/bin; do
    [[ -x $dir/initdb ]] && newest=$dir
  done
  [[ -n $newest ]] || die "no Postgres server programs under /usr/lib/postgresql"
  printf '%s' "$newest"
}

# Postgres refuses to run as root.
as_postgres() {
  if ((EUID == 0)); then
    setpriv --reuid=postgres --regid=postgres --init-groups "$@"
  else
    "$@"
  fi
}

# Sets PG_DATA: var/postgres, or a folder elsewhere when the postgres user can't reach var/ (a
# checkout below /root).
choose_postgres_data() {
  PG_DATA=$VAR/postgres
  if ((EUID != 0)) || as_postgres test -x "$VAR"; then return 0; fi
  if [[ ! -L $PG_DATA ]]; then
    ln -s "$(mktemp -d /var/tmp/minichat-postgres.XXXXXX)" "$PG_DATA"
    say "  Postgres can't reach $VAR as user postgres; its data is in $(readlink "$PG_DATA")"
  fi
  PG_DATA=$(readlink "$PG_DATA")
}

init_postgres() {
  mkdir -p "$PG_DATA"
  chmod 700 "$PG_DATA"
  ((EUID != 0)) || chown postgres:postgres "$PG_DATA"
  (cd / && as_postgres "$(postgres_bin)/initdb" -D "$PG_DATA" -U minichat --auth=trust \
    --encoding=UTF8 --locale=C.UTF-8)
}

start_postgres() {
  choose_port postgres 7432
  POSTGRES_PORT=$PORT
  choose_postgres_data
  if ! as_postgres test -f "$PG_DATA/PG_VERSION"; then
    step "Creating the Postgres data folder" initdb init_postgres
  fi
  start_process postgres bash -c 'cd / && exec "$@"' postgres \
    "${POSTGRES_USER_PREFIX[@]}" "$(postgres_bin)/postgres" -D "$PG_DATA" \
    -c listen_addresses=127.0.0.1 -c "port=$POSTGRES_PORT" -c unix_socket_directories=
  await_service postgres "$POSTGRES_PORT" 30 postgres_answers
  create_database
}
POSTGRES_USER_PREFIX=()
if ((EUID == 0)); then
  POSTGRES_USER_PREFIX=(setpriv --reuid=postgres --regid=postgres --init-groups)
fi
postgres_answers() { "$(postgres_bin)/pg_isready" -q -h 127.0.0.1 -p "$POSTGRES_PORT" -U minichat -d postgres; }
create_database() {
  local psql=("$(postgres_bin)/psql" -h 127.0.0.1 -p "$POSTGRES_PORT" -U minichat -d postgres -qAt)
  [[ $("${psql[@]}" -c "select 1 from pg_database where datname = 'minichat'") == 1 ]] ||
    "${psql[@]}" -c 'create database minichat'
}

write_kafka_properties() {
  sed -e "s|@PORT@|$KAFKA_PORT|g" -e "s|@CONTROLLER_PORT@|$KAFKA_CONTROLLER_PORT|g" \
    -e "s|@DATA_DIR@|$VAR/kafka|g" "$ROOT/deploy/kafka/server.properties.in" >"$VAR/kafka.properties"
}

format_kafka() {
  local id
  id=$(head -c 16 /dev/urandom | base64 | tr '+/' '-_' | tr -d '=')
  java -cp "$KAFKA_LIB/*" "-Dlog4j2.configurationFile=$ROOT/deploy/kafka/log4j2.properties" \
    kafka.tools.StorageTool format -t "$id" -c "$VAR/kafka.properties"
}

start_kafka() {
  choose_port kafka 7092
  KAFKA_PORT=$PORT
  choose_port kafka-controller 7093
  KAFKA_CONTROLLER_PORT=$PORT
  write_kafka_properties
  if [[ ! -f $VAR/kafka/meta.properties ]]; then
    step "Creating the Kafka data folder" kafka-format format_kafka
  fi
  start_process kafka java -Xms128m -Xmx512m -XX:+UseSerialGC -cp "$KAFKA_LIB/*" \
    "-Dlog4j2.configurationFile=$ROOT/deploy/kafka/log4j2.properties" kafka.Kafka \
    "$VAR/kafka.properties"
}
# An open port is enough here: `minichat migrate` waits until the broker answers.
await_kafka() { await_service kafka "$KAFKA_PORT" 60 true; }
