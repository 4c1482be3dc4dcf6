# shellcheck shell=bash
# The slow nets: format, clang's analyses, sanitizers, fuzzing. Sourced by ./dev.

FUZZ_SECONDS=${FUZZ_SECONDS:-60}
# About 0.7 s each; all that sim_test runs would take half an hour.
SANITIZED_SEEDS=${SANITIZED_SEEDS:-300}

sources() { git -C "$ROOT" ls-files -- '*.h' '*.cc' | sed "s|^|$ROOT/|"; }

verb_format() {
  ensure_packages "$ROOT/deploy/dev/packages-check.txt"
  sources | xargs -r clang-format-14 -i
}

check_format() { sources | xargs -r clang-format-14 --dry-run -Werror; }
check_shell() {
  shellcheck -x "$ROOT/dev" "$ROOT"/deploy/dev/lib/*.sh "$ROOT"/tests/checks/*.sh \
    "$ROOT/deploy/kafka/fetch.sh" "$ROOT/.ci/run"
}

# Sources that differ from main (committed or not); all of them on main itself.
changed_sources() {
  local base
  base=$(git -C "$ROOT" merge-base HEAD main 2>/dev/null) || base=
  if [[ -z $base || $base == "$(git -C "$ROOT" rev-parse HEAD)" ]]; then
    git -C "$ROOT" ls-files -- '*.cc'
  else
    git -C "$ROOT" diff --name-only --diff-filter=d "$base" -- '*.cc'
  fi
}
# One file at a time, so that both cores are busy to the end. clang-tidy counts the warnings it hides
# in the system's headers; those lines are left out.
run_tidy() {
  changed_sources | xargs -r -n 1 -P "$(nproc)" clang-tidy-14 --quiet -p "$ROOT/build/asan" 2>&1 |
    grep -v '^[0-9]* warnings generated\.$' || [[ ${PIPESTATUS[1]} == 0 ]]
}
# What it reads besides the sources.
prepare_tidy() {
  build_preset asan minichat_proto_event minichat_proto_relay minichat_proto_chain minichat_proto_stock
}
verb_tidy() {
  ensure_packages "$ROOT/deploy/dev/packages.txt" "$ROOT/deploy/dev/packages-check.txt"
  prepare_tidy
  step "clang-tidy" tidy run_tidy
  say "clang-tidy: nothing found"
}

# The longest of the nets takes the time that the others leave: it runs beside them, at the lowest
# priority.
TIDY_PID=
begin_tidy() {
  prepare_tidy
  rm -f "$LOG/tidy.code"
  set -m # a process group of its own, so that all of it can be ended
  tidy_beside >"$LOG/tidy.log" 2>&1 </dev/null &
  TIDY_PID=$!
  set +m
  at_exit stop_tidy
}
tidy_beside() {
  local code=0
  renice -n 19 "$BASHPID" >/dev/null
  run_tidy || code=$?
  echo "$code" >"$LOG/tidy.code"
}
stop_tidy() { kill -TERM -- "-$TIDY_PID" 2>/dev/null || true; }
# Shows what it found, and fails when that is something.
await_tidy() {
  until [[ -s $LOG/tidy.code ]] || ! kill -0 "$TIDY_PID"; do sleep 1; done
  cat "$LOG/tidy.log"
  return "$(cat "$LOG/tidy.code" || echo 1)"
}

# One net: counted like a test.
net() {
  local title=$1 begin=$SECONDS
  shift
  if step "$title" "$@"; then
    PASSED=$((PASSED + 1))
    say "  $title: passed, $((SECONDS - begin)) s"
  else
    FAILED=$((FAILED + 1))
    FAILED_NAMES+=("$title")
    return 1
  fi
}

# Short runs of each fuzz target on its corpus.
fuzz_smoke() {
  local target name corpus
  for target in "$ROOT"/build/asan/tests/*_fuzz; do
    [[ -x $target ]] || return 1
    name=$(basename "$target")
    corpus=$(mktemp -d)
    "$target" -max_total_time="$FUZZ_SECONDS" -timeout=5 -rss_limit_mb=2048 \
      -artifact_prefix="$ROOT/build/asan/" "$corpus" \
      "$ROOT/tests/fuzz/corpus/${name%_fuzz}" || return 1
    rm -rf "$corpus"
  done
}

verb_check() {
  ensure_packages "$ROOT/deploy/dev/packages.txt" "$ROOT/deploy/dev/packages-check.txt"
  ensure_kafka_jars
  ensure_web
  ensure_lab
  begin_tidy
  build_preset dev
  local label
  for label in $LABELS; do run_label dev "$label"; done
  net "Format" format check_format || true
  net "Shell scripts" shellcheck check_shell || true
  check_with_clang
  check_with_tsan
  net "clang-tidy" tidy await_tidy || true
  summarize_tests
}
# One build by clang serves its thread-safety analysis, AddressSanitizer, UndefinedBehaviorSanitizer,
# the fuzz targets and clang-tidy. Not optimised (-O0): that halves the build, and clang 14 moves
# writes of a coroutine's frame past its suspension when it optimises (LLVM issue 56301).
check_with_clang() {
  net "Build with clang, thread-safety analysis" build-asan \
    build_targets asan tests_unit minichat_sim minichat || return 0
  run_label asan unit
  net "Simulation with AddressSanitizer, $SANITIZED_SEEDS seeds" asan-sim \
    "$ROOT/build/asan/bin/minichat_sim" --faults mixed --seeds "1-$SANITIZED_SEEDS" --threads 2 || true
  net "Fuzzing" fuzz fuzz_smoke || true
}
check_with_tsan() {
  net "Build with ThreadSanitizer" build-tsan build_targets tsan tests_unit || return 0
  run_label tsan unit
}
build_targets() {
  local preset=$1
  shift
  configure_preset "$preset" && cmake --build "$ROOT/build/$preset" --target "$@"
}
