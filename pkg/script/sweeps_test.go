package script_test

import "testing"

// swept is a file with a sweep.
func swept(load, do string) string { return phases("{run: s, do: [" + do + "], load: {" + load + "}}") }

func TestMistakesInSweeps(t *testing.T) {
	check(t, []mistake{
		{swept("sweep: threads", "{get: pool}"), `4:45 phases[0].load.sweep: no values of threads (want over: [1, 2, 4..16], or sweep: "threads=1,2,4..16")`},
		{swept("sweep: threads, over: [1, 2], search: rate, slo: p99<1s", "{get: pool}"), `4:76 phases[0].load.search: search and sweep (want one of them)`},
		{swept("sweep: [threads, obj.size], over: [1, 2]", "{get: pool}"), `4:73 phases[0].load.over: over is for one parameter (want sweep: threads with over: [1, 2, 4..16], or sweep: ["threads=1,2", "obj.size=4KiB,1MiB"])`},
		{swept("sweep: threads, over: [x]", "{get: pool}"), `4:61 phases[0].load.over: "threads=x": invalid value "x" (want values as in threads=1,2,4..256, rate=100,200..1000 or obj.size=4KiB..64MiB)`},
		{swept("sweep: threads, over: [1, 2], repeats: 0, shuffle: perhaps", "{get: pool}"), `4:77 phases[0].load.repeats: invalid value 0 (want 1 or more)
4:89 phases[0].load.shuffle: invalid value "perhaps" (want true or false)`},
		{swept("sweep: threads, over: [1, 2], repeats: x", "{get: pool}"), `4:77 phases[0].load.repeats: invalid value "x" (want a whole number, as in 2500, 10k or 1M)`},
		{swept("sweep: threads, over: [1, 2], repeats: 100", "{get: pool}"), `4:61 phases[0].load.over: 200 points (want at most 100, with their repeats)`},
		{swept("sweep: bucket, over: [1, 2]", "{get: pool}"), `4:45 phases[0].load.sweep: bucket cannot vary within a run, since all requests have it in common; use several runs`},
		{swept("sweep: batch, over: [1, 2]", "{get: pool}"), `4:45 phases[0].load.sweep: no operation of s has batch (want a parameter of one, or of its load or data set)`},
		{"warp: 1\ndata: {p: {objects: 5}, p-2: {objects: 5}}\nphases: [{run: s, do: [{get: p}, {get: p-2}], load: {sweep: obj.size, over: [1KiB, 2KiB]}}]", `3:61 phases[0].load.sweep: data set "p-2" would be that of a point (want another name for yours)`},
	})
}

func TestSweeps(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{swept("sweep: threads, over: [1, 2, 4]", "{get: pool}"), `"s,threads=1" get(objects-1) threads=1 10s warmup=3s
"s,threads=2" get(objects-1) threads=2 10s warmup=3s
"s,threads=4" get(objects-1) threads=4 10s warmup=3s
set objects-1 1024
sweep "s" over [threads]: s,threads=1 s,threads=2 s,threads=4`},
		{swept("sweep: [\"threads=1,2\", \"obj.size=1KiB,2KiB\"]", "{get: pool}"), `"s,threads=1,obj.size=1KiB" get(objects-1) threads=1 10s warmup=3s
"s,threads=2,obj.size=1KiB" get(objects-1) threads=2 10s warmup=3s
"s,threads=1,obj.size=2KiB" get(objects-2) threads=1 10s warmup=3s
"s,threads=2,obj.size=2KiB" get(objects-2) threads=2 10s warmup=3s
set objects-1 1024
set objects-2 2048
sweep "s" over [threads obj.size]: s,threads=1,obj.size=1KiB s,threads=2,obj.size=1KiB s,threads=1,obj.size=2KiB s,threads=2,obj.size=2KiB`},
		{swept("sweep: threads, over: [1, 2], repeats: 2", "{get: pool}"), `"s,threads=1" get(objects-1) threads=1 10s warmup=3s
"s,threads=2" get(objects-1) threads=2 10s warmup=3s
"s,threads=1#2" get(objects-1) threads=1 10s warmup=3s
"s,threads=2#2" get(objects-1) threads=2 10s warmup=3s
set objects-1 1024
sweep "s" over [threads]: s,threads=1 s,threads=2 s,threads=1#2 s,threads=2#2`},
		{swept("sweep: threads, over: [1, 2]", "{get: pool}, {stat: pool}"), `"s,threads=1" get(pool) stat(pool) threads=1 10s warmup=3s
"s,threads=2" get(pool) stat(pool) threads=2 10s warmup=3s
set pool 1024
sweep "s" over [threads]: s,threads=1 s,threads=2`},
		{swept("sweep: obj.size, over: [1KiB, 2KiB]", "{get: pool}, {stat: pool}"), `"s,obj.size=1KiB" get(pool-1) stat(pool-1) threads=20 10s warmup=3s
"s,obj.size=2KiB" get(pool-2) stat(pool-2) threads=20 10s warmup=3s
set pool-1 1024
set pool-2 2048
sweep "s" over [obj.size]: s,obj.size=1KiB s,obj.size=2KiB`},
		{swept("sweep: batch, over: [1, 2], threads: 2", "{delete: pool}"), `"s,batch=1" delete() threads=2 10s warmup=3s
"s,batch=2" delete() threads=2 10s warmup=3s
sweep "s" over [batch]: s,batch=1 s,batch=2`},
		{phases(run(""), "{run: s, do: [{get: pool}], until: 5s, warmup: 1s, load: {sweep: rate, over: [10, 20]}, expect: [get.p99 < 1s]}"), `"a" get(pool) threads=20 1s
"s,rate=10" get(pool) threads=20 rate=10 5s warmup=1s
"s,rate=20" get(pool) threads=20 rate=20 5s warmup=1s
set pool 1024
rule "s,rate=10" GET.p99 < 1s broken=GET.p99 >= 1s over=0s abort=false
rule "s,rate=20" GET.p99 < 1s broken=GET.p99 >= 1s over=0s abort=false
sweep "s" over [rate]: s,rate=10 s,rate=20`},
		{phases("{run: get, do: [{get: pool}], load: {sweep: threads, over: [1, 2]}}"), `"threads=1" get(objects-1) threads=1 10s warmup=3s
"threads=2" get(objects-1) threads=2 10s warmup=3s
set objects-1 1024
sweep "" over [threads]: threads=1 threads=2`}, // as without a file
	} {
		compare(t, c.text, outline(resolved(t, c.text)), c.want)
	}
}

// TestShuffledSweep: the order follows from the seed.
func TestShuffledSweep(t *testing.T) {
	text := "seed: 7\n" + swept("sweep: threads, over: [1, 2, 3, 4], shuffle: true", "{get: pool}")
	compare(t, text, outline(resolved(t, text)), outline(resolved(t, text)))
}
