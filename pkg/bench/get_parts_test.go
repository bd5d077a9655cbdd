package bench_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/op"
)

// inRanges is a job that downloads objects of a size in parts of 1 KiB.
func inRanges(s *oddStore, size int64, args ...string) job {
	return job{workload: "get", args: append([]string{"-part.size=1KiB", "-part.concurrent=3"}, args...), change: func(p *bench.Plan) {
		p.Target, p.Data.Sizes.Max, p.Phases[0].Concurrency = s.cfg, size, 2
	}}
}

// Each part is one request and one operation. The last one to end counts the object, which is recorded once more, from the start
// of its first part to the end of its last.
func TestGetInParts(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		for size, parts := range map[int64]int{0: 1, 700: 1, 1 << 10: 1, 1<<10 + 1: 2, 9<<10 + 100: 10} {
			t.Run(fmt.Sprint(size), func(t *testing.T) {
				s := oddly(t, engine, responder.Options{})
				m, _, err := inRanges(s, size, "-verify").run(context.Background(), t, s.Store)
				if err != nil || m.failed() != "" {
					t.Fatalf("%v, failed: %s", err, m.failed())
				}
				sums := byKind(m.benchmark())
				part, whole := sums[op.GetPart], sums[op.MultipartGet]
				if len(sums) != 2 || part.Status != whole.Status*parts || part.Bytes != whole.Bytes || part.Objects != whole.Objects ||
					whole.Objects != whole.Status || whole.Bytes != size*int64(whole.Status) || whole.Status == 0 {
					t.Errorf("parts %+v, objects %+v", part, whole)
				}
				if sent := s.server.Requests(op.Get) - 2; sent != uint64(part.Status) { // the others are the preflight's
					t.Errorf("%d requests were sent, %d are recorded", sent, part.Status)
				}
			})
		}
	})
}

// A part that fails, or holds what was not uploaded, makes its object fail with the same error.
func TestGetInPartsFails(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		s := oddly(t, engine, responder.Options{Rule: func(kind op.Kind, n uint64) responder.Fault {
			if kind == op.Get && n%50 == 13 {
				return responder.Fault{Status: http.StatusServiceUnavailable}
			}
			return responder.Fault{}
		}})
		m, _, err := inRanges(s, 9<<10+100).run(context.Background(), t, s.Store)
		if err != nil {
			t.Fatal(err)
		}
		failed, wholes := map[string]int{}, 0
		for _, o := range m.benchmark() {
			if o.Failed() && o.Kind == op.GetPart {
				failed[o.Err]++
			}
		}
		for _, o := range m.benchmark() {
			if o.Failed() && o.Kind.IsComposite() {
				wholes++
				if failed[o.Err] == 0 || o.Status != http.StatusServiceUnavailable {
					t.Errorf("object failed with status %d: %s", o.Status, o.Err)
				}
			}
		}
		if wholes == 0 || len(failed) < wholes {
			t.Errorf("%d parts and %d objects failed", len(failed), wholes)
		}
	})
}

// What a part holds is compared at its place in the object.
func TestGetInPartsVerifies(t *testing.T) {
	ownServer(t)
	front := func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.Header.Get("Range"), "bytes=2048-") {
				w = &spoiled{w}
			}
			h.ServeHTTP(w, r)
		})
	}
	s := behind(t, front)
	m, _, err := inRanges(s, 5000, "-verify").run(context.Background(), t, s.Store)
	if err != nil {
		t.Fatal(err)
	}
	sums := byKind(m.benchmark())
	if n := sums[op.MultipartGet]; n.Retries != n.Status || n.Status == 0 {
		t.Errorf("%d of %d objects failed", n.Retries, n.Status)
	}
	for _, o := range m.benchmark() {
		if o.Failed() && !strings.HasPrefix(o.Err, "wrong content: byte 2048 of ") {
			t.Fatalf("%s: %s", o.Kind, o.Err)
		}
	}
}

// spoiled changes the first byte of what is written.
type spoiled struct{ http.ResponseWriter }

func (s *spoiled) Write(p []byte) (int, error) {
	if len(p) > 0 {
		p = append([]byte{p[0] ^ 1}, p[1:]...)
	}
	return s.ResponseWriter.Write(p)
}

// An object whose parts a server delays takes as long as those that its lanes read one after the other.
func TestRulerGetInParts(t *testing.T) {
	eachLongRuler(t, func(t *testing.T, c setup) {
		const delay = 200 * time.Millisecond
		s := c.oddly(t, responder.Options{Record: true, Rule: func(kind op.Kind, n uint64) responder.Fault {
			return responder.Fault{Delay: map[op.Kind]time.Duration{op.Get: delay}[kind]}
		}})
		j := inRanges(s, 9<<10+100)
		change := j.change
		j.change = func(p *bench.Plan) { change(p); p.Phases[0].Duration = 2 * time.Second }
		m, _, err := j.run(context.Background(), t, s.Store)
		if err != nil || m.failed() != "" {
			t.Fatalf("%v, failed: %s", err, m.failed())
		}
		least := injections(s.server)[op.Get]
		for _, o := range m.benchmark() {
			want := least
			if o.Kind == op.MultipartGet {
				want = 4 * least // ten parts, three at a time
			}
			if o.Service() < want || o.FirstByte.Sub(o.Start) < least {
				t.Errorf("%s took %v, first byte after %v; the server took at least %v for each part", o.Kind, o.Service(), o.FirstByte.Sub(o.Start), least)
			}
		}
	})
}

func TestPartsOrRanges(t *testing.T) {
	s := oddly(t, "", responder.Options{})
	_, _, err := inRanges(s, 5000, "-range").run(context.Background(), t, s.Store)
	if err == nil || !strings.Contains(err.Error(), "--part.size: objects are downloaded either in parts or by --range") {
		t.Error(err)
	}
}
