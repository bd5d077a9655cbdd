package cli

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/pkg/bench"
	"warp/pkg/op"
)

// sent is what a run sent, by its recording.
type sent struct {
	plan    *bench.Plan
	ops     []op.Op // ordered by start
	clients int

	recording string // its file
}

// of returns the operations of a stream, of some kinds if any are given: with their labels, and without the status of outcomes.
func (s *sent) of(stream string, kinds ...op.Kind) (list []op.Op) {
	for _, o := range s.ops {
		if o.Phase == stream && (kinds == nil || slices.Contains(kinds, kindOf(&o))) {
			list = append(list, o)
		}
	}
	return list
}

// kindOf returns the kind of an operation without the status of an outcome.
func kindOf(o *op.Op) op.Kind {
	_, label, ok := strings.Cut(string(o.Kind), ":")
	if !ok {
		return o.Kind.Base()
	}
	return o.Kind.Base() + op.Kind(":"+label)
}

// check checks what must be true of every run.
func (s *sent) check(t *testing.T) {
	t.Helper()
	s.checkOrder(t)
	s.checkTurns(t)
	s.checkKeys(t)
	for _, o := range s.ops {
		if o.Failed() {
			t.Errorf("%s of %s failed: %s", o.Kind, o.Phase, o.Err)
		}
		if !o.Due.IsZero() && o.Start.Before(o.Due.Add(-2*time.Millisecond)) {
			t.Errorf("%s of %s began %v before it was due", o.Kind, o.Phase, o.Due.Sub(o.Start))
		}
	}
}

// checkOrder: phases come one after the other; the schedules of open loops side by side overlap. When a closed loop ends is up to the
// machine.
func (s *sent) checkOrder(t *testing.T) {
	t.Helper()
	var before time.Time
	for i := range s.plan.Phases {
		var phase []op.Op
		var firsts, lasts []time.Time // due times of each open loop
		for _, st := range s.plan.Phases[i].Streams() {
			ops := s.of(st.Name)
			if len(ops) == 0 {
				t.Errorf("stream %s sent nothing", st.Name)
				continue
			}
			phase = append(phase, ops...)
			if !ops[0].Due.IsZero() {
				firsts = append(firsts, slices.MinFunc(ops, func(a, b op.Op) int { return a.Due.Compare(b.Due) }).Due)
				lasts = append(lasts, slices.MaxFunc(ops, func(a, b op.Op) int { return a.Due.Compare(b.Due) }).Due)
			}
		}
		if len(phase) == 0 {
			continue
		}
		if first := slices.MinFunc(phase, func(a, b op.Op) int { return a.Start.Compare(b.Start) }).Start; first.Before(before) {
			t.Errorf("phase %s begins %v before the end of the one before it", s.plan.Phases[i].Title(), before.Sub(first))
		}
		if len(firsts) > 1 && slices.MaxFunc(firsts, time.Time.Compare).After(slices.MinFunc(lasts, time.Time.Compare)) {
			t.Errorf("phase %s: the streams do not overlap", s.plan.Phases[i].Title())
		}
		before = slices.MaxFunc(phase, func(a, b op.Op) int { return a.End.Compare(b.End) }).End
	}
}

// turnKinds are the kinds that a turn of a workload records once.
var turnKinds = map[string][]op.Kind{
	"get": {op.Get, op.MultipartGet}, "put": {op.Put}, "stat": {op.Stat}, "delete": {op.Delete}, "list": {op.List},
	"multipart-put": {op.CompleteUpload}, "mixed": {op.Get, op.Stat, op.Put, op.Delete}, "contend": {op.Get}, "create-bucket": {op.CreateBucket}, "delete-bucket": {op.DeleteBucket},
}

