package bench_test

import (
	"context"
	"strings"
	"testing"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/op"
)

// readByPart is a job that reads the parts of an object of ten parts, the last one smaller.
func readByPart(s *oddStore) job {
	return job{workload: "multipart", args: []string{"-part.size=1KiB", "-verify"}, change: func(p *bench.Plan) {
		p.Target, p.Data.Sizes.Max, p.RunID = s.cfg, 9<<10+100, "run"
	}}
}

// One object is uploaded in parts, by one of the clients. All of them read its parts, each once before any is read twice.
// works: MinIO warp: `multipart`: each client uploads parts of it
func TestMultipart(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		s := oddly(t, engine, responder.Options{})
		j := readByPart(s)
		j.ops = 40
		change := j.change
		j.change = func(p *bench.Plan) { change(p); p.Phases[0].Concurrency = 1 }
		uploaded := 0
		for i, c := range newCompany(3).runAll(t, j, s, nil) {
			if c.err != nil || c.failed() != "" {
				t.Fatalf("client %d: %v, failed: %s", i, c.err, c.failed())
			}
			sums := byKind(c.benchmark())
			if len(sums) != 1 || sums[op.Get].Objects != sums[op.Get].Status {
				t.Errorf("client %d: %+v", i, sums)
			}
			prepared := byKind(c.ops)
			uploaded += prepared[op.MultipartPut].Objects
			if prepared[op.PutPart].Status != 10*prepared[op.MultipartPut].Objects || prepared[op.Put].Status > 0 {
				t.Errorf("client %d prepared %+v", i, prepared)
			}
			for from := 0; from+10 <= len(c.benchmark()); from += 10 { // a pass
				last := 0
				for _, o := range c.benchmark()[from : from+10] {
					if o.Bytes == 100 {
						last++
					}
				}
				if last != 1 {
					t.Fatalf("client %d read the last part %d times in a pass", i, last)
				}
			}
		}
		if uploaded != 1 {
			t.Errorf("%d objects were uploaded", uploaded)
		}
		if left, up := s.left(), s.server.Uploads("bucket"); len(left) > 0 || len(up) > 0 {
			t.Errorf("left: %q, uploads %q", left, up)
		}
	})
}

// A server that ignores part numbers is found out before anything is measured.
func TestMultipartIgnored(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		s := oddly(t, engine, responder.Options{WholeForPart: true})
		m, _, err := readByPart(s).run(context.Background(), t, s.Store)
		want := "the server ignores partNumber: of part 10 it sent more than the 100B of that part"
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") || len(m.benchmark()) > 0 {
			t.Errorf("%v, %d operations", err, len(m.benchmark()))
		}
		if left := s.left(); len(left) > 0 {
			t.Errorf("left: %q", left)
		}
	})
}

// A request of the upload that fails is tried three times, and the whole upload too; nothing of a failed try is left.
func TestMultipartPreparationFails(t *testing.T) {
	for fails, ok := range map[uint64]bool{1: true, 9: false} {
		s := oddly(t, "", responder.Options{Rule: func(kind op.Kind, n uint64) responder.Fault {
			if kind == op.CompleteUpload && n > 0 && n <= fails { // the first one is the preflight's
				return responder.Fault{Status: 503}
			}
			return responder.Fault{}
		}})
		_, _, err := readByPart(s).run(context.Background(), t, s.Store)
		if (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "preparation: COMPLETEUPLOAD of object 1 of 1: http://"+s.cfg.Hosts[0]+": cannot upload objects in parts (503") {
			t.Errorf("%d failures: %v", fails, err)
		}
		if left, up := s.left(), s.server.Uploads("bucket"); len(left) > 0 || len(up) > 0 {
			t.Errorf("left: %q, uploads %q", left, up)
		}
	}
}
