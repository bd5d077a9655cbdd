package bench_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
)

// TestNotAsSet: what a server states of tags, locks and legal holds must be what was set last. Each document is wrong in one of ten responses,
// and whether that counts is known from the operations of one thread.
func TestNotAsSet(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		workload string
		args     []string
		get, put op.Kind
		remove   op.Kind
		set      bool // before the benchmark
		want     string
	}{
		{"tag", []string{"-get-distrib=50", "-put-distrib=40", "-delete-distrib=10"}, op.GetTags, op.PutTags, op.DeleteTags, false, `bad answer: the response states 0 tags, first ""=""; what was set is "turn"=`},
		{"retention", []string{"-put-distrib=50", "-get-distrib=50"}, op.GetRetention, op.Retention, "", true, "bad answer: the response states GOVERNANCE until 0001-01-01T00:00:00Z, what was set is GOVERNANCE until 2"},
		{"legal-hold", []string{"-put-distrib=0"}, op.GetLegalHold, op.LegalHold, "", true, "bad answer: the response states no legal hold, what was set is a legal hold"},
	} {
		t.Run(tc.workload, func(t *testing.T) {
			t.Parallel()
			eachEngine(t, func(t *testing.T, engine string) {
				wrong := func(kind op.Kind, n uint64) responder.Fault {
					return responder.Fault{Misstate: kind == tc.get && n%10 == 9}
				}
				m, r := onResponder(t, engine, responder.Options{Keep: true, Rule: wrong}, job{workload: tc.workload, args: tc.args, change: func(p *bench.Plan) {
					p.Phases[0].Concurrency, p.Phases[0].Ops = 1, 400
				}})
				known, reads := map[string]bool{}, r.Requests(tc.get)-uint64(count(m, tc.get))
				slices.SortStableFunc(m.ops, func(a, b op.Op) int { return a.Start.Compare(b.Start) }) // buffers may come in another order
				for _, o := range m.ops {
					switch o.Kind {
					case tc.put:
						known[o.Key] = true
					case tc.remove:
						known[o.Key] = false
					case tc.get:
						bad := reads%10 == 9 && (known[o.Key] || tc.set)
						if reads++; o.Failed() != bad || bad && !strings.HasPrefix(o.Err, tc.want) {
							t.Errorf("read %d of %q: %q, want %v", reads, o.Key, o.Err, bad)
						}
					default:
						if o.Failed() {
							t.Errorf("%s: %s", o.Kind, o.Err)
						}
					}
				}
				if !strings.Contains(m.failed(), tc.want) {
					t.Errorf("failed: %q", m.failed())
				}
			})
		})
	}
}

// count counts operations of a kind.
func count(m *memory, kind op.Kind) (n int) {
	for _, o := range m.ops {
		if o.Kind == kind {
			n++
		}
	}
	return n
}

// onResponder makes a run of a job on a responder of its own, in a bucket that the run makes.
func onResponder(t *testing.T, engine string, options responder.Options, j job) (*memory, *responder.Server) {
	t.Helper()
	m, r, _, err := tryOnResponder(t, engine, options, j)
	if err != nil {
		t.Fatal(err)
	}
	return m, r
}

// tryOnResponder is onResponder of a run that may fail.
func tryOnResponder(t *testing.T, engine string, options responder.Options, j job) (*memory, *responder.Server, *bench.Result, error) {
	t.Helper()
	ownServer(t)
	r, err := responder.New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	cfg := s3.Config{Hosts: []string{r.Host()}, AccessKey: "a", SecretKey: "s", Bucket: "own", Concurrency: 8, Engine: engine}
	store, err := connect.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	change := j.change
	j.change = func(p *bench.Plan) {
		if p.Target = cfg; change != nil {
			change(p)
		}
	}
	m, res, err := j.run(context.Background(), t, store)
	return m, r, res, err
}
