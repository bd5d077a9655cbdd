package script_test

import "testing"

// loaded is a file of one run with this load.
func loaded(load string) string {
	return phases("{run: a, do: [{get: pool}], until: 1s, load: " + load + "}")
}

func TestMistakesInLoads(t *testing.T) {
	searching := func(keys, more string) string {
		return phases("{run: a, do: [{get: pool}], load: {search: rate" + keys + "}" + more + "}")
	}
	check(t, []mistake{
		{loaded("{threads: 4, over: [1, 2]}"), `4:42 phases[0].load: over, repeats and shuffle belong to a sweep, as in {sweep: threads, over: [1, 2, 4..16]}`},
		{loaded("{threads: 4, repeats: 2}"), `4:42 phases[0].load: over, repeats and shuffle belong to a sweep, as in {sweep: threads, over: [1, 2, 4..16]}`},
		{loaded("{rate: 5, burst: 3, every: 1s}"), `4:65 phases[0].load.burst: want either rate or burst`},
		{loaded("{burst: 3}"), `4:42 phases[0].load: burst and every belong together, as in {burst: 200, every: 5s}`},
		{loaded("{threads: 4, scale: 2}"), `4:68 phases[0].load.scale: nothing to scale (want rate or threads of a file, as in {rate: file(day.csv), scale: 0.1})`},
		{loaded("{rate: 80% of}"), `4:55 phases[0].load.rate: invalid value "80% of" (want a share of what was measured before, as in 80%, or 80% of LABEL)`},
		{loaded("{rate: 80% from b}"), `4:55 phases[0].load.rate: invalid value "80% from b" (want a share of what was measured before, as in 80%, or 80% of LABEL)`},
		{loaded("{rate: x%}"), `4:55 phases[0].load.rate: invalid value "x%" (want a share of what was measured before, as in 80%, or 80% of LABEL)`},
		{loaded("{replay: x, threads: 2}"), `4:57 phases[0].load.replay: not possible yet`},
		{loaded("{threads: 4, max-inflight: many}"), `4:75 phases[0].load.max-inflight: invalid value "many" (want a whole number, as in 2500, 10k or 1M)`},
		{loaded("lots"), `4:48 phases[0].load.threads: invalid value "lots" for concurrent`},
		{loaded("0"), `4:48 phases[0].load.threads: invalid value 0 (want at least 1)`},
		{searching("", ""), `4:46 phases[0].load.slo: no objective (want one like p99<50ms)`},
		{searching(", slo: avg<5ms", ""), `4:57 phases[0].load.slo: invalid value "avg < 5ms" (want a percentile or errors, like p99<50ms or errors<0.1%; avg is no share of operations)`},
		{searching(", slo: p99<1s, budget: long, trial: 1ms", ""), `4:73 phases[0].load.budget: invalid value "long" (want a duration as in 10m)`},
		{searching(", slo: p99<1s, budget: 1s", ""), `4:73 phases[0].load.budget: invalid value 1s (want at least 3m0s)`},
		{searching(", slo: p99<1s", ", expect: [errors<1%]"), `4:75 phases[0].expect: rules do not apply to the trials of a search (want --fail-if="search.rate<4000/s")`},
		{searching(", slo: p99<1s", ", until: 1s"), `4:46 phases[0].load.search: a search decides about the length of its trials (want neither until nor warmup)`},
		{searching(", slo: p99<1s", ", warmup: 1s"), `4:46 phases[0].load.search: a search decides about the length of its trials (want neither until nor warmup)`},
		{phases("{run: a, do: [{get: pool}], until: {steady: 5}}"), `4:47 phases[0].until.steady: invalid value "5" (want a percentage as in 7.5%, or 7.5%/15s; or range and slope, as in 20%,10%/1m)`},
		{phases("{run: a, do: [{get: pool}], until: {steady: 20%,10}}"), `4:51 phases[0].until: unknown key "10" (want time, ops, bytes, passes or steady)`},
		{phases("{run: a, do: [{get: pool}], until: {ops: many}}"), `4:44 phases[0].until.ops: invalid value "many" (want a whole number, as in 2500, 10k or 1M)`},
		{phases("{run: a, do: [{get: pool}], until: 5 minutes}"), `4:38 phases[0].until.time: invalid value "5 minutes" for duration`},
	})
}

