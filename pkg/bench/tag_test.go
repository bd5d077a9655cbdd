package bench_test

import (
	"context"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"

	"warp/pkg/bench"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
)

// tag proves that a workload can be added with one file, from another package, even if its requests are new: it needs only
// what bench and s3 export. The common suite takes it like all others.
type tag struct {
	bench.Prepared
	bench.Existing
	GetShare bench.Share `json:"get_share"`
	PutShare bench.Share `json:"put_share"`

	kinds bench.Proportions
}

const (
	getTags op.Kind = "GETTAGS"
	putTags op.Kind = "PUTTAGS"
)

func init() {
	if os.Getenv("WARP_TEST_SERVER") == "s3proxy" {
		return // which has no tags (501 NotImplemented)
	}
	bench.Add(bench.Info{Name: "tag", Size: "1KiB", New: func() bench.Workload { return &tag{} }})
}

func (g *tag) Flags(fs *flag.FlagSet) {
	g.Prepared.Bind(fs, 1000, bench.OrExisting)
	g.Existing.Bind(fs)
	g.GetShare, g.PutShare = 60, 40
	fs.Var(&g.GetShare, "get-share", "`SHARE` share of requests for tags")
	fs.Var(&g.PutShare, "put-share", "`SHARE` share of requests that replace tags")
}

func (g *tag) Validate(*bench.Stream, generator.Spec) []error { return g.Prepared.Check() }

func (g *tag) Traits() bench.Traits {
	t := bench.Traits{Effect: bench.Reads, Objects: g.Objects, Existing: g.ListExisting, Flat: g.ListFlat, Shares: true}
	if g.GetShare > 0 {
		t.Kinds = append(t.Kinds, getTags)
	}
	if g.PutShare > 0 {
		t.Kinds, t.Effect = append(t.Kinds, putTags), bench.Changes
	}
	return t
}

func (g *tag) Prepare(set *bench.DataSet, _ int) error {
	g.kinds = bench.NewProportions(set.Seed(bench.StreamKind), g.GetShare, g.PutShare)
	return nil
}

func (g *tag) Do(ctx context.Context, w *bench.Worker) error {
	o := w.Set.Pick(w.Turn.N)
	kind, method := getTags, http.MethodGet
	if g.kinds.At(w.Turn.N) == 1 {
		kind, method = putTags, http.MethodPut
	}
	return w.Op(ctx, kind, func(rec *op.Op) error {
		c := w.Object(o, rec)
		c.Begin(method, s3.NoAccess)
		c.Query = append(c.Query, s3.Param{Name: "tagging"})
		if kind == putTags {
			c.SetDocument(fmt.Appendf(nil, "<Tagging><TagSet><Tag><Key>turn</Key><Value>%d</Value></Tag></TagSet></Tagging>", w.Turn.N))
		} else {
			c.Parse = func(r io.Reader) error {
				return xml.NewDecoder(r).Decode(&struct {
					XMLName xml.Name `xml:"Tagging"`
				}{})
			}
		}
		return w.S3.Do(ctx, c)
	})
}