// checkTurns checks that streams with a number of operations send exactly this number, that each task has its share of them, and that
// following operations come after each.
func (s *sent) checkTurns(t *testing.T) {
	t.Helper()
	for i := range s.plan.Phases {
		for _, st := range s.plan.Phases[i].Streams() {
			tasks := []bench.Task(st.Tasks)
			if tasks == nil {
				tasks = []bench.Task{{Workload: st.Workload, Set: st.Set}}
			}
			counts, turns := make([]int, len(tasks)), 0
			for _, o := range s.of(st.Name) {
				if k := taskOfTurn(&o, tasks); k >= 0 {
					if counts[k]++; tasks[k].After == 0 {
						turns++
					}
				}
			}
			own := len(tasks)
			for k := len(tasks) - 1; k >= 0 && tasks[k].After > 0; k-- {
				own = k
				if first := tasks[k].After - 1; counts[k] != counts[first]*max(1, tasks[k].Count) {
					t.Errorf("stream %s: %d operations follow %d (%v)", st.Name, counts[k], counts[first], counts)
				}
			}
			if st.Ops > 0 && turns != int(st.Ops) {
				t.Errorf("stream %s: %d turns, want exactly %d (%v)", st.Name, turns, st.Ops, counts)
			}
			checkShares(t, st.Name, tasks[:own], counts[:own], turns)
		}
	}
}

// taskOfTurn returns the task whose turn an operation stands for; -1: none.
func taskOfTurn(o *op.Op, tasks []bench.Task) int {
	kind, label, _ := strings.Cut(string(kindOf(o)), ":")
	if op.Kind(kind) == op.Get && o.Objects == 0 {
		return -1 // the last range of an object stands for the turn
	}
	for k := range tasks {
		task := &tasks[k]
		names := []string{task.Set, fmt.Sprint(k + 1)}
		if task.Name != "" {
			names = []string{task.Name}
		}
		if slices.Contains(turnKinds[task.Workload], op.Kind(kind)) &&
			(label == "" || slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, label) })) {
			return k
		}
	}
	return -1
}

// checkShares: the turns of tasks are in proportion to their weights (chi-square, one wrong alarm in a thousand).
func checkShares(t *testing.T, stream string, tasks []bench.Task, counts []int, turns int) {
	t.Helper()
	if len(tasks) < 2 {
		return
	}
	weight := func(k int) float64 { return max(tasks[k].Weight, 0) }
	sum, chi := 0.0, 0.0
	for k := range tasks {
		sum += weight(k)
	}
	for k, n := range counts {
		want := float64(turns) * weight(k) / sum
		chi += (float64(n) - want) * (float64(n) - want) / want
	}
	limits := []float64{0, 10.83, 13.82, 16.27, 18.47, 20.52, 22.46, 24.32}
	if !(chi < limits[len(tasks)-1]) {
		t.Errorf("stream %s: shares %v of %d turns: chi-square is %.1f, want less than %v", stream, counts, turns, chi, limits[len(tasks)-1])
	}
}

// checkKeys: nothing is read before it was uploaded, and what is read whole has the size that was uploaded.
func (s *sent) checkKeys(t *testing.T) {
	t.Helper()
	uploaded, sizes := map[string]time.Time{}, map[string][]int64{}
	for _, o := range s.ops {
		switch o.Kind.Base() {
		case op.Put, op.CompleteUpload:
			if end, ok := uploaded[o.Key]; !ok || o.End.Before(end) {
				uploaded[o.Key] = o.End
			}
		}
		switch o.Kind {
		case op.Put, op.MultipartPut:
			sizes[o.Key] = append(sizes[o.Key], o.Bytes)
		}
	}
	for _, o := range s.ops {
		switch base := o.Kind.Base(); base {
		case op.Get, op.Stat, op.GetPart, op.MultipartGet:
			if end, ok := uploaded[o.Key]; !ok || end.After(o.Start) {
				t.Errorf("%s of %s at %v, uploaded at %v", o.Kind, o.Key, o.Start, end)
			}
			if base == op.MultipartGet && !slices.Contains(sizes[o.Key], o.Bytes) {
				t.Errorf("%s of %d bytes, uploaded %v", o.Kind, o.Bytes, sizes[o.Key])
			}
		}
	}
}

