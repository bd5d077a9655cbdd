package bench_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"warp/pkg/bench"
	"warp/pkg/bench/work"
	"warp/pkg/load"
	"warp/pkg/observe"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/ops"
)

// memory is a sink that keeps every operation: fit for tests only.
type memory struct {
	ops    []op.Op
	enough int    // operations of the benchmark after which full is called; 0: any number
	full   func() // may be called more than once
}

func (m *memory) Write(ops []op.Op) error {
	m.ops = append(m.ops, ops...)
	if m.enough > 0 && len(m.measured()) >= m.enough {
		m.full()
	}
	return nil
}

func (m *memory) Close() error { return nil }

// measured gives the operations of the benchmark itself. Buffers come in any order.
func (m *memory) measured() (ops []op.Op) {
	for _, o := range m.ops {
		if o.Phase != op.PhasePrepare {
			ops = append(ops, o)
		}
	}
	return ops
}

// benchmark gives the operations of the benchmark itself as they ended, wholes after their parts.
func (m *memory) benchmark() []op.Op {
	return slices.SortedStableFunc(slices.Values(m.measured()), func(a, b op.Op) int {
		return cmp.Or(a.End.Compare(b.End), b.Start.Compare(a.Start), strings.Compare(string(a.Kind), string(b.Kind)))
	})
}

