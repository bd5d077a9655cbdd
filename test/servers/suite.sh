#!/usr/bin/env bash
# suite.sh [ENGINE...]: runs the suite with engines, both by default, at the same time, against the server that the environment
# names (see with.sh), or else the embedded one. Tests that have a server of their own skip themselves.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../pkg/bench"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go test -c -o "$work/bench.test" . # once for all engines

# Two emulators have the table of what they can do, unless WARP_TEST_ALL is set: Azurite computes for 7 minutes in all tests, and
# gcp-storage-emulator performs one request at a time, so that rows that run at a time would wait longer than a run waits.
only=()
if [ -z "${WARP_TEST_ALL:-}" ]; then
	case ${WARP_TEST_SERVER:-} in
	azurite) only=("-test.run=^TestServer$") ;;
	gcp-storage-emulator) only=("-test.run=^TestServer$" "-test.parallel=1") ;;
	esac
fi

suite() { WARP_TEST_ENGINE=$1 "$work/bench.test" -test.timeout=30m "${only[@]}" 2>&1 | sed "s/^/$1: /"; }

[ $# -gt 0 ] || set -- lean std
running=()
for engine; do
	suite "$engine" &
	running+=($!)
done
code=0
for pid in "${running[@]}"; do
	wait "$pid" || code=1
done
exit $code
