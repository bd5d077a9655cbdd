package bench_test

import (
	"context"
	"flag"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/bench/work"
	"warp/pkg/bench/workload"
	"warp/pkg/op"
	"warp/pkg/s3/preflight"
)

func init() {
	mix := func(shares, objects string, change func(p *bench.Plan)) {
		args := []string{"-objects=" + objects, "-part.size=5MiB", "-part.concurrent=2", "-objs.per=3", "-files=10", "-copies=3", "-verify"}
		for name := range strings.FieldsSeq(shares) {
			args = append(args, "-"+name+"-distrib=100")
		}
		rows = append(rows, row{"mixed --" + strings.Join(strings.Fields(shares), "-distrib --") + "-distrib", job{workload: "mixed", args: args, change: func(p *bench.Plan) {
			p.Phases[0].Ops = 24
			if change != nil {
				change(p)
			}
		}}})
	}
	mix("list head-bucket presign-get copy", "10", nil)
	mix("tag-get tag-put tag-delete", "10", nil)
	mix("attributes", "10", nil)
	mix("acl", "10", nil)
	mix("multipart-put multipart-get multipart-copy", "2", func(p *bench.Plan) { inParts(p); p.Phases[0].Ops = 8 })
	mix("multipart", "2", func(p *bench.Plan) { inParts(p); p.Phases[0].Ops = 8 })
	mix("post presign-put", "10", nil)
	mix("append", "10", nil)
	mix("contend", "10", func(p *bench.Plan) { p.Phases[0].Concurrency = 1 }) // how a server treats writers at once is the row of contend itself
	mix("snowball", "10", nil)
	mix("zip", "10", nil)
	mix("fanout", "10", nil)
	mix("rename", "10", nil)
	mix("select", "10", nil)
	mix("versioned", "10", nil)
	mix("retention-put retention-get legal-hold-put legal-hold-get", "10", nil)
}

// allShares are flags that give a share to all that a mix can have, but for those whose names begin so.
func allShares(without ...string) (args []string) {
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	(&workload.Mixed{}).Flags(fs)
	fs.VisitAll(func(f *flag.Flag) {
		name, ok := strings.CutSuffix(f.Name, "-distrib")
		if ok && !slices.ContainsFunc(without, func(w string) bool { return strings.HasPrefix(name, w) }) {
			args = append(args, "-"+f.Name+"=10")
		}
	})
	return append(args, "-objects=20", "-part.size=1KiB", "-part.concurrent=2", "-objs.per=3", "-files=10", "-copies=3", "-verify")
}

// countKinds counts operations by kind, labels included.
func countKinds(ops []op.Op) map[op.Kind]int {
	n := map[op.Kind]int{}
	for _, o := range ops {
		n[o.Kind]++
	}
	return n
}

// A mix of all operations has each of them, by kinds or labels of their own, and leaves nothing.
func TestMixedOfAllOperations(t *testing.T) {
	want := []op.Kind{
		"ACL", "APPEND", "ATTRIBUTES", "COMPLETEUPLOAD", "COPY", "COPYPART", "CREATEUPLOAD", "DELETE", "DELETETAGS", "GET", "GET:CONTEND", "GET:MULTIPART",
		"GET:PRESIGN", "GET:ZIP", "GETPART", "GETTAGS", "HEADBUCKET", "LIST", "MULTIPARTCOPY", "MULTIPARTGET", "MULTIPARTPUT", "POST:FANOUT", "POST:POST",
		"PUT", "PUT:CONTEND", "PUT:PRESIGN-PUT", "PUT:SNOWBALL", "PUTPART", "PUTTAGS", "RENAME", "SELECT", "STAT",
	}
	eachEngine(t, func(t *testing.T, engine string) {
		s := oddly(t, engine, responder.Options{})
		m, _, err := job{workload: "mixed", ops: 1000, args: allShares("retention", "legal-hold", "versioned"), change: func(p *bench.Plan) { p.Target = s.cfg }}.run(context.Background(), t, s)
		if err != nil || m.failed() != "" {
			t.Fatalf("%v; failed: %s", err, m.failed())
		}
		got := countKinds(m.benchmark())
		maps.DeleteFunc(got, func(k op.Kind, _ int) bool { return k == "PUT_412:CONTEND" || k == "PUT_409:CONTEND" })
		if kinds := slices.Sorted(maps.Keys(got)); !slices.Equal(kinds, want) {
			t.Errorf("got %v, want %v", kinds, want)
		}
		if left, up := s.left(), s.server.Uploads("bucket"); len(left)+len(up) > 0 {
			t.Errorf("left: %q, uploads %q", left, up)
		}
	})
}