// sizes returns the sizes of the objects whose keys contain a text, sorted.
func (s *sent) sizes(part string) (list []int64) {
	seen := map[string]bool{}
	for _, o := range s.ops {
		if k := o.Kind.Unlabelled(); (k == op.Put || k == op.MultipartPut) && strings.Contains(o.Key, part) && !seen[o.Key] {
			seen[o.Key] = true
			list = append(list, o.Bytes)
		}
	}
	slices.Sort(list)
	return list
}

// distributed checks that sizes have a distribution (Kolmogorov-Smirnov, one wrong alarm in a thousand).
func distributed(part string, below func(size float64) float64) func(t *testing.T, s *sent) {
	return func(t *testing.T, s *sent) {
		t.Helper()
		list := s.sizes(part)
		n, worst := float64(len(list)), 0.0
		for i, size := range list {
			want := below(float64(size))
			worst = max(worst, math.Abs(want-float64(i)/n), math.Abs(want-float64(i+1)/n))
		}
		if n < 20 || !(worst < 1.95/math.Sqrt(n)) {
			t.Errorf("%.0f sizes %d..%d are up to %.3f off their distribution, want less than %.3f", n, list[0], list[len(list)-1], worst, 1.95/math.Sqrt(n))
		}
	}
}

// uniformSizes, lognormalSizes and normalSizes return the share of objects that are at most so large.
func uniformSizes(low, high float64) func(size float64) float64 {
	return func(size float64) float64 { return (size - low) / (high - low) }
}

func lognormalSizes(median, sigma float64) func(size float64) float64 {
	return func(size float64) float64 { return normalBelow(math.Log(size/median) / sigma) }
}

func normalSizes(mean, deviation, least float64) func(size float64) float64 {
	cut := normalBelow((least - mean) / deviation)
	return func(size float64) float64 { return (normalBelow((size-mean)/deviation) - cut) / (1 - cut) }
}

