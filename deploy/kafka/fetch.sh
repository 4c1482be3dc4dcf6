#!/bin/sh
# Copies the Kafka broker's jars (pom.xml beside this file) into one folder and prints its path.
# The folder: MINICHAT_KAFKA_LIB, or var/kafka-lib of this checkout. Does nothing when it is
# complete; safe to run from several programs at once.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
lib=${MINICHAT_KAFKA_LIB:-$here/../../var/kafka-lib}
mkdir -p "$lib"
lib=$(cd "$lib" && pwd)

# The stamp holds the pom's checksum and is written last: a broken download or another version
# is fetched again.
wanted=$(cksum < "$here/pom.xml")
stamp=$lib/.complete
is_complete() { [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; }

if ! is_complete; then
  exec 9> "$lib/.lock"
  flock 9
  if ! is_complete; then
    command -v mvn > /dev/null || { echo "fetch.sh: mvn is missing (Debian: maven)" >&2; exit 1; }
    rm -f "$stamp" "$lib"/*.jar
    mvn --batch-mode --quiet --file "$here/pom.xml" dependency:copy-dependencies \
      -DoutputDirectory="$lib" -DincludeScope=runtime >&2
    printf '%s\n' "$wanted" > "$stamp"
  fi
fi
echo "$lib"
