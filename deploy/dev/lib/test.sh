# shellcheck shell=bash
# Tests. Sourced by ./dev.

LABELS="unit sim integration cluster web lab"

PASSED=0
FAILED=0
FAILED_NAMES=()
FAILURES= # what the failed cases said

verb_test() {
  local labels=$LABELS
  if (($# > 0)); then
    [[ " $LABELS long " == *" $1 "* ]] || die "unknown test label \"$1\"; there are: $LABELS long"
    labels=$1
  fi
  ensure_packages "$ROOT/deploy/dev/packages.txt"
  ensure_kafka_jars
  [[ " $labels " != *" web "* ]] || ensure_web
  [[ " $labels " != *" lab "* ]] || ensure_lab
  build_preset dev
  local label
  for label in $labels; do run_label dev "$label"; done
  summarize_tests
}

# run_label PRESET LABEL: runs the programs of one label and adds up their test cases.
run_label() {
  local preset=$1 label=$2 results=$ROOT/build/$1/results/$2 jobs=1 begin=$SECONDS
  rm -rf "$results"
  mkdir -p "$results"
  if has_no_tests "$preset" "$label"; then
    say "There are no $label tests"
    return 0
  fi
  [[ $label != unit ]] || jobs=$(nproc)
  say "Running $label tests"
  MINICHAT_REQUIRE_SERVICES=1 MINICHAT_KAFKA_LIB=${KAFKA_LIB:-} GTEST_OUTPUT="json:$results/" \
    step "Tests: $label" "test-$preset-$label" ctest --test-dir "$ROOT/build/$preset" -L "^$label\$" \
    --no-tests=ignore --output-on-failure --output-junit "$results/ctest.xml" -j "$jobs" || true
  local before=$((PASSED + FAILED)) failed=$FAILED
  count_results "$results"
  say "  $label: $((PASSED + FAILED - before)) tests, $((FAILED - failed)) failed, $((SECONDS - begin)) s"
}

has_no_tests() { ctest --test-dir "$ROOT/build/$1" -N -L "^$2\$" | grep -q '^Total Tests: 0$'; }

# count_results FOLDER: test cases from GoogleTest's files; a program without one (a script, or one
# that died) counts as one.
count_results() {
  local results=$1 name status tests failures
  [[ -f $results/ctest.xml ]] || {
    FAILED=$((FAILED + 1))
    FAILED_NAMES+=("$(basename "$results"): ctest did not finish")
    return 0
  }
  while read -r name status; do
    tests=1 failures=0
    if [[ -f $results/$name.json ]]; then
      tests=$(first_number tests "$results/$name.json")
      failures=$(first_number failures "$results/$name.json")
    fi
    if [[ $status == fail && $failures == 0 ]]; then failures=1; fi
    ((tests >= failures)) || tests=$failures
    FAILED=$((FAILED + failures))
    PASSED=$((PASSED + tests - failures))
    ((failures > 0)) || continue
    FAILED_NAMES+=("$name$(failed_cases "$results/$name.json")")
    FAILURES+=$(failure_texts "$results/$name.json")
  done < <(sed -n 's/.*<testcase name="\([^"]*\)".* status="\([a-z]*\)".*/\1 \2/p' "$results/ctest.xml")
}
# " (Suite.Case …)" of a GoogleTest file's failed cases; nothing when there is none.
failed_cases() {
  [[ -f $1 ]] || return 0
  awk -F'"' '$2 == "name" { name = $4 } $2 == "classname" { suite = $4 }
    /"failures": \[/ { cases = cases " " suite "." name }
    END { if (cases != "") printf " (%s)", substr(cases, 2) }' "$1"
}
# What a GoogleTest file's failed cases said, the beginning of each; nothing when there is none.
failure_texts() {
  [[ -f $1 ]] || return 0
  awk -F'"' '$2 == "name" { name = $4 } $2 == "classname" { suite = $4 }
    $2 == "failure" {
      text = substr($0, index($0, ": \"") + 3, 600)
      gsub(/\\n/, "\n    ", text)
      printf "\n  %s.%s: %s", suite, name, text
    }' "$1"
}
first_number() { sed -n "s/^ *\"$1\": \([0-9]*\).*/\1/p" "$2" | head -n 1; }

# The last line is for machines: "N passed, N failed".
summarize_tests() {
  ((FAILED == 0)) || say "Failed: ${FAILED_NAMES[*]}$FAILURES"
  ((PASSED + FAILED > 0)) || die "no test was run"
  say "$PASSED passed, $FAILED failed"
  ((FAILED == 0))
}

verb_bench() {
  ensure_packages "$ROOT/deploy/dev/packages.txt"
  ensure_kafka_jars
  build_preset bench benchmarks
  local program
  for program in "$ROOT"/build/bench/bin/*_bench; do
    say "$(basename "$program")"
    "$program"
  done
  say "minichat-bench (some minutes; keep the machine quiet)"
  MINICHAT_KAFKA_LIB=$KAFKA_LIB "$ROOT/build/bench/bin/minichat-bench" "$@"
}
