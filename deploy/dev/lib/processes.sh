# shellcheck shell=bash
# Detached processes, known by pid and start time so that a pid used again is never mistaken.
# var/run/NAME.pid holds "PID START". Sourced by ./dev.

# Field 22 of /proc/PID/stat; the command name before it may hold blanks and brackets.
start_time_of() {
  local stat
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
  # shellcheck disable=SC2086  # split into fields
  set -- ${stat##*) }
  printf '%s' "${20}"
}

# start_process NAME COMMAND…: detached, output appended to var/log/NAME.log.
# A signal waits until the ledger knows the process.
start_process() {
  local name=$1 signalled=
  shift
  trap 'signalled=130' INT
  trap 'signalled=143' TERM
  setsid "$@" >>"$LOG/$name.log" 2>&1 </dev/null &
  local pid=$!
  disown "$pid" 2>/dev/null || true
  printf '%s %s\n' "$pid" "$(start_time_of "$pid")" >"$RUN/$name.pid"
  trap_signals
  [[ -z $signalled ]] || on_signal "$signalled"
}

# pid_of NAME: its pid while it lives.
pid_of() {
  local pid start
  [[ -f $RUN/$1.pid ]] || return 1
  read -r pid start <"$RUN/$1.pid" || return 1
  [[ -n $start && $(start_time_of "$pid") == "$start" ]] || return 1
  # A zombie has ended; nobody has collected it yet.
  [[ $(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null | cut -d' ' -f1) != Z ]] || return 1
  printf '%s' "$pid"
}
alive() { [[ -n $(pid_of "$1") ]]; }
gone() { ! alive "$1"; }

# All names in the ledger, nodes first: the order in which they are stopped.
started_names() {
  local file name
  for file in "$RUN"/n[0-9]*.pid "$RUN"/prometheus.pid "$RUN"/kafka.pid "$RUN"/postgres.pid \
    "$RUN"/redis.pid; do
    [[ -f $file ]] || continue
    name=${file##*/}
    printf '%s\n' "${name%.pid}"
  done
}

# stop_processes SIGNAL SECONDS NAME…: signals all, then waits; what stays is killed, and told.
stop_processes() {
  local signal=$1 limit=$2 name pid
  shift 2
  for name in "$@"; do
    if pid=$(pid_of "$name"); then
      kill -s "$signal" "$pid" || warn "$name (pid $pid) can't be signalled"
    else
      say "  $name was not running any more"
    fi
  done
  for name in "$@"; do
    if ! wait_for "$limit" gone "$name"; then
      warn "  $name did not stop within $limit s; killed"
      kill -KILL "$(pid_of "$name")" || true
      wait_for 5 gone "$name" || die "$name can't be stopped"
    fi
    rm -f "$RUN/$name.pid"
  done
}

# owns_port NAME PORT: that process itself listens there. Another checkout's may have been quicker.
owns_port() {
  local pid inode suffix
  pid=$(pid_of "$1") || return 1
  suffix=$(printf ':%04X' "$2")
  while read -r inode; do
    [[ -z $(find "/proc/$pid/fd" -lname "socket:\[$inode\]" 2>/dev/null) ]] || return 0
  done < <(awk -v suffix="$suffix" \
    '$4 == "0A" && substr($2, length($2) - 4) == suffix { print $10 }' /proc/net/tcp /proc/net/tcp6)
  return 1
}
