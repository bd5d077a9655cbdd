package script_test

import (
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
    until: {time: 5m, ops: "${OPS:-1000}"}
    expect: ["get.p99 < 50ms", {if: "errors < 0.1%", over: 30s, abort: true}]
  - - {run: a, do: [{get: pool}], load: 8, until: 1m}
    - {run: b, do: {put: logs, then: [{stat: same}]}, load: 8, until: 1m}
  - wait: 60s
  - repeat: 3
    phases:
      - run: x
        do: [{get: pool, ranges: [0-9, "10-19"], ok: [404]}]
        # of a field
        until: # behind a key
          time: 1m # behind a value
outputs: {recording: out.csv.zst}
# the end
`

func TestFormat(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{sample, `# What it answers.
# yaml-language-server: $schema=x
warp: 1  # version
target: {hosts: ["s3-{1...4}:9000"], bucket: bench, region: us-east-1, checksum: CRC32C}
# the sets
data:
  pool: {objects: 2500, size: 10MiB}  # small
  logs:
    objects: 10k  # as many as fit
    size: lognormal(median=1MiB,sigma=0.8,max=64MiB)
    content: 30%
  h: {objects: 1, size: "hist(4KiB:60,64KiB:40)", content: {compressible: 30%, duplicate: 10%}}
phases:
  - prepare: pool
  - - {prepare: pool, load: 64}
    - prepare: logs
  # the main part
  - run: mixed
    do:
      - {get: pool, weight: 45, access: zipf(0.99)}
      - {stat: pool, weight: 30}
      - head-bucket
      - {delete: pool, weight: 10, batch: 10}
    load: {rate: [100, 200@1m, 400..800/5m], arrivals: poisson}
    until: {time: 5m, ops: "${OPS:-1000}"}
    expect: [get.p99 < 50ms, {if: errors < 0.1%, over: 30s, abort: true}]
  - - run: a
      do: [{get: pool}]
      load: 8
      until: 1m
    - run: b
      do: [{put: logs, then: [{stat: same}]}]
      load: 8
      until: 1m
  - wait: 60s
  - repeat: 3
    phases:
      - run: x
        do: [{get: pool, ok: [404], ranges: [0-9, 10-19]}]
        # of a field
        until: 1m  # behind a key; behind a value
outputs: {recording: out.csv.zst}
# the end
`},
		{"warp: 1\nphases: [{exec: {command: [\"true\", \"a b\", \"\", \"- x\", \"5\", \"x: y\", \"${A}\", 'q\"q', \"#\"]}}, {run: a, do: [get]}]", `warp: 1
phases:
  - {exec: {command: [true, a b, "", "- x", 5, "x: y", "${A}", "q\"q", "#"]}}
  - run: a
    do: [get]
`},
		{"{\"warp\": 1, \"data\": {\"a b\": {}, \"true\": {objects: 1}}, \"phases\": [{\"run\": \"a\", \"do\": \"get\", \"load\": {\"threads\": [1]}}]}", `warp: 1
data:
  a b: {}
  true: {objects: 1}
phases:
  - run: a
    do: [get]
    load: 1
`},
	} {
		f, err := script.Parse("x", []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		text := f.Format()
		compare(t, c.text, text, c.want)
		again, err := script.Parse("y", []byte(text))
		if err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
		compare(t, text, again.Format(), text)
	}
}

// TestNotes: comments that a program adds.
func TestNotes(t *testing.T) {
	f := &script.File{Warp: script.Text(script.Version)}
	f.Head = "At the top.\nTwo lines."
	ph := script.Phase{Run: script.Text("a"), Do: []script.Do{{Op: "get", Params: []script.Param{script.NewParam("range", "0-9", "10-19")}}}}
	ph.Until.Time = script.Textf("%dm", 5).With("behind it")
	f.Phases = []script.Phase{ph}
	compare(t, "notes", f.Format(), `# At the top.
# Two lines.
warp: 1
phases:
  - run: a
    do: [{get:, range: [0-9, 10-19]}]
    until: 5m  # behind it
`)
}
