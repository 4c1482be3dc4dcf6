# shellcheck shell=bash
# Messages, steps with progress, free ports, small HTTP. Sourced by ./dev.

say() { printf '%s\n' "$*"; }
warn() { printf '%s\n' "$*" >&2; }
die() {
  printf './dev: %s\n' "$*" >&2
  exit 1
}

# What has to be put back when ./dev ends, however it ends: commands, run last first.
CLEANUPS=()
at_exit() { CLEANUPS+=("$1"); }
run_cleanups() {
  trap '' INT TERM # a second Ctrl-C doesn't cut them short
  local command
  while ((${#CLEANUPS[@]} > 0)); do
    command=${CLEANUPS[-1]}
    unset 'CLEANUPS[-1]'
    $command || true
  done
}
# Cleans up itself: an `exit` here, while a command that the same signal ended already makes the
# shell exit, would cut that exit's clean-up off.
on_signal() {
  run_cleanups
  exit "$1"
}
trap run_cleanups EXIT
trap_signals() {
  trap 'on_signal 130' INT
  trap 'on_signal 143' TERM
}
trap_signals

# step TITLE NAME COMMAND…: runs the command with its output in var/log/dev-NAME.log. Shows how far
# it is when it takes more than a few seconds, and the end of its output when it fails.
STEP_PID=
step() {
  local title=$1 log=$LOG/dev-$2.log begin=$SECONDS told=$SECONDS
  shift 2
  set -m # a process group of its own, so that all of it can be ended
  "$@" >"$log" 2>&1 </dev/null &
  STEP_PID=$!
  set +m
  while kill -0 "$STEP_PID" 2>/dev/null; do
    if ((SECONDS - told >= 5)); then
      told=$SECONDS
      say "  $title … $((SECONDS - begin)) s$(last_progress "$log")"
    fi
    sleep 0.1
  done
  local code=0
  wait "$STEP_PID" || code=$?
  STEP_PID=
  ((code == 0)) && return 0
  tail -n 40 "$log" >&2
  warn "$title failed (exit $code); all of its output: $log"
  return "$code"
}
# A step that is under way when ./dev is ended goes with it.
stop_step() {
  [[ -n $STEP_PID ]] || return 0
  kill -TERM -- "-$STEP_PID" 2>/dev/null || true
  wait "$STEP_PID" 2>/dev/null || true
  STEP_PID=
}
at_exit stop_step

# " [12/345]" of a build that is under way.
last_progress() {
  local mark
  mark=$(tail -c 4000 "$1" 2>/dev/null | grep -ao '^\[[0-9]*/[0-9]*\]' | tail -n 1) || true
  [[ -z $mark ]] || printf ' %s' "$mark"
}

# wait_for SECONDS COMMAND…: until the command succeeds; fails when the time is over.
wait_for() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < end)) || return 1
    sleep 0.1
  done
}

port_taken() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# pick_port WANTED: sets PORT to WANTED, or to a free one near 20000 when that is taken.
PICKED=" "
pick_port() {
  PORT=$1
  while [[ $PICKED == *" $PORT "* ]] || port_taken "$PORT"; do
    PORT=$((20000 + RANDOM % 10000))
  done
  PICKED+="$PORT "
}

# http METHOD PORT PATH [BODY]: the whole answer of a local server; fails when there is none.
http() {
  local method=$1 port=$2 path=$3 body=${4:-}
  (
    exec 3<>"/dev/tcp/127.0.0.1/$port"
    printf '%s %s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: %s\r\n\r\n%s' \
      "$method" "$path" "$port" "${#body}" "$body" >&3
    timeout 3 cat <&3
  ) 2>/dev/null
}
# The body of such an answer, from standard input.
http_body() { sed '1,/^\r$/d'; }