func TestLoads(t *testing.T) {
	until := func(keys string) string { return phases("{run: a, do: [{get: pool}], until: " + keys + "}") }
	for _, c := range []struct{ text, want string }{
		{phases("{run: a, do: [{get: pool}]}"), `"a" get() threads=20 5m0s`},
		{phases("{run: get, do: [{get: pool}], until: 1s}"), `"" get() threads=20 1s`}, // as without a file
		{loaded("4"), `"a" get() threads=4 1s`},
		{loaded("1..64/5m"), `"a" get() threads=64 ramp=1..64/5m 1s`},
		{loaded("[8, 16@1m]"), `"a" get() threads=16 ramp=8/1m,16 1s`},
		{loaded("{threads: 4, think: 20ms}"), `"a" get() threads=4 think=20ms 1s`},
		{loaded("{rate: max, threads: 3}"), `"a" get() threads=3 1s`},
		{loaded("{rate: [100, 200@1m], arrivals: poisson, max-inflight: 10}"), `"a" get() threads=10 rate=100/1m,200 arrivals=poisson 1s`},
		{loaded("{burst: 200, every: 5s}"), `"a" get() threads=20 rate=burst(200,5s) 1s`},
		{phases(run(""), "{run: b, do: [{get: pool}], until: 1s, load: {rate: 80%}}"), `"a" get(pool) threads=20 1s
"b" get(pool) threads=20 portion=0.8 of "" 1s
set pool 1024`},
		{phases(run(""), "{run: b, do: [{get: pool}], until: 1s, load: {rate: 50% of a}}"), `"a" get(pool) threads=20 1s
"b" get(pool) threads=20 portion=0.5 of "a" 1s
set pool 1024`},
		{phases("{run: a, do: [{get: pool}], load: {search: rate, slo: p99<1s}}"), `"a" get() threads=64 | search rate [p99 < 1s] budget=20m0s trial=0s strict=false confirm=true seed=true`},
		{phases("{run: a, do: [{get: pool}], load: {search: threads, slo: [p99<1s, errors<1%], budget: 30m, trial: 5s, strict: true, confirm: false, max-inflight: 8}}"), `"a" get() threads=8 | search threads [p99 < 1s errors < 1%] budget=30m0s trial=5s strict=true confirm=false seed=true`},
		{phases("{run: a, do: [{get: pool}], load: {search: rate, slo: p99<1s, arrivals: poisson}}"), `"a" get() threads=64 | search rate [p99 < 1s] budget=20m0s trial=0s strict=false confirm=true seed=true`},
		{until("{ops: 10k, bytes: 1MiB, passes: 2}"), `"a" get() threads=20 ops=10000 passes=2`},
		{until("{time: 1m, steady: 5%}"), `"a" get() threads=20 1m0s steady={MinDuration:15s Percent:5 Slope:0}`},
		{until("{time: 1m, steady: \"20%,10%/1m\"}"), `"a" get() threads=20 1m0s steady={MinDuration:1m0s Percent:20 Slope:10}`},
		{phases(run(", warmup: 2s, ok: [404, 503]")), `"a" get() threads=20 1s warmup=2s ok=[404 503]`},
	} {
		compare(t, c.text, outline(resolved(t, c.text)), c.want)
	}
}

func TestTraining(t *testing.T) {
	expecting := func(load, rule string) string {
		return phases("{run: a, do: [{get: pool}], until: 1s, load: {" + load + `}, expect: ["` + rule + `", "get.p99 < 1s"]}`)
	}
	for _, c := range []struct{ text, want string }{
		{loaded("{accelerators: 8, compute: 100ms}"), `"a" get() threads=8 think=100ms@start 1s`},
		{loaded("{accelerators: 2, readers: 4, batch: 8, compute: 1s, prefetch: 3}"), `"a" get() threads=8 think=500ms@start+2s 1s`},
		{expecting("accelerators: 2, readers: 4, batch: 8, compute: 1s", "au >= 90%"), `"a" get() threads=8 think=500ms@start 1s
rule "a" au >= 90% of 16.00 objects/s broken=GET.objects < 14.400/s over=0s abort=false
rule "a" GET.p99 < 1s broken=GET.p99 >= 1s over=0s abort=false`},
	} {
		compare(t, c.text, outline(resolved(t, c.text)), c.want)
	}
	check(t, []mistake{
		{loaded("{accelerators: 8}"), `4:42 phases[0].load.compute: invalid value "" (want the time of a training step, as in 323ms)`},
		{loaded("{accelerators: 0, readers: many, compute: 1s}"), `4:63 phases[0].load.accelerators: invalid value 0 (want 1 to 1048576)
4:75 phases[0].load.readers: invalid value "many" (want a whole number, as in 2500, 10k or 1M)`},
		{loaded("{accelerators: 8, compute: 1s, threads: 4}"), `4:42 phases[0].load: accelerators with threads, rate or think (want one or the other)`},
		{expecting("accelerators: 2, compute: 1s", "au < 90%"), `4:89 phases[0].expect[0]: invalid value "au < 90%" (want a share, as in au >= 90%)`},
		{expecting("accelerators: 2, compute: 1s", "au >= 190%"), `4:89 phases[0].expect[0]: invalid value "au >= 190%" (want at most 100%)`},
	})
	rule := resolved(t, expecting("accelerators: 2, compute: 1s", "au >= 50%")).Rules[0]
	if one, three := rule.ForClients(1), rule.ForClients(3); one.Text != rule.Text || one.Broken.Value != 1 || three.Broken.Value != 3 {
		t.Errorf("one client must reach %v (%s), three %v (%s); want 1 and 3 objects/s", one.Broken.Value, one.Text, three.Broken.Value, three.Text)
	}
}
