# shellcheck shell=bash
# Building. Sourced by ./dev.

PRESETS="dev release bench asan tsan"

# Compilers run with paths relative to the checkout, so that ccache serves all checkouts alike.
export CCACHE_BASEDIR=$ROOT CCACHE_NOHASHDIR=1
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}

configure_preset() { cmake --preset "$1" -S "$ROOT"; }

# build_preset PRESET [TARGET…]
build_preset() {
  local preset=$1
  shift
  local targets=()
  (($# == 0)) || targets=(--target "$@")
  [[ " $PRESETS " == *" $preset "* ]] || die "unknown preset \"$preset\"; there are: $PRESETS"
  if [[ ! -f $ROOT/build/$preset/build.ninja ]]; then
    say "Building preset $preset for the first time; this takes some minutes"
    step "Configuring $preset" "configure-$preset" configure_preset "$preset"
  fi
  step "Building $preset" "build-$preset" cmake --build "$ROOT/build/$preset" "${targets[@]}"
}

verb_build() {
  local preset=${1:-dev}
  ensure_packages "$ROOT/deploy/dev/packages.txt"
  [[ $preset != asan ]] || ensure_packages "$ROOT/deploy/dev/packages-check.txt"
  build_preset "$preset"
  say "Built build/$preset/bin/minichat"
}
