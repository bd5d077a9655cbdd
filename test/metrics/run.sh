#!/usr/bin/env bash
# run.sh [--picture]: has Prometheus, as a library, scrape a run of warp, and sends metrics to it and to a VictoriaMetrics. Both come through
# the Go module proxy. With --picture it draws the dashboard anew instead, into deploy/metrics/dashboard.svg.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tools=${WARP_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/warp-tools}/metrics
victoria=v1.151.0

if [ ! -x "$tools/$victoria/victoria-metrics" ]; then
	GOBIN=$tools/$victoria.part go install -trimpath github.com/VictoriaMetrics/VictoriaMetrics/app/victoria-metrics@$victoria
	mv -T "$tools/$victoria.part" "$tools/$victoria"
fi
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
go build -C "$here/../.." -o "$work/warp" .
cd "$here"
if [ "${1:-}" = --picture ]; then
	WARP=$work/warp PICTURE=$here/../../deploy/metrics/dashboard.svg go test -count=1 -run='^TestPicture$' ./...
	exit
fi
WARP=$work/warp VICTORIA=$tools/$victoria/victoria-metrics go test -count=1 ./...
