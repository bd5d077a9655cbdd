package compare

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"warp/internal/testkit"
	"warp/pkg/aggregate"
	"warp/pkg/hist"
	"warp/pkg/op"
)

// process is a level over time, in steps of FineSegment, around 1.
type process struct {
	name string
	make func(rng *rand.Rand, n int) []float64
}

// processes are what segments of runs are like: independent; autocorrelated by so much from one second to the next; with a level for each
// second.
func processes() []process {
	return []process{
		{"iid", func(rng *rand.Rand, n int) []float64 { return autoregression(rng, n, 1, 0.074, 0) }},
		{"AR .5", func(rng *rand.Rand, n int) []float64 { return autoregression(rng, n, 1, 0.037, math.Pow(0.5, 0.25)) }},
		{"AR .9", func(rng *rand.Rand, n int) []float64 { return autoregression(rng, n, 1, 0.037, math.Pow(0.9, 0.25)) }},
		{"iid, by the second", func(rng *rand.Rand, n int) []float64 { return held(autoregression(rng, n/4+1, 1, 0.037, 0), n) }},
		{"AR .5, by the second", func(rng *rand.Rand, n int) []float64 { return held(autoregression(rng, n/4+1, 1, 0.037, 0.5), n) }},
		{"AR .9, by the second", func(rng *rand.Rand, n int) []float64 { return held(autoregression(rng, n/4+1, 1, 0.037, 0.9), n) }},
	}
}

// held is each of some levels four times.
func held(levels []float64, n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = levels[i/4]
	}
	return list
}

// requests is how many a segment has, whose latencies stray by 0.4 of themselves.
const requests = 500

// shortRun is a run of this length, in segments of a second and of FineSegment; more is what its rate and its latency are multiplied
// by.
func shortRun(rng *rand.Rand, p *process, seconds int, more float64) (coarse, fine *aggregate.Snapshot) {
	levels := p.make(rng, 4*seconds)
	segments := make([]aggregate.Segment, len(levels))
	sum := 0.0
	for i, level := range levels {
		rate := level * more * (1 + 0.4/math.Sqrt(requests)*rng.NormFloat64())
		segments[i] = aggregate.Segment{Bytes: 1e6 * rate, Objects: 100 * rate, Latency: hist.New(hist.Coarse)}
		sum += segments[i].Bytes
		for range requests {
			v := 5e6 * level * more * math.Exp(0.4*rng.NormFloat64())
			segments[i].Latency.Record(int64(v))
		}
	}
	snapshot := func(length time.Duration, segments []aggregate.Segment) *aggregate.Snapshot {
		g := &aggregate.Group{Kind: op.Get, Requests: 1000, Considered: 1000, OpSizes: aggregate.OpSizes{MaxSize: 10_000, MaxObjects: 1}, Segments: segments}
		g.Window = aggregate.Window{Start: time.Unix(0, 0), End: time.Unix(int64(seconds), 0)}
		g.Bytes, g.Objects = sum, sum/10_000
		for i := range segments {
			g.Latency = hist.Join(g.Latency, segments[i].Latency)
		}
		return &aggregate.Snapshot{Version: aggregate.Version, Segment: length, Groups: []*aggregate.Group{g}}
	}
	fine = snapshot(FineSegment, segments)
	seconds1 := make([]aggregate.Segment, seconds)
	for i := range segments {
		seconds1[i/4].Merge(&segments[i])
	}
	return snapshot(time.Second, seconds1), fine
}

// outcome is what pairs of runs ended in, as shares of them.
type outcome struct{ claims, correlated float64 }

// pairs compares pairs of runs, the second higher by more, by two figures.
func pairs(t *testing.T, seed uint64, p *process, seconds, trials int, more float64) map[string]outcome {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 23))
	found := make(map[string]outcome)
	for range trials {
		before, fineBefore := shortRun(rng, p, seconds, 1)
		after, fineAfter := shortRun(rng, p, seconds, more)
		c, err := Compare(snapshots{before}, snapshots{after}, Options{FineBefore: fineBefore, FineAfter: fineAfter})
		if err != nil {
			t.Fatal(err)
		}
		for _, metric := range []string{"throughput", "p50"} {
			o, ch := found[metric], c.Kinds[0].Change(metric)
			switch {
			case ch.Verdict == Correlated:
				o.correlated += 1 / float64(trials)
			case ch.P != nil && *ch.P < 0.05:
				o.claims += 1 / float64(trials)
			}
			found[metric] = o
		}
	}
	return found
}

