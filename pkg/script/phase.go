package script

// Phase is a step of a scenario: one of prepare, clean, wait, exec, verify, run, repeat, or phases in parallel.
type Phase struct {
	Note
	Parallel []Phase // a list instead of a mapping

	Prepare Value `key:"prepare" of:"prepare" is:"set" doc:"upload a data set"`
	Clean   Value `key:"clean" of:"clean" is:"set" doc:"delete the objects of a data set"`
	Wait    Value `key:"wait" of:"wait" is:"duration" doc:"wait"`
	Exec    Exec  `key:"exec" of:"exec" doc:"run a program, if --allow-exec is given; its exit code other than 0 ends the run"`
	Verify  Value `key:"verify" of:"verify" is:"set" doc:"compare the objects of a data set with what was uploaded"`
	Run     Value `key:"run" of:"run" doc:"a measured group of operations, by the name of its section in reports"`
	Repeat  Value `key:"repeat" of:"repeat" is:"count" doc:"number of passes over phases; each has a number"`

	Do        []Do     `key:"do" of:"run" doc:"operations, chosen by weight"`
	Load      Load     `key:"load" of:"run prepare clean verify" doc:"threads or rate; a number is a number of threads"`
	Until     Until    `key:"until" of:"run" doc:"what ends the phase: the first that is reached; a duration, or a mapping"`
	Warmup    Value    `key:"warmup" flag:"warmup" of:"run" is:"duration" doc:"time at the start that is recorded, but not reported"`
	Expect    []Expect `key:"expect" of:"run" doc:"rules that the result must meet, as in get.p99 < 50ms"`
	OK        []Value  `key:"ok" of:"run" doc:"HTTP statuses that are expected outcomes and no errors"`
	OnClients []Value  `key:"on-clients" of:"run" doc:"of several clients those that take part: numbers from 1, or addresses"`
	Division  Value    `key:"division" of:"run" is:"share|each" doc:"whether clients share the objects, or each has its own"`
	Buckets   Value    `key:"buckets" of:"clean" is:"bool" doc:"delete the buckets too"`
	Sample    Value    `key:"sample" of:"verify" is:"percent" doc:"share of objects to verify"`
	Phases    []Phase  `key:"phases" of:"repeat" doc:"what is repeated"`
}

// Exec is a program that runs between phases.
type Exec struct {
	Note
	Command []Value `key:"command,one" doc:"program and arguments; no shell reads them"`
	Env     []Value `key:"env" doc:"names of variables with keys, tokens or passwords that it gets; it has all others without"`
	On      Value   `key:"on" is:"coordinator" doc:"where it runs: coordinator, the machine of warp run"`
}

// Do is an operation with its weight. Parameters have the names of the flags of the benchmark.
type Do struct {
	Note
	Op        string  // name in the registry
	Set       Value   // data set; "same" in Then: the object of the operation before
	Name      Value   `key:"name" doc:"label of its operations, as in GET:NAME; default: data set or number, to tell two apart"`
	Weight    Value   `key:"weight" is:"number" doc:"share of turns, relative to the other operations; default: 1"`
	Count     Value   `key:"count" is:"count" doc:"how many times in a turn"`
	OK        []Value `key:"ok" doc:"HTTP statuses that are expected outcomes and no errors"`
	Overwrite Value   `key:"overwrite" is:"bool" doc:"of put: overwrite objects of the data set, instead of adding new ones"`
	Then      []Do    `key:"then" doc:"operations that follow in the same turn"`
	Retry     Retry   `key:"retry" doc:"what is sent again"`
	Params    []Param `key:",rest"`
}

// same stands for the data set of an operation that follows another one and uses the same object.
const same = "same"

// Retry says which operations are sent again.
type Retry struct {
	Note
	Max     Value   `key:"max,short" is:"count" doc:"number of retries"`
	On      []Value `key:"on" doc:"HTTP statuses after which an operation is sent again"`
	Backoff Value   `key:"backoff" is:"duration" doc:"pause before the first retry"`
}

