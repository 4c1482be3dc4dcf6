# shellcheck shell=bash
# The slow nets: format, clang's analyses, sanitizers, fuzzing. Sourced by ./dev.

FUZZ_SECONDS=${FUZZ_SECONDS:-45}

sources() { git -C "$ROOT" ls-files -- '*.h' '*.cc' | sed "s|^|$ROOT/|"; }

verb_format() {
  ensure_packages "$ROOT/deploy/dev/packages-check.txt"
  sources | xargs -r clang-format-14 -i
}

check_format() { sources | xargs -r clang-format-14 --dry-run -Werror; }
check_shell() {
  shellcheck -x "$ROOT/dev" "$ROOT"/deploy/dev/lib/*.sh "$ROOT"/tests/checks/*.sh "$ROOT/.ci/run"
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
run_tidy() {
  changed_sources | grep -v '_fuzz\.cc$' | xargs -r -n 4 -P "$(nproc)" clang-tidy-14 --quiet -p "$ROOT/build/clang"
}
verb_tidy() {
  ensure_packages "$ROOT/deploy/dev/packages.txt" "$ROOT/deploy/dev/packages-check.txt"
  build_preset clang
  step "clang-tidy" tidy run_tidy
  say "clang-tidy: nothing found"
}

# One net: counted like a test.
net() {
  local title=$1
  shift
  if step "$title" "$@"; then
    PASSED=$((PASSED + 1))
    say "  $title: passed"
  else
    FAILED=$((FAILED + 1))
    FAILED_NAMES+=("$title")
  fi
}

# Short runs of each fuzz target on its corpus.
fuzz_smoke() {
  local target name corpus
  for target in "$ROOT"/build/clang/tests/*_fuzz; do
    [[ -x $target ]] || continue
    name=$(basename "$target")
    corpus=$(mktemp -d)
    "$target" -max_total_time="$FUZZ_SECONDS" -timeout=5 -rss_limit_mb=2048 \
      -artifact_prefix="$ROOT/build/clang/" "$corpus" \
      "$ROOT/tests/fuzz/corpus/${name%_fuzz}" || return 1
    rm -rf "$corpus"
  done
}

verb_check() {
  ensure_packages "$ROOT/deploy/dev/packages.txt" "$ROOT/deploy/dev/packages-check.txt"
  ensure_kafka_jars
  build_preset dev
  local label
  for label in $LABELS; do run_label dev "$label"; done
  net "Format" format check_format
  net "Shell scripts" shellcheck check_shell
  net "clang build with thread-safety analysis" build-clang build_preset_quietly clang
  net "clang-tidy" tidy run_tidy
  net "Fuzzing" fuzz fuzz_smoke
  build_preset asan
  run_label asan unit
  run_label asan sim
  build_preset tsan
  run_label tsan unit
  summarize_tests
}
build_preset_quietly() {
  [[ -f $ROOT/build/$1/build.ninja ]] || configure_preset "$1"
  cmake --build "$ROOT/build/$1"
}
