#!/usr/bin/env bash
# As RUSTC_WRAPPER: instruments this repository's crates alone, without the demonstration's mathematics. What
# they make of generic code of others is instrumented with them; the rest would only lead the fuzzer astray,
# and take a third more of the time to build and to run.

case $CARGO_MANIFEST_DIR in
  "$FUZZ_REPOSITORY"/demo) ;;
  "$FUZZ_REPOSITORY"/*) exec "$@" ;;
esac
arguments=()
for argument in "$@"; do
  case $argument in
    -Cpasses=sancov-module | -Cllvm-args=-sanitizer-coverage-*) ;;
    *) arguments+=("$argument") ;;
  esac
done
exec "${arguments[@]}"