// Two runs that do not differ are found to differ in at most 5 %, however long their segments resemble each other.
func TestShortRunsThatDoNotDiffer(t *testing.T) {
	testkit.SkipSerial(t)
	n := trials(25, 1000)
	for i, p := range processes() {
		for _, seconds := range []int{11, 31} {
			for metric, o := range pairs(t, uint64(100*i+seconds), &p, seconds, n, 1) {
				t.Logf("%-22s %d s, %-10s: %4.1f %% differ, %5.1f %% too correlated", p.name, seconds, metric, 100*o.claims, 100*o.correlated)
				if o.claims > 0.05+margin(n) {
					t.Errorf("%s, %d s, %s: %v of equal runs differ", p.name, seconds, metric, o.claims)
				}
			}
		}
	}
}

// A change of 10 % between two runs of 11 s is found, as is one of 5 % between two of 31 s.
func TestShortRunsThatDiffer(t *testing.T) {
	testkit.SkipSerial(t)
	n := trials(25, 1000)
	for _, c := range []struct {
		process int
		seconds int
		more    float64
		atLeast float64
	}{{0, 11, 1.10, 0.9}, {0, 11, 1.05, 0.6}, {0, 31, 1.05, 0.9}, {1, 31, 1.10, 0}, {3, 11, 1.10, 0}, {4, 31, 1.10, 0}} {
		p := processes()[c.process]
		for metric, o := range pairs(t, uint64(c.seconds), &p, c.seconds, n, c.more) {
			t.Logf("%-22s %d s, %+.0f %%, %-10s: %5.1f %% differ, %5.1f %% too correlated", p.name, c.seconds, 100*(c.more-1), metric, 100*o.claims, 100*o.correlated)
			if o.claims < c.atLeast {
				t.Errorf("%s, %d s, %+.0f %%: %s differs in %v, want %v", p.name, c.seconds, 100*(c.more-1), metric, o.claims, c.atLeast)
			}
		}
	}
}

// Two short runs are tested by fine segments where these vary independently, and not at all where a drift is all that they show; each rule
// is about the length of the run.
func TestScales(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	drift := process{"drift", func(_ *rand.Rand, n int) []float64 {
		list := make([]float64, n)
		for i := range list {
			list[i] = 1 + 0.5*float64(i)/float64(n)
		}
		return list
	}}
	independent := processes()[0]
	for _, c := range []struct {
		process *process
		n       int
		verdict Verdict
	}{{&independent, 60, Unclear}, {&drift, 15, Correlated}} {
		before, fineBefore := shortRun(rng, c.process, 15, 1)
		after, fineAfter := shortRun(rng, c.process, 15, 1)
		if !Short(before) || Short(fineBefore) {
			t.Error("15 segments of a second are a short run, segments of a quarter are none")
		}
		result, err := Compare(snapshots{before}, snapshots{after}, Options{FineBefore: fineBefore, FineAfter: fineAfter})
		if err != nil {
			t.Fatal(err)
		}
		ch := result.Kinds[0].Change("throughput")
		if ch.Verdict != c.verdict || ch.Before.N != c.n || (ch.P == nil) != (c.verdict == Correlated) || (ch.Note == "") != (c.verdict == Unclear) {
			t.Errorf("%s: %+v, want %s by %d segments", c.process.name, ch, c.verdict, c.n)
		}
		median := result.Kinds[0].Change("median")
		if c.verdict == Unclear && (median.P == nil || median.Before.N != 15) {
			t.Errorf("%s: %+v, want the median second by seconds", c.process.name, median)
		}
	}
	long, _ := shortRun(rng, &independent, 60, 1)
	few, _ := shortRun(rng, &independent, 7, 1)
	if Short(long) || Short(few) {
		t.Error("runs of 60 s and of 7 s are not short ones")
	}
}

// Noise on top of an autoregression hides it from the next neighbour; known, it does not.
func TestSlowness(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const n = 400
	noisy := autoregression(rng, n, 0, 0, 0)
	slow := autoregression(rng, n, 1, 1, 0.9)
	for i := range noisy {
		noisy[i] = slow[i] + 2*rng.NormFloat64() // four times the variance of what is slow
	}
	if lag := persistence(noisy); lag > 0.5 {
		t.Errorf("persistence %.2f: noise does not hide it", lag)
	}
	if got := slowness(noisy, 4); got < 0.75 || got > 0.96 {
		t.Errorf("slowness %.2f, want about 0.9", got)
	}
	if got := slowness(autoregression(rng, n, 1, 1, 0), 0); got != 0 {
		t.Errorf("slowness %.2f of independent values", got)
	}
}
