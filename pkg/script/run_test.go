package script_test

import "testing"

// run is a phase that measures, with more keys.
func run(more string) string { return "{run: a, do: [{get: pool}], until: 1s" + more + "}" }

func TestMistakesInRuns(t *testing.T) {
	check(t, []mistake{
		{phases(run(""), run("")), `5:9 phases[1].run: duplicate name "a" (want a different one for each run)`},
		{phases(run(""), "{run: A, do: [{get: pool}], until: 1s}"), `5:9 phases[1].run: duplicate name "A" (want a different one for each run)`},
		{phases(`{run: "${EMPTY}", do: [{get: pool}], until: 1s}`), `4:9 phases[0].run: variable EMPTY is not set (want --set EMPTY=VALUE, --allow=env:EMPTY for that of the environment, or a default as in ${EMPTY:-1MiB})`},
		{phases(`{run: a, do: [{get: "${EMPTY}"}], until: 1s}`), `4:23 phases[0].do[0].get: variable EMPTY is not set (want --set EMPTY=VALUE, --allow=env:EMPTY for that of the environment, or a default as in ${EMPTY:-1MiB})`},
		{phases(`{run: a, do: [{get: pol}], until: 1s}`), `4:23 phases[0].do[0].get: unknown data set "pol" (did you mean pool?)`},
		{"warp: 1\nphases: [{run: a, do: [{get: pool}]}]", `2:30 phases[0].do[0].get: unknown data set "pool" (want one below data, as in data: {pool: {objects: 1000, size: 1MiB}})`},
		{phases("{run: a, do: [{get: pool, weight: 0}, {stat: pool, weight: x}], until: 1s}"), `4:37 phases[0].do[0].weight: invalid value "0" (want a number above 0)
4:62 phases[0].do[1].weight: invalid value "x" (want a number above 0)`},
		{phases(run(", division: half")), `4:52 phases[0].division: invalid value "half" (want share or each)`},
		{"shared-data: true\n" + phases(run(", division: each")), `5:52 phases[0].division: each, while shared-data is true for all phases (want one of the two)`},
		{phases("{run: a, do: [{get: pool}], load: {search: rate, slo: p99<1s}, on-clients: [1]}"), `4:79 phases[0].on-clients: not for a search, which is on all clients`},
		{phases(run(", expect: [fast]")), `4:51 phases[0].expect[0]: rule "fast", character 5: missing operator (>, >=, < or <=); want a rule like "GET.p99>50ms"`},
		{phases(run(`, expect: ["get.p99 > +5%"]`)), `4:51 phases[0].expect[0]: "get.p99 > +5%" is about a change, which only "warp cmp" knows`},
		{phases(run(`, expect: [{abort: true}]`)), `4:51 phases[0].expect[0]: no rule (want one as in "get.p99 < 50ms")`},
		{phases(run(`, expect: [{if: get.p99<1s, over: 1ms}]`)), `4:74 phases[0].expect[0].over: invalid value "1ms" (want a duration of at least 1s, as in 30s)`},
		{phases(run(`, expect: [{if: get.p99<1s, over: 30s, abort: perhaps}]`)), `4:86 phases[0].expect[0].abort: invalid value "perhaps" (want true or false)`},
		{phases(run(`, expect: [{if: all.time<1s, over: 30s}]`)), `4:56 phases[0].expect[0]: rule "all.time<1s", character 5: unknown metric "time"; want one of errors, throughput, objects, fastest, fastest.objects, median, median.objects, slowest, slowest.objects, avg, p50, p90, p95, p99, p99.9, min, max, ttfb, ttfb.p50, ttfb.p90, ttfb.p95, ttfb.p99, ttfb.min, ttfb.max, own, own.p50, own.p90, own.p99, own.max`},
		{phases("{run: a, do: [{replay: }], until: 1s}"), `4:17 phases[0].do[0].replay: no trace (want a file, as in replay: access.log)`},
		{phases(run(", ok: [many]")), `4:47 phases[0].do[0].ok: invalid value "many" for ok`},
	})
}

func TestMistakesInOperations(t *testing.T) {
	of := func(do string) string { return phases("{run: a, do: [{" + do + "}], until: 1s}") }
	check(t, []mistake{
		{of("get: pool, acces: seq"), `4:29 phases[0].do[0]: get: unknown parameter "acces" (did you mean access?)`},
		{of("get: pool, threads: 4"), `4:29 phases[0].do[0]: get: unknown parameter "threads" (want load: of the phase)`},
		{of("get: pool, range: true, ranges: [false]"), `4:42 phases[0].do[0]: get: range and ranges are the same (want one of them)`},
		{of("get: pool, count: 3"), `4:36 phases[0].do[0].count: only for operations that follow others (want it within then)`},
		{of("get: pool, overwrite: true"), `4:40 phases[0].do[0].overwrite: not for get (want it for put)`},
		{of("get: pool, overwrite: maybe"), `4:40 phases[0].do[0].overwrite: invalid value "maybe" (want true or false)`},
		{phases("{run: a, do: [{head-bucket: }, {get: pool}], until: 1s}", "{run: b, do: [{put: , overwrite: true}], until: 1s}"), `5:36 phases[1].do[0].overwrite: no data set to overwrite objects of (want {put: NAME})`},
		{of("head-bucket: , overwrite: true"), `4:44 phases[0].do[0].overwrite: not for head-bucket (want it for put)`},
		{of("get: pool, access: zip(1)"), `4:37 phases[0].do[0].access: invalid value "zip(1)" for access`},
		{of("get: pool, retry: {on: [412]}"), `4:29 phases[0].do[0].retry: missing max (want {on: [412, 409], max: 5, backoff: 100ms}, or a number of retries)`},
		{of("get: pool, retry: 0"), `4:36 phases[0].do[0].retry.max: invalid value 0 (want 1 to 100 retries)`},
		{of("get: pool, retry: {max: 2, on: [200, x], backoff: 2h}"), `4:50 phases[0].do[0].retry.on[0]: invalid value "200" (want HTTP statuses from 300 to 599, as in [412, 409])
4:55 phases[0].do[0].retry.on[1]: invalid value "x" (want HTTP statuses from 300 to 599, as in [412, 409])
4:68 phases[0].do[0].retry.backoff: invalid value "2h" (want a duration up to 1h, as in 100ms)`},
		{phases("{run: a, do: [{get: pool}, {contend: pool, retry: 3}], until: 1s}"), `4:46 phases[0].do[1].retry: an operation of contend cannot be attempted again`},
		{of("put: pool, then: [{get: same, weight: 2}]"), `4:56 phases[0].do[0].then[0].weight: an operation that follows another one has no weight`},
		{of("put: pool, then: [{get: same, then: [{stat: same}]}]"), `4:55 phases[0].do[0].then[0].then: not within then (want one list, in order)`},
		{of("put: pool, then: [{get: same, count: 0}]"), `4:55 phases[0].do[0].then[0].count: invalid value 0 (want 1 to 1000)`},
		{of("put: pool, then: [{get: same, count: many}]"), `4:55 phases[0].do[0].then[0].count: invalid value "many" (want a whole number, as in 2500, 10k or 1M)`},
		{of("put: pool, then: [{get: pol}]"), `4:42 phases[0].do[0].then[0].get: unknown data set "pol" (did you mean pool?)`},
	})
}
