#!/usr/bin/env bash
# Tests wait on conditions with a deadline, never for a fixed time: fails on a sleep in a test. The
# loops that ask again, tests/web/support/wait.*, and the timers that k6 scripts have,
# in tests/k6run/clock.js and fixtures/, are the exceptions.
set -euo pipefail

root=${1:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$root"

files=$({
  find . \( -name build -o -name var -o -name .git -o -name node_modules \) -prune -o \
    -name '*_test.cc' -print
  find tests -name node_modules -prune -o \( -name '*.h' -o -name '*.cc' -o -name '*.js' \
    -o -name '*.py' \) ! -path 'tests/web/support/wait.*' \
    ! -path 'tests/k6run/clock.js' ! -path 'tests/k6run/fixtures/*' -print
})
[[ -n $files ]] || { echo "no test sources were read"; exit 1; }
# shellcheck disable=SC2086  # a list of words
if grep -nE '\b(sleep_for|sleep_until|usleep|nanosleep|sleep|setTimeout|setInterval)[[:space:]]*\(' $files; then
  echo "a test sleeps"
  exit 1
fi
echo "$(wc -w <<<"$files") test sources, no sleep"
