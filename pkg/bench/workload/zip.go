package workload

import (
	"context"
	"flag"
	"io"
	"strings"

	"warp/internal/option"
	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3/probe"
)

var zipInfo = work.Info{
	Name:  "zip",
	Usage: "download files out of a zip archive (MinIO)",
	Description: "Uploads a zip archive of --files files of --obj.size, then downloads files out of it. Unless " +
		"--access says otherwise, each file is read once before any is read twice. This is a MinIO extension.",
	Size:    "10KiB",
	Example: "--files=1000 --obj.size=64KiB",
	New:     func() work.Workload { return &Zip{} },
}

var zipShare = companion{
	workload: "zip",
	shares:   []companionShare{{"zip", "downloads of files out of a zip archive of --files of them (MinIO)"}},
	make: func(m *Mixed) work.Workload {
		z := defaults(&Zip{})
		z.Files, z.Verify = m.Files, m.Verify
		return z
	},
}

// Zip downloads files out of a zip archive.
type Zip struct {
	Picks
	Files  uint64 `json:"files"`
	Verify bool   `json:"verify,omitempty"`

	files *dataset.Access
}

// maxFiles is the maximum number of files in an archive; each takes some 150 bytes of memory during the upload.
const maxFiles = 10_000_000

// Flags binds the parameters.
func (z *Zip) Flags(fs *flag.FlagSet) {
	fs.Uint64Var(&z.Files, "files", 10_000, "`N` files in the archive")
	z.Picks.Bind(fs, "each file once, reshuffled")
	fs.BoolVar(&z.Verify, "verify", false, "compare every byte read with what was uploaded")
}

// Validate checks the parameters.
func (z *Zip) Validate(_ work.Load, data generator.Spec) (errs []error) {
	if z.Files < 1 || z.Files > maxFiles {
		errs = append(errs, option.Invalid("files", z.Files, "1 to 10000000"))
	}
	errs = append(errs, z.CheckWithin(z.Files, "files")...)
	if data.Keys != "" && !strings.HasSuffix(data.Keys, zipSuffix) {
		errs = append(errs, option.Invalid("keys", data.Keys, "a name that ends in "+zipSuffix+": servers read only in such archives"))
	}
	return errs
}

// Traits declares that one object is read.
func (z *Zip) Traits() work.Traits {
	return work.Traits{
		Effect:  work.Reads,
		Records: work.Records{Kinds: []op.Kind{op.Get}},
		Data:    work.Data{Objects: 1, Suffix: zipSuffix, Rewrites: true},
		Sends:   work.Sends{Demands: work.NewDemands(probe.Zip)},
		Sharing: work.Sharing{Shares: true, OneBucket: true},
	}
}

// zipSuffix is the end of archives' names: servers read only in archives with this suffix.
const zipSuffix = ".zip"

// Upload uploads the archive.
func (z *Zip) Upload(ctx context.Context, w *work.Worker, i uint64) error {
	return NewArchive(w.Set).PutFiles(ctx, w, i, z.Files)
}

// Contents returns the contents of archives.
func (z *Zip) Contents(l *dataset.Layout) (open work.OpenContents, sized bool) {
	return func(i uint64) (io.ReaderAt, int64, error) {
		a := NewArchive(&dataset.DataSet{Layout: l})
		err := a.Files(i, z.Files)
		return a, a.Size(), err
	}, true
}

// EstimateUpload returns the cost of the upload of the archive.
func (z *Zip) EstimateUpload(t work.Turns) (c work.Cost) {
	c.Objects = t.Count
	t.Count *= z.Files
	c.Sent = zipSize(t)
	c.Stored = c.Sent
	c.PutEach(c.Objects, c.Sent/int64(max(1, c.Objects)), t.PartSize)
	return c
}

// Estimate returns the cost of downloads of files.
func (z *Zip) Estimate(t work.Turns) (c work.Cost) {
	c.Download(op.Get, t)
	return c
}

// Prepare sets up the order of files.
func (z *Zip) Prepare(set *dataset.DataSet, _ int) error {
	z.files = set.ForItems(z.Files, z.Access)
	return nil
}

// Do downloads one file.
func (z *Zip) Do(ctx context.Context, w *work.Worker) error {
	return GetFile(ctx, w, w.Set.At(0), z.files.Index(w.Turn.N), z.Verify)
}

// zipSize estimates the size of an archive with one file for each turn: each file has two headers with its name.
func zipSize(t work.Turns) int64 {
	const headers, end = 30 + 46, 22
	return t.Size() + int64(t.Count)*int64(headers+2*len(FileName(t.Count))) + end
}
