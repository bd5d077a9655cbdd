#!/usr/bin/env bash
# run.sh: has Prometheus, as a library, scrape a run of warp. Its modules come through the Go module proxy.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
go build -C "$here/../.." -o "$work/warp" .
cd "$here"
WARP=$work/warp go test -count=1 ./...
