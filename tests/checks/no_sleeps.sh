#!/usr/bin/env bash
# Tests wait on conditions with a deadline, never for a fixed time: fails on a sleep in a test.
set -euo pipefail

root=${1:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$root"

files=$({
  find . \( -name build -o -name var -o -name .git \) -prune -o -name '*_test.cc' -print
  find tests -name '*.h' -o -name '*.cc'
})
[[ -n $files ]] || { echo "no test sources were read"; exit 1; }
# shellcheck disable=SC2086  # a list of words
if grep -nE '\b(sleep_for|sleep_until|usleep|nanosleep|sleep)[[:space:]]*\(' $files; then
  echo "a test sleeps"
  exit 1
fi
echo "$(wc -w <<<"$files") test sources, no sleep"
