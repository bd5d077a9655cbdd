#!/usr/bin/env bash
# Runs the suite with both engines at the same time, against the server that the environment names (see with.sh), or else
# the embedded one. The ruler is left out: it has a server of its own, and measures both engines by itself.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

suite() { WARP_TEST_ENGINE=$1 go test ./pkg/bench -skip TestRuler -count=1 2>&1 | sed "s/^/$1: /"; }

suite lean &
lean=$!
suite std &
std=$!
code=0
wait "$lean" || code=1
wait "$std" || code=1
exit $code
