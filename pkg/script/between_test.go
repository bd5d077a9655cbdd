package script_test

import "testing"

func TestMistakesBetweenRuns(t *testing.T) {
	after := func(step string) string { return phases(run(""), step, "{run: b, do: [{get: pool}], until: 1s}") }
	check(t, []mistake{
		{after("{prepare: pol}"), `5:13 phases[1].prepare: unknown data set "pol" (did you mean pool?)`},
		{after(`{prepare: "${EMPTY:-}"}`), `5:13 phases[1].prepare: invalid value "${EMPTY:-}", which is empty (want a default that is not, as in ${NAME:-default})`},
		{after("{prepare: pool, load: {rate: 5}}"), `5:19 phases[1].load: only a number of threads is possible here`},
		{after("{prepare: pool, load: 0}"), `5:19 phases[1].load: invalid value "0" (want a number of threads, 1 to 1048576)`},
		{after("{prepare: pool, load: many}"), `5:19 phases[1].load: invalid value "many" (want a number of threads, 1 to 1048576)`},
		{after("{clean: pool, buckets: perhaps}"), `5:26 phases[1].buckets: invalid value "perhaps" (want true or false)`},
		{after("{clean: pool, buckets: true}"), `5:26 phases[1].buckets: runs follow, which need the buckets (want it in the last step; names of the run are claimed in them until its end)`},
		{after("{verify: pool, sample: 5}"), `5:26 phases[1].sample: invalid value "5" (want a share of the objects, as in 1%)`},
		{after("{verify: pool, sample: 101%}"), `5:26 phases[1].sample: invalid value "101%" (want a share of the objects, as in 1%)`},
		{after("{verify: pool, sample: 0%}"), `5:26 phases[1].sample: invalid value "0%" (want a share of the objects, as in 1%)`},
		{after("{wait: soon}"), `5:10 phases[1].wait: invalid value "soon" (want a duration, as in 60s)`},
		{after("{wait: -1s}"), `5:10 phases[1].wait: invalid value "-1s" (want a duration, as in 60s)`},
		{after(`{wait: "${EMPTY:-}"}`), `5:10 phases[1].wait: invalid value "${EMPTY:-}", which is empty (want a default that is not, as in ${NAME:-default})`},
		{after("{exec: []}"), `5:10 phases[1].exec: a list where a mapping belongs (want a mapping with command, env, on)`},
		{after(`{exec: {command: ""}}`), `5:20 phases[1].exec.command: no program (want its name or path first)`},
		{after("{exec: {command: ls, env: [A=B]}}"), `5:30 phases[1].exec.env[0]: invalid value "A=B" (want the name of a variable)`},
		{after("{exec: {command: ls, on: clients}}"), `5:28 phases[1].exec.on: clients run no programs (want coordinator, which is where "warp run" runs)`},
		{after("{exec: {command: ls, on: moon}}"), `5:28 phases[1].exec.on: invalid value "moon" (want coordinator)`},
		{after("[{wait: 1s}, {repeat: 3, phases: [{wait: 1s}]}]"), `5:16 phases[1][1]: repeat in parallel with other phases is not possible (want run, prepare, clean, verify, wait or exec)`},
		{after("[[{wait: 1s}], {wait: 1s}]"), `5:4 phases[1][0]: parallel in parallel with other phases is not possible (want run, prepare, clean, verify, wait or exec)`},
		{after("[{run: s, do: [{get: pool}], load: {sweep: threads, over: [1, 2]}}, {wait: 1s}]"), `5:46 phases[1][0].load.sweep: a sweep in parallel with other phases is not possible (want it as a phase by itself)`},
		{"warp: 1\ndata: {mine: {existing: true}}\nphases: [{run: a, do: [{get: mine}], until: 1s}, {verify: mine}]", `3:59 phases[1].verify: data set "mine" has existing objects (existing: true), which a run neither uploads, verifies nor deletes`},
		{"warp: 1\nphases: [{wait: 1s}]", `1:1 phases: nothing is measured (want at least one phase with run: LABEL)`},
		{phases("{repeat: 0, phases: [" + run("") + "]}"), `4:12 phases[0].repeat: invalid value 0 (want 1 to 100)`},
		{phases("{repeat: x, phases: [" + run("") + "]}"), `4:12 phases[0].repeat: invalid value "x" (want a whole number, as in 2500, 10k or 1M)`},
		{phases(`{repeat: "${EMPTY:-}", phases: [` + run("") + "]}"), `4:12 phases[0].repeat: invalid value "${EMPTY:-}", which is empty (want a default that is not, as in ${NAME:-default})`},
		{phases("{repeat: 1000, phases: [{repeat: 1000, phases: [" + run("") + "]}]}"), `4:12 phases[0].repeat: invalid value 1000 (want 1 to 100)`},
	})
}

func TestSteps(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{phases("{prepare: pool}", run("")), `"a" get() threads=20 1s`}, // the run does it anyway
		{phases("{prepare: pool, load: 3}", run("")), `prepare pool threads=3
"a" get(pool) threads=20 1s
set pool 1024`},
		{phases(run(""), "{clean: pool}"), `"a" get() threads=20 1s`}, // so does its clean-up
		{phases("{clean: pool}", run("")), `"a" get() threads=20 1s`}, // nothing is there yet
		{phases(run(""), "{clean: pool, load: 2}", "{prepare: pool}", "{run: b, do: [{get: pool}], until: 1s}"), `"a" get(pool) threads=20 1s
clean pool threads=2
prepare pool
"b" get(pool) threads=20 1s
set pool 1024`},
		{phases(run(""), "{verify: pool, sample: 10%}"), `"a" get(pool) threads=20 1s
verify pool sample=0.1
set pool 1024`},
		{phases("[{wait: 2s}, {exec: {command: [echo, hi], env: TOKEN}}]", run("")), `wait 2s | exec echo hi env=[TOKEN]
"a" get(pool) threads=20 1s
set pool 1024`},
		{phases("{repeat: 2, phases: [" + run("") + ", {wait: 1s}]}"), `"a-1" get(pool) threads=20 1s
wait 1s
"a-2" get(pool) threads=20 1s
wait 1s
set pool 1024`},
		{phases("[" + run("") + ", {run: b, do: [{stat: pool}], until: 1s}, {wait: 1s}]"), `"a" get(pool) threads=20 1s | "b" stat(pool) threads=20 1s | wait 1s
set pool 1024`},
		{phases(run(""), "{clean: pool, buckets: true}"), `"a" get() threads=20 1s`},
	} {
		compare(t, c.text, outline(resolved(t, c.text)), c.want)
	}
}
