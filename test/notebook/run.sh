#!/usr/bin/env bash
# run.sh: runs the recipes of docs/reference/parquet.md on recordings of runs against the embedded server, and compares what they find with the report.
# install.sh comes first.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT

cd "$top"
go build -o "$work/warp" .
cd "$work"
quiet() { ./warp "$@" --quiet >output 2>&1 || { cat output && exit 1; }; }
quiet mixed --objects=40 --obj.size='log2(1KiB,64KiB)' --concurrent=4 --ops=3000 --benchdata=closed
quiet get --objects=20 --obj.size=4KiB --concurrent=4 --rate=2000 --ops=3000 --benchdata=open
quiet multipart-put --parts=3 --part.size=5MiB --concurrent=2 --ops=6 --benchdata=parts
for name in closed open parts; do
	./warp analyze --quiet --json --parquet="$name.parquet" "$name.csv.zst" >"$name.json"
done
"$tools/bin/python" "$here/check.py" "$top/docs/reference/parquet.md" closed open parts
