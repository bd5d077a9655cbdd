package bench_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
)

// copied is a job that copies an object of a size in parts of 1 KiB, a number of times.
func copied(s *oddStore, size, copies int64, change func(*bench.Plan)) job {
	return job{workload: "copy", args: []string{"-objects=1", "-part.size=1KiB", "-part.concurrent=3"}, change: func(p *bench.Plan) {
		p.Target, p.Data.Sizes.Max, p.Phases[0].Concurrency = s.cfg, size, 2
		if size > 0 {
			p.Phases[0].Duration, p.Room = 0, (1+copies)*size
		}
		if change != nil {
			change(p)
		}
	}}
}

// Every request of a copy is recorded once, and the object once more, without bytes: none pass through the client. A copy holds
// what its source does.
func TestCopyInParts(t *testing.T) {
	const copies = 12
	eachEngine(t, func(t *testing.T, engine string) {
		for size, parts := range map[int64]int{700: 1, 1 << 10: 1, 1<<10 + 1: 2, 9<<10 + 100: 10} {
			t.Run(fmt.Sprint(size), func(t *testing.T) {
				s := oddly(t, engine, responder.Options{})
				m, _, err := copied(s, size, copies, func(p *bench.Plan) { p.KeepData = true }).run(context.Background(), t, s.Store)
				if err != nil || m.failed() != "" {
					t.Fatalf("%v, failed: %s", err, m.failed())
				}
				sums := byKind(m.benchmark())
				for kind, want := range map[op.Kind]op.Op{
					op.CreateUpload:   {Status: copies},
					op.CopyPart:       {Status: copies * parts},
					op.CompleteUpload: {Status: copies, Objects: copies},
					op.MultipartCopy:  {Status: copies, Objects: copies},
				} {
					if sums[kind] != want {
						t.Errorf("%s: %+v, want %+v", kind, sums[kind], want)
					}
					if sent := s.server.Requests(kind); !kind.IsComposite() && sent != uint64(want.Status)+1 { // one is the preflight's
						t.Errorf("%s: %d requests were sent, %d are recorded", kind, sent, want.Status)
					}
				}
				checkWholes(t, m.ops)
				source := contents(t, s, m.keys()[0])
				if len(s.left()) != 1+copies || len(source) != int(size) {
					t.Fatalf("%d objects are left, the first one of %d bytes", len(s.left()), len(source))
				}
				for _, key := range s.left() {
					if !bytes.Equal(contents(t, s, key), source) {
						t.Errorf("%q differs from its source", key)
					}
				}
			})
		}
	})
}

// A request that fails makes the copy fail, which is aborted at once.
func TestCopyInPartsFails(t *testing.T) {
	for _, kind := range []op.Kind{op.CreateUpload, op.CopyPart, op.CompleteUpload} {
		eachEngine(t, func(t *testing.T, engine string) {
			s := oddly(t, engine, responder.Options{Rule: func(k op.Kind, n uint64) responder.Fault {
				if k == kind && n%20 == 7 {
					return responder.Fault{Status: http.StatusInternalServerError}
				}
				return responder.Fault{}
			}})
			m, _, err := copied(s, 9<<10+100, 40, func(p *bench.Plan) { p.KeepData = true }).run(context.Background(), t, s.Store)
			if err != nil {
				t.Fatal(err)
			}
			sums := byKind(m.benchmark())
			whole := sums[op.MultipartCopy]
			if whole.Retries == 0 || whole.Objects == 0 || sums[op.AbortUpload].Retries > 0 || kind != op.CreateUpload && sums[op.AbortUpload].Status != whole.Retries {
				t.Errorf("%s: %d copies failed, %d were made, %d aborted", kind, whole.Retries, whole.Objects, sums[op.AbortUpload].Status)
			}
			if up := s.server.Uploads("bucket"); len(up) > 0 || len(s.left()) != 1+whole.Objects {
				t.Errorf("%s: unfinished uploads: %q; %d objects are left, want %d", kind, up, len(s.left()), 1+whole.Objects)
			}
		})
	}
}

// Nothing is left of copies that are cut.
func TestCopyInPartsIsCut(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := oddly(t, "", responder.Options{Rule: func(kind op.Kind, n uint64) responder.Fault {
		if kind == op.CopyPart && n == 30 {
			time.AfterFunc(10*time.Millisecond, cancel)
		}
		if kind == op.CopyPart && n >= 30 {
			return responder.Fault{Delay: time.Hour}
		}
		return responder.Fault{}
	}})
	m, r, err := copied(s, 9<<10+100, 100, nil).run(ctx, t, s.Store)
	if err != nil || !r.Interrupted {
		t.Errorf("%v, %+v", err, r)
	}
	// A thread may be between two copies when all is cut.
	cut := int(s.server.Requests(op.CreateUpload) - s.server.Requests(op.CompleteUpload))
	if whole := byKind(m.benchmark())[op.MultipartCopy]; cut < 1 || whole.Retries != cut {
		t.Errorf("%d copies were cut, the server has seen %d begin and not end", whole.Retries, cut)
	}
	if up := s.server.Uploads("bucket"); len(up) > 0 || len(s.left()) > 0 {
		t.Errorf("left: uploads %q, objects %q", up, s.left())
	}
}

// A server that copies the whole object instead of a range, or cannot copy parts, is found out before anything is measured, and
// nothing is left.
func TestCopyInPartsIgnored(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		for want, o := range map[string]responder.Options{
			"the server ignores x-amz-copy-source-range: it copied more or less than the 100B of part 10 of 10": {WholeForRange: true},
			"cannot copy objects within the bucket (501 NotImplemented": {Rule: func(kind op.Kind, _ uint64) responder.Fault {
				return responder.Fault{Status: map[op.Kind]int{op.CopyPart: http.StatusNotImplemented}[kind]}
			}},
		} {
			s := oddly(t, engine, o)
			m, _, err := copied(s, 9<<10+100, 10, nil).run(context.Background(), t, s.Store)
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") || len(m.benchmark()) > 0 {
				t.Errorf("%v, %d operations", err, len(m.benchmark()))
			}
			if up := s.server.Uploads("bucket"); len(up) > 0 || len(s.left()) > 0 {
				t.Errorf("left: uploads %q, objects %q", up, s.left())
			}
		}
	})
}

// A part that a server delays takes as long as that, and a copy as long as its requests one after the other.
func TestRulerCopyInParts(t *testing.T) {
	eachLongRuler(t, func(t *testing.T, c setup) {
		const delay = 100 * time.Millisecond
		if lack := connect.Dialect(&c.Config).Lacks(s3.CopiedParts); lack != "" {
			t.Skip("no " + lack)
		}
		ownServer(t)
		s := c.oddly(t, responder.Options{Record: true, Rule: func(kind op.Kind, _ uint64) responder.Fault {
			switch kind {
			case op.CreateUpload, op.CompleteUpload, op.CopyPart:
				return responder.Fault{Delay: delay}
			}
			return responder.Fault{}
		}})
		m, _, err := copied(s, 9<<10+100, 6, nil).run(context.Background(), t, s.Store)
		if err != nil || m.failed() != "" {
			t.Fatalf("%v, failed: %s", err, m.failed())
		}
		checkWholes(t, m.ops)
		by := injections(s.server)
		for _, o := range m.benchmark() {
			least := by[o.Kind]
			if o.Kind.IsComposite() { // ten parts, three at a time
				least = by[op.CreateUpload] + by[op.CompleteUpload] + 4*by[op.CopyPart]
			}
			if o.Service() < least {
				t.Errorf("%s took %v, the server at least %v", o.Kind, o.Service(), least)
			}
		}
	})
}
