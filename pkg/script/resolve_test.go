package script_test

import "testing"

func TestMistakesInTargets(t *testing.T) {
	with := func(more string) string { return more + "\n" + phases(run("")) }
	check(t, []mistake{
		{with("target: {access-key: x}"), `1:10 target.access-key: credentials do not belong in a file (want WARP_ACCESS_KEY and WARP_SECRET_KEY, or --access-key)`},
		{with("target: {checksun: CRC32C}"), `1:10 target.checksun: unknown option "checksun" (did you mean checksum?)`},
		{with("target: {duration: 1s}"), `1:10 target.duration: unknown option "duration" (want hosts, bucket, region, host or checksum)`},
		{with("outputs: {recording: /x, json: \"${NONE}\"}"), `1:22 outputs.recording: /x is outside
1:32 outputs.json: variable NONE is not set (want --set NONE=VALUE, --allow=env:NONE for that of the environment, or a default as in ${NONE:-1MiB})`},
		{with("seed: x"), `1:7 seed: invalid value "x" for seed`},
		{with("force: 5"), `1:8 force: invalid value "5" for force`},
	})
}

func TestTargets(t *testing.T) {
	text := "target: {hosts: [a:1, b:2], bucket: x, region: y, checksum: [CRC32C]}\nseed: 7\nstop-on-full: true\nforce: true\nshared-data: true\n" +
		"outputs: {recording: r.csv.zst, json: j, series: s.csv, html: h, metrics: \":9464\"}\n" + phases(run(""))
	r := resolved(t, text)
	compare(t, text, r.Target.(*command).text(), `bucket=x checksum=CRC32C duration=1s force=true host=a(1),b(2) obj.size=1KiB objects=100 region=y seed=7 shared-data=true stop-on-full=true`)
	compare(t, text, r.Recording+" "+r.JSON+" "+r.Series+" "+r.HTML+" "+r.Metrics, `out/r.csv.zst out/j out/s.csv out/h :9464`)
}

func TestRuns(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{phases("{run: a, do: [{get: pool, weight: 3}, {name: second, stat: pool}, head-bucket], until: 1s}"), `"a" get(pool)*3 second=stat(pool) head-bucket() threads=20 1s
set pool 1024`},
		{phases("{run: a, do: [{get: pool, name: one}], until: 1s}"), `"a" one=get(pool) threads=20 1s
set pool 1024`},
		{phases("{run: a, do: [{put: pool, then: [{get: same, count: 3}, {stat: pool}]}, {list: pool}], until: 1s}"), `"a" put(pool) list(pool) get(pool) after 1 same=true count=3 stat(pool) after 1 same=false count=0 threads=20 1s
set pool 1024`},
		{phases("{run: a, do: [{get: pool, retry: 3}], until: 1s}"), `"a" get() threads=20 1s retry={On:[] Max:3 Backoff:100ms}`},
		{phases("{run: a, do: [{get: pool, retry: {max: 5, on: [412, 503], backoff: 1s}}, {stat: pool}], until: 1s}"), `"a" get(pool) retry={On:[412 503] Max:5 Backoff:1s} stat(pool) threads=20 1s
set pool 1024`},
		{phases(run(`, expect: ["get.p99 < 50ms, errors < 1%", {if: errors < 5%, over: 30s, abort: true}]`)), `"a" get() threads=20 1s
rule "a" GET.p99 < 50ms broken=GET.p99 >= 50ms over=0s abort=false
rule "a" errors < 1% broken=errors >= 1% over=0s abort=false
rule "a" errors < 5% over 30s broken=errors >= 5% over=30s abort=true`},
		{phases(run(", on-clients: [1, b:7761]")), `"a" get() threads=20 1s
clients of "a": [1 b(7761)]`},
		{phases(run(", division: share")), `"a" get() threads=20 1s
share true ""`},
		{phases(run(", division: share"), "{run: b, do: [{get: pool}], until: 1s, division: each}"), `"a" get(pool) threads=20 1s
"b" get(pool) threads=20 1s
set pool 1024
share false "b"`},
		{phases("{run: a, do: [{get: pool}, {put: fresh}], until: 1s, ok: [404]}"), `"a" get(pool) put(fresh) threads=20 1s
set fresh 1024
set pool 1024`},
		{"warp: 1\ndata: {p: {objects: 5, keep: true}, q: {objects: 5}}\nphases: [{run: a, do: [{get: p}, {get: q}], until: 1s}]", `"a" get(p) get(q) threads=20 1s
set p 10485760
set q 10485760
kept false [p]`},
		{"warp: 1\ndata: {p: {objects: 5, keep: true}}\nphases: [{run: a, do: [{get: p}], until: 1s}]", `"a" get() threads=20 1s
kept true []`},
		{"warp: 1\ndata: {p: {objects: 5, keep: true}}\nphases: [{run: a, do: [{get: p}], until: 1s}, {clean: p}]", `"a" get() threads=20 1s`},
	} {
		compare(t, c.text, outline(resolved(t, c.text)), c.want)
	}
}

// TestMistakesInPlans: what only the whole plan shows is said at its place in the file.
func TestMistakesInPlans(t *testing.T) {
	check(t, []mistake{
		{phases("{run: a, do: [{get: pool}, {put: pool, access: shuffle}], until: 1s}"), `4:50 phases[0].do[1].access: every upload has a new key; add --objects=N to overwrite objects`},
		{phases("{run: a, do: [{get: pool, access: 'range(1..4,1..1 of 2)'}, {delete: pool, batch: 1}], until: 1s}"), `4:37 phases[0].do[0].access: range(1..4,1..1 of 2): objects join or leave the data set (want a range without groups)`},
		{phases("{run: a, do: [{get: pool, access: shuffle}, {delete: pool, batch: 1}], until: 1s}"), `4:37 phases[0].do[0].access: shuffle: objects join or leave the data set at the same time (want uniform, seq, zipf, hot or latest)`},
		{phases("{run: a, do: [{get: pool, name: x}, {get: pool, name: x}], until: 1s}"), `4:17 phases[0].do[0]: the name "x" is that of another task, which records the same kind of operation`},
		{phases("{run: a, do: [{get: pool}], until: 1s, load: {rate: 50% of b}}"), `4:55 phases[0].load.rate: 50% of b: no such phase before this one measures a rate`},
		{phases("{run: a, do: [{stat: pool, then: [{get: same}, {put: same}]}, {put: fresh, then: [{get: same}]}, {list: pool, then: [{get: same}]}], until: 1s}"), `4:120 phases[0].do[2].then[0]: same: list leaves no object that it could use`},
		{"warp: 1\ndata: {p: {objects: 5, size: 1KiB, keys: \"x\"}}\nphases: [{run: a, do: [{get: p}, {stat: p}], until: 1s}]", `2:42 data.p.keys: "x" names one object (want {i} or another number for several)`},
		{"warp: 1\ndata: {p: {size: 1KiB, keys: \"x\"}}\nphases: [{run: a, do: [{put: p}], until: 1s}]", `2:30 data.p.keys: "x" names one object (want {i} or another number for several)`},
		{"warp: 1\ndata: {p: {objects: 5000000, size: 1KiB, keys: \"{sha256}\"}}\nphases: [{run: a, do: [{get: p}], until: 1s}]", `2:21 data.p.objects: 5000000 with names "{sha256}" (want at most 4194304)`},
	})
}
