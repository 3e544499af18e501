#!/usr/bin/env bash
# Runs the fuzz targets, each for SECONDS: run.sh [SECONDS [TARGET…]]
#
# With 0 seconds only the known inputs are run. It needs the stable toolchain and a C++ compiler.
#
#   FUZZ_CACHE  where cargo-fuzz is installed, once, and where inputs are kept that reach new code; else
#               target/fuzz
#
# An input that violates a property is kept in the cache, too, and its path printed.

set -euo pipefail

version=0.13.2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${FUZZ_CACHE:-${CARGO_TARGET_DIR:-$here/../target}/fuzz}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
host=$(rustc -vV | sed -n 's/^host: //p')
duration=${1:-60}
targets=("${@:2}")
[ ${#targets[@]} -gt 0 ] || targets=(message http_front argument_check)

install() {
  [ "$("$cache/tool/bin/cargo-fuzz" --version 2> /dev/null)" = "cargo-fuzz $version" ] && return
  # Unoptimized: it runs for seconds.
  cargo install --quiet --debug cargo-fuzz --locked --version "$version" --root "$cache/tool" --target-dir "$cache/tool-build"
  rm -rf "$cache/tool-build"
}

# Everything is safe Rust, so a sanitizer would find nothing that is worth a nightly toolchain. Tracing
# compares halved the speed; what they find in text, the dictionaries know.
build() {
  cargo fetch --quiet --locked --manifest-path "$here/Cargo.toml"
  PATH=$cache/tool/bin:$PATH RUSTC_WRAPPER=$here/rustc.sh FUZZ_REPOSITORY=$(dirname "$here") \
    cargo fuzz build --fuzz-dir "$here" --target-dir "$cache/build" --target "$host" \
    --sanitizer none --no-trace-compares --codegen-units 16
}

fuzz() {
  local target=$1 log=$cache/$1.log found=$cache/corpus/$1 broken=$cache/broken/$1 status=0 bound
  mkdir -p "$found" "$broken"
  if [ "$duration" -eq 0 ]; then bound=-runs=0; else bound=-max_total_time=$duration; fi
  # What is kept of one input is little, and what it takes for a moment is bounded by rules of its own.
  "$cache/build/$host/release/$target" "$bound" -timeout=60 -rss_limit_mb=512 -max_len=8192 \
    "-dict=$here/seeds/$target.dict" "-artifact_prefix=$broken/" "$found" "$here/seeds/$target" > "$log" 2>&1 || status=$?
  grep -E '^#[0-9]+.* cov:' "$log" | tail -n 1 || true
  if [ "$status" -ne 0 ]; then
    grep -A 3 -E 'panicked at|ERROR: libFuzzer' "$log" || tail -n 20 "$log"
    sed -n 's/.*Test unit written to /the input is /p' "$log"
    echo "all that was said is in $log" >&2
    return 1
  fi
}

install
build
failed=()
for target in "${targets[@]}"; do
  echo "== $target, $duration seconds"
  fuzz "$target" || failed+=("$target")
done
[ ${#failed[@]} -eq 0 ] || { echo "broken: ${failed[*]}" >&2 && exit 1; }
