#!/usr/bin/env bash
# run.sh [DIRECTORY]: makes HTML reports of runs against the embedded server, opens them in Chromium, and follows the live page of a run. It
# keeps screenshots in the directory, or in one that it names, at three sizes in both themes. install.sh comes first.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

shots=${1:-$(mktemp -d -t warp-screenshots-XXXXXX)}
mkdir -p "$shots"
shots=$(realpath "$shots")
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT

node --test "$here/modules.test.mjs"

cd "$top"
go build -o "$work/warp" .
cd "$work"
quiet() { ./warp "$@" --quiet >output 2>&1 || { cat output && exit 1; }; }
quiet mixed --objects=40 --obj.size='log2(1KiB,64KiB)' --concurrent=4 --ops=3000 --analyze.dur=100ms --fail-if='GET.p99 > 1h' --fail-if='errors > 50%' --benchdata=mixed --html=mixed.html
quiet get --objects=20 --obj.size=4KiB --concurrent=4 --ops=1000 --analyze.dur=50ms --benchdata=get
quiet sweep get --objects=20 --obj.size=4KiB --over=threads=1,2,4 --ops=300 --benchdata=sweep --html=sweep.html
quiet cmp --analyze.dur=50ms --html=cmp.html get.csv.zst mixed.csv.zst
quiet mixed --objects=40 --obj.size='log2(1KiB,64KiB)' --concurrent=4 --ops=9000 --benchdata=longer
quiet cmp --html=several.html longer.csv.zst mixed.csv.zst get.csv.zst # of different duration, so that their columns are of different length
quiet replay --speed=2 --benchdata=replay --html=replay.html mixed.csv.zst
for i in $(seq 3000); do echo "$((i * 10)) REST.GET.OBJECT k$((i % 37 * (i % 5))) $((1000 + i % 37))"; done >access.log
echo '</script><script>alert(1)</script><img src=x onerror=alert(2)>' >>access.log
quiet trace ibm-cos --max-bad=1 --html=trace.html access.log
quiet get --objects=20 --obj.size=4KiB --concurrent=1/2s,2/2s,4..8/2s,2/2s --duration=9s --analyze.dur=200ms --benchdata=steps --html=steps.html
quiet run --benchdata=phases --html=phases.html "$here/phases.warp.yaml"
go run -C "$top" ./test/browser/hostile "$work/hostile.html"
export TOOLS=$tools SHOTS=$shots
node "$here/pages.mjs" mixed.html sweep.html cmp.html several.html replay.html trace.html steps.html phases.html hostile.html
node "$here/live.mjs" "$work/warp"
echo "screenshots: $shots"
