# shellcheck shell=bash
# Debian packages. Sourced by ./dev.

POLICY=/usr/sbin/policy-rc.d

# missing_packages LIST…: those named in the list files that are not installed.
missing_packages() {
  local wanted
  wanted=$(sed -e 's/#.*//' "$@" | xargs)
  local package
  for package in $wanted; do
    [[ $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) == "install ok installed" ]] ||
      printf '%s ' "$package"
  done
}

as_root() {
  if ((EUID == 0)); then
    "$@"
  else
    command -v sudo >/dev/null || die "installing packages needs root, or sudo"
    sudo "$@"
  fi
}

# Packages of Redis, Postgres and Prometheus start the system's own servers; this forbids it meanwhile.
forbid_service_starts() {
  [[ -e $POLICY ]] && return 0
  at_exit allow_service_starts
  printf '#!/bin/sh\n# Put here by minichat ./dev while it installs packages.\nexit 101\n' |
    as_root tee "$POLICY" >/dev/null
  as_root chmod 755 "$POLICY"
}
allow_service_starts() {
  if grep -qs 'minichat ./dev' "$POLICY"; then as_root rm -f "$POLICY"; fi
}

apt_install() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq &&
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}

# ensure_packages LIST…: installs what is missing, and says so.
ensure_packages() {
  local missing
  missing=$(missing_packages "$@")
  [[ -n $missing ]] || return 0
  command -v apt-get >/dev/null ||
    die "these Debian packages are missing, and there is no apt-get: $missing"
  say "Installing Debian packages: $missing"
  if ((EUID != 0)); then as_root true; fi # asks for the password before the output is hidden
  forbid_service_starts
  # shellcheck disable=SC2086  # a list of words
  step "Installing packages" apt apt_install $missing
  allow_service_starts
}

ensure_kafka_jars() {
  KAFKA_LIB=$ROOT/var/kafka-lib
  [[ -z ${MINICHAT_KAFKA_LIB:-} ]] || KAFKA_LIB=$MINICHAT_KAFKA_LIB
  [[ -f $KAFKA_LIB/.complete ]] || say "Fetching Kafka's jars through Maven (about 45 MB)"
  step "Fetching Kafka" kafka-jars sh "$ROOT/deploy/kafka/fetch.sh"
}

# What the tests of label web need. Any Node.js from 18 on will do, if it has its npm.
ensure_web() {
  ensure_packages "$ROOT/deploy/dev/packages-web.txt"
  command -v npm >/dev/null || ensure_packages "$ROOT/deploy/dev/packages-node.txt"
  ensure_npm "$ROOT/tests/web" 70
  ensure_npm "$ROOT/deploy/grafana" 45
}
# ensure_npm FOLDER MEGABYTES: the packages of its lock file.
ensure_npm() {
  [[ $1/node_modules/.package-lock.json -nt $1/package-lock.json ]] && return 0
  say "Fetching npm packages for ${1#"$ROOT/"} (about $2 MB)"
  step "Fetching npm packages" npm-ci npm_ci "$1"
}
npm_ci() { cd "$1" && npm ci --cache "$VAR/npm-cache"; }
