#!/usr/bin/env bash
# Reads the includes of all sources and fails on one that points the wrong way:
#   main -> app -> {api, auth, ws, relay, storage/*} -> core -> {base, proto event}
#   (api and ws read JSON through wire, which sees core)
# Adapters never see each other; core sees no network library; nothing uses tests or loadtest.
# Tests, benchmarks and fuzz targets beside the code may use anything but main.
#
# Usage: arrows.sh [FOLDER]   (default: the checkout this file is in)
set -euo pipefail

root=${1:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$root"

folders=()
for folder in server relay ws storage web loadtest tests; do
  [[ ! -d $folder ]] || folders+=("$folder")
done
find "${folders[@]}" -name node_modules -prune -o \( -name '*.h' -o -name '*.cc' \) -print0 |
  xargs -0 grep -Hn '^ *# *include' |
  awk '
  # The part of the tree that a file belongs to.
  function module(path,   parts) {
    if (path == "server/main.cc") return "main"
    if (path ~ /^minichat\/v1\/event\./) return "event"
    if (path ~ /^minichat\//) return "proto"
    if (path ~ /^server\/base\/asio_/) return "asio"
    split(path, parts, "/")
    if (parts[1] == "server" || parts[1] == "storage") return parts[1] "/" parts[2]
    return parts[1]
  }
  function is_test(path) { return path ~ /_(test|fuzz|bench|test_kit|test_support)\.(h|cc)$/ }
  BEGIN {
    allowed["main"] = "server/app"
    allowed["server/app"] = "server/api server/auth ws relay storage/memory storage/redis storage/kafka " \
                            "storage/postgres web server/core server/base asio"
    allowed["server/auth"] = "server/core server/base"
    allowed["server/api"] = "server/wire server/core server/base"
    allowed["ws"] = "server/wire server/core server/base asio"
    allowed["server/wire"] = "server/core server/base"
    allowed["relay"] = "server/core server/base event proto"
    allowed["storage/memory"] = "server/core server/base"
    allowed["storage/redis"] = "server/core server/base asio event"
    allowed["storage/kafka"] = "server/core server/base event"
    allowed["storage/postgres"] = "server/core server/base event"
    allowed["web"] = "server/base"
    allowed["server/core"] = "server/base event"
    allowed["server/base"] = ""
    allowed["asio"] = "server/base"
    any["loadtest"] = any["tests"] = any["storage/contract"] = 1
    network = "^<(boost|grpc|grpcpp|hiredis|librdkafka|pqxx|yaml-cpp|sys/socket|netinet|arpa|netdb)"
  }
  {
    colon = index($0, ":"); file = substr($0, 1, colon - 1)
    rest = substr($0, colon + 1); line = rest; sub(/:.*/, "", line)
    if (!match(rest, /["<][^">]+[">]/)) next
    target = substr(rest, RSTART, RLENGTH)
    from = module(file); seen++
    if (target ~ /^</) {
      if (from == "server/core" && !is_test(file) && target ~ network) {
        print file ":" line ": core includes the network library " target; bad++
      }
      next
    }
    to = module(substr(target, 2, length(target) - 2))
    if (is_test(substr(target, 2, length(target) - 2)) && !is_test(file) && !(from in any)) {
      print file ":" line ": product code includes the test code " target; bad++; next
    }
    if (to == from || (from == "asio" && to == "server/base")) next
    if (to == "main") { print file ":" line ": nothing includes main"; bad++; next }
    if ((from in any) || is_test(file)) next
    if (!(from in allowed)) { print file ":" line ": unknown part of the tree"; bad++; next }
    if (index(" " allowed[from] " ", " " to " ") == 0) {
      print file ":" line ": " from " must not include " target; bad++
    }
  }
  END {
    if (seen == 0) { print "no includes were read"; exit 1 }
    if (bad > 0) { print bad " wrong include(s)"; exit 1 }
    print seen " includes, all arrows right"
  }'