// With a template of keys, objects of companions lie below their names.
func TestCompanionsWithKeys(t *testing.T) {
	t.Parallel()
	s := oddly(t, "", responder.Options{})
	m, _, err := job{workload: "mixed", ops: 1000, args: allShares("retention", "legal-hold", "versioned"), change: func(p *bench.Plan) {
		p.Target, p.Data.Prefix, p.Data.Keys = s.cfg, "data", "{i:06}.bin"
	}}.run(context.Background(), t, s)
	if err != nil || m.failed() != "" {
		t.Fatalf("%v; failed: %s", err, m.failed())
	}
	below := map[string]bool{}
	for _, o := range m.benchmark() {
		if dir, _, ok := strings.Cut(strings.TrimPrefix(o.Key, "data/"), "/"); ok {
			below[dir] = true
		}
	}
	if got, want := slices.Sorted(maps.Keys(below)), []string{"append", "contend", "fanout", "multipart", "post", "presign-put", "rename", "select", "snowball", "zip"}; !slices.Equal(got, want) {
		t.Errorf("below data/: %q, want %q", got, want)
	}
	if left, up := s.left(), s.server.Uploads("bucket"); len(left)+len(up) > 0 {
		t.Errorf("left: %q, uploads %q", left, up)
	}
}

// Versions and locks belong to separate objects of the mix.
func TestMixedOfVersionsAndLocks(t *testing.T) {
	t.Parallel()
	for _, row := range []string{"versioned", "retention", "legal-hold"} {
		needsRow(t, row)
	}
	store := versionedStore(t, preflight.Lock)
	before := versionsIn(t, store)
	m, _, err := job{workload: "mixed", ops: 500, args: []string{
		"-objects=20", "-versioned-distrib=20", "-retention-put-distrib=10", "-retention-get-distrib=10", "-legal-hold-put-distrib=10", "-legal-hold-get-distrib=10",
	}}.run(context.Background(), t, store)
	if err != nil || m.failed() != "" {
		t.Fatalf("%v; failed: %s", err, m.failed())
	}
	got := countKinds(m.benchmark())
	for _, k := range []op.Kind{"GET", "STAT", "PUT", "DELETE", "GET:VERSIONED", "DELETE:VERSIONED", op.Retention, op.GetRetention, op.LegalHold, op.GetLegalHold} {
		if got[k] == 0 {
			t.Errorf("there is no %s among %v", k, got)
		}
	}
	if after := versionsIn(t, store); !slices.Equal(before, after) {
		t.Errorf("left %q, want %q", after, before)
	}
}

// Shares are parts of the sum of all, of the mix or of companions; without companions the sequence of operations stays what it is.
func TestSharesOfCompanions(t *testing.T) {
	t.Parallel()
	s := oddly(t, "", responder.Options{})
	m, _, err := job{workload: "mixed", args: []string{"-objects=20", "-append-distrib=60", "-post-distrib=40"}, change: func(p *bench.Plan) {
		p.Target, p.Phases[0].Ops, p.Phases[0].Duration = s.cfg, 2000, time.Hour
	}}.run(context.Background(), t, s)
	if err != nil || m.failed() != "" {
		t.Fatalf("%v; failed: %s", err, m.failed())
	}
	want := map[op.Kind]int{op.Append: 600, op.Post: 400, op.Get: 450, op.Stat: 300, op.Put: 150, op.Delete: 100}
	if got := countKinds(m.benchmark()); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Each workload of the registry has a share of a mix, but those about other buckets than the one of its objects.
func TestEachWorkloadHasAShare(t *testing.T) {
	names := map[string]string{"multipart-put": "multipart-put", "retention": "retention-put", "legal-hold": "legal-hold-put", "tag": "tag-put"}
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	(&workload.Mixed{}).Flags(fs)
	for _, info := range work.Registry() {
		name := names[info.Name]
		if name == "" {
			name = info.Name
		}
		if info.Name != "mixed" && !strings.HasSuffix(info.Name, "te-bucket") && info.Usage != "" && fs.Lookup(name+"-distrib") == nil {
			t.Errorf("there is no --%s-distrib", name)
		}
	}
}

func TestMixedRefusals(t *testing.T) {
	aboutS3(t)
	store := open(t, newBucket())
	for args, want := range map[string]string{
		"-get-distrib=0 -stat-distrib=0 -put-distrib=0 -delete-distrib=0 -append-distrib=1": "nothing to do with the objects",
		"-part.size=0":                                   "--part.size: invalid value 0 (want 1 byte to 5GiB)",
		"-append-distrib=0.00001":                        "less than 0.001% of the turns",
		"-fanout-distrib=1 -copies=0":                    "--copies: invalid value 0",
		"-multipart-distrib=1 -part.size=6GiB":           "--part.size: invalid value",
		"-multipart-get-distrib=1 -part.concurrent=9999": "--part.concurrent",
	} {
		_, err := bench.Compile(job{workload: "mixed", args: strings.Fields(args)}.plan(t, store))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}