func (m *memory) keys() (keys []string) {
	for _, o := range m.ops {
		if o.Kind == op.Put {
			keys = append(keys, o.Key)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// failed counts the operations that failed, by kind and class.
func (m *memory) failed() string {
	classes := map[string]int{}
	for _, o := range m.ops {
		if o.Err != "" {
			classes[string(o.Kind)+": "+o.Err]++
		}
	}
	var texts []string
	for c, n := range classes {
		texts = append(texts, fmt.Sprintf("%d x %s", n, c))
	}
	slices.Sort(texts)
	return strings.Join(texts, "; ")
}

var buckets atomic.Int64

// newBucket is a name for a bucket that is not there yet.
func newBucket() string {
	return fmt.Sprintf("warp-test-%x-%d", time.Now().UnixNano()&0xffffffffff, buckets.Add(1))
}

func open(t testing.TB, bucket string) s3.Store {
	t.Helper()
	return openWith(t, bucket, nil)
}

// openWith is open with options of the target.
func openWith(t testing.TB, bucket string, options func(*s3.Config)) s3.Store {
	t.Helper()
	store, err := tryOpen(t, bucket, options)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// tryOpen is openWith for options that a kind of store may not have.
func tryOpen(t testing.TB, bucket string, options func(*s3.Config)) (s3.Store, error) {
	cfg := target
	cfg.Bucket, cfg.Concurrency = bucket, 8
	if options != nil {
		options(&cfg)
	}
	store, err := connect.New(cfg)
	if err == nil {
		t.Cleanup(store.Close)
	}
	return store, err
}

// small are flags that make a workload quick. Every workload has an entry.
var small = map[string][]string{
	"get":           {"-objects=40"},
	"put":           nil,
	"multipart":     {"-part.size=5MiB"},
	"multipart-put": {"-part.concurrent=2"},
	"delete":        {"-objects=160", "-batch=10"},
	"list":          {"-objects=40", "-max-keys=7"},
	"stat":          {"-objects=40"},
	"mixed":         {"-objects=40"},
	"versioned":     {"-objects=160"},
	"retention":     {"-objects=10", "-versions=4"},
	"legal-hold":    {"-objects=10", "-versions=4"},
	"contend":       {"-keys=40", "-contend-pause=1ms"},
	"tag":           {"-objects=40"},
	"attributes":    {"-objects=40"},
	"acl":           {"-objects=40"},
	"select":        {"-objects=40"},
	"head-bucket":   nil,
	"create-bucket": {"-extra-buckets=900"},
	"delete-bucket": {"-extra-buckets=150"},
	"copy":          {"-objects=40"},
	"append":        {"-parts=3"},
	"rename":        {"-objects=40"},
	"snowball":      {"-objs.per=5"},
	"zip":           {"-files=40"},
	"fanout":        {"-copies=3"},
	"overwrite":     nil,
	"external":      {"-objects=40"},
}

// job is a run to be made.
type job struct {
	workload string
	args     []string
	change   func(*bench.Plan)
	share    load.Share
	observe  bench.Observer
	sinks    []op.Sink        // in addition to the memory
	options  func(*s3.Config) // of the target; see openWith
	kind     op.Kind          // that all operations must be of; empty: any
	limited  func(from, to time.Time, shares []observe.Share) string
	place    string // of its recording
	ops      int    // interrupted after this number of operations of each client; 0: not

	made *bench.Plan // by other means; nil: plan makes it
}

// plan makes the plan of a job: 4 threads, 4 KiB, 50 operations of each client if the job states no other limit.
func (j job) plan(t testing.TB, store s3.Store) *bench.Plan {
	t.Helper()
	if j.made != nil {
		return j.made
	}
	info, ok := work.Lookup(j.workload)
	if !ok {
		t.Fatalf("no workload %q", j.workload)
	}
	args, ok := small[j.workload]
	if !ok {
		t.Fatalf("workload %q has no entry in small", j.workload)
	}
	w := info.New()
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	w.Flags(fs)
	if err := fs.Parse(append(slices.Clone(args), j.args...)); err != nil {
		t.Fatal(err)
	}
	ph, err := bench.NewPhase(j.workload, w)
	if err != nil {
		t.Fatal(err)
	}
	ph.Concurrency = 4
	p := &bench.Plan{Seed: 42, Target: target, Phases: []bench.Phase{ph}}
	p.Target.Bucket = store.Config().Bucket
	p.Data.Generator, p.Data.Sizes.Max = "random", 4096
	if j.change != nil {
		j.change(p)
	}
	if j.ops > 0 {
		p.Phases[0].Duration = time.Hour
	}
	if s := &p.Phases[0].Stream; s.Duration == 0 && s.Ops == 0 && s.Bytes == 0 && s.Passes == 0 && p.Phases[0].Search == nil {
		s.Ops = 50 * max(1, j.share.Total)
	}
	return p
}

func (j job) run(ctx context.Context, t testing.TB, store s3.Store) (*memory, *bench.Result, error) {
	t.Helper()
	m := &memory{}
	if j.share.Total == 0 {
		j.share.Total = 1
	}
	plan := j.plan(t, store)
	ctx, done := j.until(ctx, m)
	defer done()
	r, err := bench.Perform(ctx, plan, bench.Env{
		Store: store, Client: "test", Recording: j.place, Sinks: append([]op.Sink{m}, j.sinks...), Observer: j.observe, Limited: j.limited, Group: alone{j.share},
	})
	return m, r, err
}

// until returns a context that is canceled when m has the operations of the job, if it states their number.
func (j job) until(ctx context.Context, m *memory) (context.Context, context.CancelFunc) {
	if j.ops > 0 {
		ctx, m.full = context.WithCancel(ctx)
		m.enough = j.ops
		return ctx, m.full
	}
	return ctx, func() {}
}

// alone is a client of several, whose fellows do not exist.
type alone struct{ share load.Share }

func (a alone) Share() load.Share { return a.share }

func (alone) Once(ctx context.Context, _ string, make func(context.Context) ([]byte, error)) ([]byte, error) {
	return make(ctx)
}

func (alone) Barrier(_ context.Context, _ string, mine error) (time.Time, error) {
	return time.Time{}, mine
}

// listing is what is in a bucket: size by key.
func listing(t testing.TB, store s3.Store) map[string]int64 {
	t.Helper()
	all := map[string]int64{}
	sess := store.Session(0)
	var c s3.Call
	for l := (ops.Listing{}); ; l.Token = l.Next {
		if err := ops.List(context.Background(), sess, &c, &l); err != nil {
			t.Fatalf("list bucket: %v", err)
		}
		for _, e := range l.Entries {
			all[e.Key] = e.Size
		}
		if l.Next == "" {
			return all
		}
	}
}

// watch is an Observer that calls a function for each stage.
type watch struct{ stage func(bench.Stage) }

func (w watch) Stage(s bench.Stage) {
	if w.stage != nil {
		w.stage(s)
	}
}
func (watch) Notice(string) {}
