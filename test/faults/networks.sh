#!/usr/bin/env bash
# Runs clients and coordinator in network namespaces whose networks delay, lose and break; about a minute. It needs root and
# iproute2, which is installed where that is possible. Where namespaces are not allowed, the tests say so and are skipped.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

if ! command -v ip >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	{ apt-get -qq update && apt-get -qq install -y --no-install-recommends iproute2; } >/dev/null ||
		echo "networks.sh: iproute2 could not be installed" >&2
fi
WARP_NETWORKS=1 GORACE=atexit_sleep_ms=0 CGO_ENABLED=1 exec go test -race -count=1 -v -timeout 30m -run TestNetworks ./test/faults
