package script_test

import (
	"strings"
	"testing"

	"warp/pkg/script"
)

const sample = `# What it answers.
# yaml-language-server: $schema=x
warp: 1   # version
target: {hosts: ["s3-{1...4}:9000"], bucket: bench, region: us-east-1, checksum: CRC32C}
# the sets
data:
  pool: {objects: 2500, size: 10MiB} # small
  logs:
    objects: 10k   # as many as fit
    size: {lognormal: {median: 1MiB, sigma: 0.8, max: 64MiB}}
    content: 30%
  h: {objects: 1, size: {hist: {4KiB: 60, 64KiB: 40}}, content: {compressible: 30%, duplicate: 10%}}
phases:
  - prepare: pool
  - [{prepare: pool, load: {threads: 64}}, {prepare: logs}]
  # the main part
  - run: mixed
    do: [{get: pool, weight: 45, access: zipf(0.99)}, {stat: pool, weight: 30}, head-bucket, {delete: pool, weight: 10, batch: 10}]
    load: {rate: [100, 200@1m, 400..800/5m], arrivals: poisson}
    until: {time: 5m, ops: ${OPS:-1000}}
    expect: ["get.p99 < 50ms", {if: "errors < 0.1%", over: 30s, abort: true}]
  - - {run: a, do: [{get: pool}], load: 8, until: 1m}
    - {run: b, do: {put: logs, then: [{stat: same}]}, load: 8, until: 1m}
  - wait: 60s
  - repeat: 3
    phases:
      - run: x
        do: [{get: pool}]
outputs: {recording: out.csv.zst}
# the end
`

func TestFormat(t *testing.T) {
	f, err := script.Parse("x", []byte(strings.ReplaceAll(sample, "ops: ${OPS:-1000}", `ops: "${OPS:-1000}"`)))
	if err != nil {
		t.Fatal(err)
	}
	text := f.Format()
	t.Log("\n" + text)
	g, err := script.Parse("y", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if again := g.Format(); again != text {
		t.Errorf("formatted again:\n%s", again)
	}
}

func TestParseErrors(t *testing.T) {
	_, err := script.Parse("bad.warp.yaml", []byte("warp: 1\ndata:\n  pool: {objcts: 5, size: [1]}\nphases:\n  - {run: x, do: [{gett: pool, weigth: 3}], wait: 3s, lod: 3}\n  - {get: x}\n"))
	t.Log("\n", err)
}
