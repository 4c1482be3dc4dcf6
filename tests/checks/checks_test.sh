#!/usr/bin/env bash
# The checks can fail: each is given a tree with one fault and must name it.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

# expect CHECK TEXT: the check fails on the tree, and says TEXT.
expect() {
  local output
  if output=$("$here/$1" "$tree" 2>&1); then
    echo "$1 passed a tree with a fault ($2)"
    exit 1
  fi
  [[ $output == *"$2"* ]] || {
    echo "$1 did not say \"$2\" but: $output"
    exit 1
  }
}
# fault FILE LINE: the tree holds this file alone.
fault() {
  rm -rf "${tree:?}"/*
  mkdir -p "$tree"/{server,relay,ws,storage,web,loadtest,tests} "$tree/$(dirname "$1")"
  printf '%s\n' "$2" >"$tree/$1"
}

fault ws/a.cc '#include "relay/peer_link.h"'
expect arrows.sh 'ws must not include "relay/peer_link.h"'
fault server/core/a.h '#include <boost/asio/io_context.hpp>'
expect arrows.sh 'core includes the network library'
fault server/core/a.cc '#include "server/base/asio_scheduler.h"'
expect arrows.sh 'server/core must not include'
fault storage/redis/a.cc '#include "storage/kafka/kafka_log.h"'
expect arrows.sh 'storage/redis must not include'
fault server/base/a.h '#include "server/core/ids.h"'
expect arrows.sh 'server/base must not include'
fault relay/a.cc '#include "tests/support/temp_dir.h"'
expect arrows.sh 'relay must not include'
fault server/core/a.cc '#include "server/core/core_test_support.h"'
expect arrows.sh 'product code includes the test code'
fault ws/a_test.cc 'std::this_thread::sleep_for(kPause);'
expect no_sleeps.sh 'a test sleeps'
fault tests/web/a_test.js 'await new Promise((done) => setTimeout(done, 1000));'
expect no_sleeps.sh 'a test sleeps'
fault tests/web/support/a.py 'time.sleep(1)'
expect no_sleeps.sh 'a test sleeps'
echo "the checks find what they are there for"