func normalBelow(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// uses counts how often each object of each client was used.
func uses(ops []op.Op) map[string]map[string]int {
	counts := map[string]map[string]int{}
	for _, o := range ops {
		if counts[o.Client] == nil {
			counts[o.Client] = map[string]int{}
		}
		counts[o.Client][o.Key]++
	}
	return counts
}

// eachUsed checks that each client uses a number of objects, each once.
func eachUsed(stream string, kind op.Kind, objects int) func(t *testing.T, s *sent) {
	return func(t *testing.T, s *sent) {
		t.Helper()
		for client, counts := range uses(s.of(stream, kind)) {
			if most := slices.Max(slices.Collect(maps.Values(counts))); len(counts) != objects || most > 1 {
				t.Errorf("%s of %s by client %s: %d objects, up to %d times, want %d, each once", kind, stream, client, len(counts), most, objects)
			}
		}
	}
}

// usedOnce checks that all clients together use a number of objects, each once.
func usedOnce(stream string, kind op.Kind, objects int) func(t *testing.T, s *sent) {
	return func(t *testing.T, s *sent) {
		t.Helper()
		seen := map[string]bool{}
		for _, o := range s.of(stream, kind) {
			if seen[o.Key] {
				t.Errorf("%s of %s: %s twice", kind, stream, o.Key)
			}
			seen[o.Key] = true
		}
		if len(seen) != objects {
			t.Errorf("%s of %s: %d objects, want %d", kind, stream, len(seen), objects)
		}
	}
}

// atMost checks that no client uses more objects.
func atMost(stream string, kind op.Kind, objects int) func(t *testing.T, s *sent) {
	return func(t *testing.T, s *sent) {
		t.Helper()
		for client, counts := range uses(s.of(stream, kind)) {
			if len(counts) > objects {
				t.Errorf("%s of %s by client %s: %d objects, want at most %d", kind, stream, client, len(counts), objects)
			}
		}
	}
}

// zipfTop returns the share of turns that the most used tenth of the objects has by Zipf's law.
func zipfTop(objects int, exponent float64) float64 {
	all, top := 0.0, 0.0
	for k := range objects {
		w := math.Pow(float64(k+1), -exponent)
		if all += w; k < objects/10 {
			top += w
		}
	}
	return top / all
}

// hottest checks the share of turns that the most used tenth of the objects has. Since they are found by their counts, it may be 15 %
// more.
func hottest(stream string, kind op.Kind, objects int, want float64) func(t *testing.T, s *sent) {
	return func(t *testing.T, s *sent) {
		t.Helper()
		for client, counts := range uses(s.firsts(stream, kind)) {
			sorted := slices.Sorted(maps.Values(counts))
			slices.Reverse(sorted)
			n, top := 0, 0
			for k, uses := range sorted {
				if n += uses; k < objects/10 {
					top += uses
				}
			}
			got, noise := float64(top)/float64(n), 4*math.Sqrt(want*(1-want)/float64(n))
			if got < want-noise || got > want+noise+0.15 {
				t.Errorf("%s of %s by client %s: a tenth of the objects has %.3f of %d turns, want about %.3f", kind, stream, client, got, n, want)
			}
		}
	}
}

// rate checks how many operations were due in each part of a schedule; until returns how many are due until a time after its beginning.
func rate(stream string, window time.Duration, poisson bool, until func(seconds float64) float64) func(t *testing.T, s *sent) {
	return func(t *testing.T, s *sent) {
		t.Helper()
		dues := s.dues(t, stream)
		last := dues[len(dues)-1]
		for from := time.Duration(0); from+window <= last; from += window {
			n := 0
			for _, d := range dues {
				if d >= from && d < from+window {
					n++
				}
			}
			want := until((from + window).Seconds()) - until(from.Seconds())
			off := 1.5 + float64(s.clients)
			if poisson {
				off += 5 * math.Sqrt(want)
			}
			if math.Abs(float64(n)-want) > off {
				t.Errorf("stream %s: %d operations are due from %v to %v, want %.1f (within %.1f)", stream, n, from, from+window, want, off)
			}
		}
	}
}

// dues returns when operations were due after the first one of their client, sorted. On a slow machine one client may begin later.
func (s *sent) dues(t *testing.T, stream string) (list []time.Duration) {
	t.Helper()
	first := map[string]time.Time{}
	for _, o := range s.of(stream) {
		if o.Due.IsZero() {
			t.Fatalf("stream %s: %s without a time at which it was due", stream, o.Kind)
		}
		if f, ok := first[o.Client]; !ok || o.Due.Before(f) {
			first[o.Client] = o.Due
		}
	}
	for _, o := range s.firsts(stream) {
		list = append(list, o.Due.Sub(first[o.Client]))
	}
	if list == nil {
		t.Fatalf("stream %s sent nothing", stream)
	}
	slices.Sort(list)
	return list
}

// bursts checks that operations are due in bursts of a size, at intervals.
func bursts(stream string, size int, every time.Duration) func(t *testing.T, s *sent) {
	return func(t *testing.T, s *sent) {
		t.Helper()
		for i, d := range s.dues(t, stream) {
			if want := time.Duration(i/size) * every; (d - want).Abs() > every/10 {
				t.Errorf("stream %s: operation %d is due after %v, want %v", stream, i, d, want)
			}
		}
	}
}

// paced checks that a thread begins its operations at least so long after each other. Between the beginning of a turn, from which the
// pause counts, and that of its operation a thread may stand still; so a thread that begins its n-th operation must have had the time for n-2 pauses.
func paced(stream string, kind op.Kind, every time.Duration) func(t *testing.T, s *sent) {
	return func(t *testing.T, s *sent) {
		t.Helper()
		list := s.of(stream, kind)
		first := slices.MinFunc(list, func(a, b op.Op) int { return a.Start.Compare(b.Start) }).Start
		count := map[string]int{}
		for _, o := range list {
			thread := fmt.Sprint(o.Client, " ", o.Thread)
			if count[thread]++; o.Start.Sub(first) < time.Duration(count[thread]-2)*every {
				t.Errorf("stream %s: thread %s begins %d operations within %v, want %v between them", stream, thread, count[thread], o.Start.Sub(first), every)
			}
		}
	}
}
