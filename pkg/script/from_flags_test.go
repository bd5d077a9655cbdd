package script_test

import (
	"testing"

	"warp/pkg/script"
)

// TestFromFlags: flags become a scenario, and the scenario sets the same flags.
func TestFromFlags(t *testing.T) {
	for _, c := range []struct {
		operation  string
		flags      []script.Param
		load       script.Load
		want, sets string
	}{
		{"get", nil, script.Load{}, `warp: 1
data:
  objects: {size: 10MiB}
phases:
  - run: get
    do: [{get: objects}]
    load: 20
    until: 5m0s
`, `concurrent=20 duration=5m0s obj.size=10MiB`},
		{"get", []script.Param{
			script.NewParam("host", "a:1", "b:2"), script.NewParam("bucket", "x"), script.NewParam("region", "y"), script.NewParam("checksum", "CRC32C"),
			script.NewParam("access-key", "secret"), script.NewParam("objects", "50"), script.NewParam("obj.size", "1MiB"), script.NewParam("obj.content", "zero"),
			script.NewParam("access", "seq"), script.NewParam("concurrent", "8"), script.NewParam("duration", "10s"), script.NewParam("ok", "404,503"),
			script.NewParam("seed", "7"), script.NewParam("noclear", "true"),
		}, script.Load{}, `warp: 1
seed: 7
target: {hosts: ["a:1", "b:2"], bucket: x, region: "y", checksum: CRC32C}
data:
  objects: {objects: 50, size: 1MiB, content: zero, keep: true}
phases:
  - run: get
    do: [{get: objects, access: seq}]
    load: 8
    until: 10s
    ok: [404, 503]
`, `access=seq bucket=x checksum=CRC32C concurrent=8 duration=10s host=a:1,b:2 keep-data=true obj.content=zero obj.size=1MiB objects=50 ok=404,503 region=y seed=7`},
		{"put", []script.Param{script.NewParam("autoterm", "true"), script.NewParam("autoterm.slope", "3"), script.NewParam("autoterm.dur", "20s")}, script.Load{}, `warp: 1
data:
  objects: {size: 10MiB}
phases:
  - run: put
    do: [{put: objects}]
    load: 20
    until: {steady: "7.5%,3%/20s"}
`, `autoterm=true autoterm.dur=20s autoterm.pct=7.5 autoterm.slope=3 concurrent=20 obj.size=10MiB`},
		{"get", []script.Param{script.NewParam("autoterm", "true"), script.NewParam("autoterm.pct", "5")}, script.SweepLoad([]string{"--threads=1,2"}, 3, true), `warp: 1
data:
  objects: {size: 10MiB}
phases:
  - run: get
    do: [{get: objects}]
    load: {sweep: threads, over: [1, 2], repeats: 3, shuffle: true}
    until: {steady: 5%}
`, `autoterm=true autoterm.pct=5 concurrent=1 obj.size=10MiB warmup=3s`},
		{"get", nil, script.SweepLoad([]string{"threads=1,2", "obj.size=1KiB,2KiB"}, 1, false), `warp: 1
data:
  objects: {size: 10MiB}
phases:
  - run: get
    do: [{get: objects}]
    load: {sweep: ["threads=1,2", "obj.size=1KiB,2KiB"]}
    until: 5m0s
`, `concurrent=1 duration=5m0s obj.size=1KiB warmup=3s`},
	} {
		f := script.FromFlags(c.operation, newCommand(c.operation), c.flags, c.load)
		text := f.Format()
		compare(t, c.operation, text, c.want)
		compare(t, text, resolved(t, text).Target.(*command).text(), c.sets)
	}
}
