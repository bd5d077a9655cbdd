#!/usr/bin/env bash
# Usage: hsbench-getopts.sh -u URL [-t THREADS] SIZE...
set -euo pipefail

usage() { echo "usage: $0 -u URL [-t THREADS] SIZE..." >&2; exit 1; }

threads=1
while getopts "u:t:h" opt; do
  case $opt in
    u) url=$OPTARG ;;
    t) threads=$OPTARG ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
[ $# -ge 1 ] || usage

: "${N:=100}"
command -v hsbench >/dev/null || { echo "hsbench is not installed" >&2; exit 1; }

run() {
  local size=$1 name
  name=$(echo "$size" | tr '[:upper:]' '[:lower:]')
  echo "== $size with $threads threads"
  hsbench -a "$AK" -s "$SK" -u "$url" -z "$size" -t "$threads" -n "$N" -d "${D:-5}" -m ipgd -j "result-$name.json" > "result-$name.log" 2>&1
}

for size in "$@"; do
  run "$size"
done