// Load says when operations start.
type Load struct {
	Note
	Threads     []Value `key:"threads,short,one" flag:"concurrent" is:"threads" doc:"threads: a number, ramp 1..64/5m, or stages [8, 16@1m]"`
	Think       Value   `key:"think" flag:"think" is:"think" doc:"pause between operations: 20ms, exp(20ms), or 20ms@start"`
	Rate        []Value `key:"rate,one" flag:"rate" is:"rate" doc:"operations per second: number, ramp, stages, file(day.csv), 80% of a phase"`
	RPSLimit    Value   `key:"rps-limit" flag:"rps-limit" is:"number" doc:"operations per second of each client"`
	Arrivals    Value   `key:"arrivals" flag:"arrivals" is:"even|poisson" doc:"spacing of operations at a rate"`
	MaxInflight Value   `key:"max-inflight" flag:"max-inflight" is:"count" doc:"most operations at a time, at a rate"`
	MaxLate     Value   `key:"max-late" flag:"max-late" is:"duration" doc:"an operation that is later than this is not sent, at a rate"`
	Scale       Value   `key:"scale" is:"number" doc:"factor for the rates of a file"`
	Burst       Value   `key:"burst" is:"count" doc:"operations at once, every so often"`
	Every       Value   `key:"every" is:"duration" doc:"time between bursts"`

	Replay  Value   `key:"replay" doc:"recording or trace whose operations are sent again"`
	Speed   Value   `key:"speed" doc:"factor for the speed of a replay, as in 2x"`
	Search  Value   `key:"search" is:"rate|threads" doc:"search for the highest load that keeps the objective"`
	SLO     []Value `key:"slo,one" doc:"objectives of a search, as in p99<50ms; all must be met"`
	Budget  Value   `key:"budget" is:"duration" doc:"how long all trials of a search may take; without it, 20m"`
	Trial   Value   `key:"trial" is:"duration" doc:"length of a trial of a search; without it, 10s"`
	Confirm Value   `key:"confirm" is:"bool" doc:"false: no five minutes at the boundary that a search claims"`
	Strict  Value   `key:"strict" is:"bool" doc:"a search holds the load for two minutes instead of one"`

	Sweep   []Value `key:"sweep,one" doc:"what varies: threads, rate, obj.size or a numeric parameter; two make a grid"`
	Over    []Value `key:"over" doc:"values of what a sweep varies, as in [1, 2, 4..16]"`
	Repeats Value   `key:"repeats" is:"count" doc:"how many times each point of a sweep is measured; without it, once"`
	Shuffle Value   `key:"shuffle" is:"bool" doc:"a sweep measures its points in random order"`

	Accelerators Value `key:"accelerators" is:"count" doc:"training processes to imitate"`
	Readers      Value `key:"readers" is:"count" doc:"threads of each that read"`
	Batch        Value `key:"batch" is:"count" doc:"objects of a training step"`
	Compute      Value `key:"compute" is:"duration" doc:"time of a training step"`
	Prefetch     Value `key:"prefetch" is:"count" doc:"batches read ahead, 1 by default: they last during a slow read"`
}

// Until says what ends a phase.
type Until struct {
	Note
	Time   Value `key:"time,short" flag:"duration" is:"duration" doc:"end after this time; 0: on Ctrl-C"`
	Ops    Value `key:"ops" flag:"ops" is:"count" doc:"end after this number of operations"`
	Bytes  Value `key:"bytes" flag:"bytes" is:"size" doc:"end after this number of bytes"`
	Passes Value `key:"passes" flag:"passes" is:"number" doc:"end after this many uses of every object"`
	Steady Value `key:"steady" flag:"autoterm" is:"steady" doc:"throughput is stable: 7.5%, 7.5%/15s, or 20%,10%/1m by range and slope"`
}

// Expect is a rule that a result must meet.
type Expect struct {
	Note
	If    Value `key:"if,short" doc:"the rule, as in get.p99 < 50ms"`
	Over  Value `key:"over" is:"duration" doc:"the rule must be met in any time that is so long, instead of by the whole phase"`
	Abort Value `key:"abort" is:"bool" doc:"end the run as soon as the rule is violated"`
}
