package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"time"

	"warp/pkg/op"
	"warp/pkg/s3"
)

var listInfo = Info{
	Name:  "list",
	Usage: "benchmark listings of objects",
	Description: "Uploads --objects objects below one prefix for each thread, then lists them for --duration. One operation " +
		"is one complete listing of a prefix, page by page, and is checked against what was uploaded there.",
	Size:    "1KB",
	Example: "--objects=10000 --max-keys=1000",
	New:     func() Workload { return &List{} },
}

// List lists the objects below a prefix.
type List struct {
	Prepared
	Existing
	MaxKeys int `json:"max_keys"`
}

// maxPage is the most entries that S3 gives in one page.
const maxPage = 1000

// Flags binds the parameters.
func (l *List) Flags(fs *flag.FlagSet) {
	l.Prepared.flags(fs, 10000, orExisting)
	l.Existing.flags(fs)
	fs.IntVar(&l.MaxKeys, "max-keys", 100, "ask for this many `entries` in each page (1 to 1000)")
}

// Validate checks the parameters.
func (l *List) Validate(*Plan, *Phase) []error {
	errs := l.Prepared.validate()
	if l.MaxKeys < 1 || l.MaxKeys > maxPage {
		errs = append(errs, fmt.Errorf("max-keys: %d is out of range; S3 gives 1 to %d entries in a page", l.MaxKeys, maxPage))
	}
	return errs
}

// Shares tells that clients can work on one data set: all of them only read it.
func (*List) Shares() {}

// Prepare uploads the objects. With --list-existing it makes sure that there is something to list.
func (l *List) Prepare(ctx context.Context, set *DataSet) error {
	if !l.ListExisting {
		return set.Upload(ctx, l.Objects)
	}
	return set.Adopt(ctx, l.ListFlat, 1, whole)
}

// Do lists one prefix, to its end.
func (l *List) Do(ctx context.Context, w *Worker, rec *op.Op) error {
	rec.Kind, rec.Objects = op.List, 0
	expected, dir := uint64(0), 0
	if l.ListExisting {
		rec.Key = w.Set.keys.Root()
	} else {
		dir, expected = w.Set.share(w.ID)
		rec.Key = w.Set.keys.Dir(dir)
	}
	seen, err := l.list(ctx, w, rec, dir)
	if err != nil {
		return err
	}
	if !l.ListExisting && seen != expected {
		return &s3.Error{
			Class: "wrong listing", Status: w.Call.Status, Err: errListing,
			Message: fmt.Sprintf("%d of the %d objects below %q were listed", seen, expected, rec.Key),
		}
	}
	return nil
}

var errListing = errors.New("a listing does not hold what was uploaded")

// list reads all pages of a listing and returns how many of the run's own objects in directory dir it held.
func (l *List) list(ctx context.Context, w *Worker, rec *op.Op, dir int) (seen uint64, err error) {
	var first time.Time
	last := ""
	for token := ""; ; token = w.Call.Next {
		w.Call.Reset()
		w.Call.Prefix, w.Call.MaxKeys, w.Call.Flat, w.Call.Token = rec.Key, l.MaxKeys, l.ListFlat, token
		err := w.S3.List(ctx, &w.Call)
		if first.IsZero() {
			first = w.Call.FirstByte
		}
		rec.FirstByte = first
		if err != nil {
			return seen, err
		}
		rec.Objects += len(w.Call.Entries)
		if l.ListExisting {
			seen += uint64(len(w.Call.Entries))
		} else {
			seen += w.Set.count(w.Call.Entries, dir, &last)
		}
		if w.Call.Next == "" {
			return seen, nil
		}
	}
}

// share is the directory that a worker lists, and how many prepared objects lie in it. Without separate prefixes there
// is one directory with all of them. Clients that share the objects begin at different ones.
func (s *DataSet) share(worker int) (dir int, objects uint64) {
	dirs := uint64(s.keys.Dirs())
	if s.n < dirs {
		dirs = s.n // fewer objects than threads: only the first directories hold one
	}
	d := (uint64(worker) + s.part.Index) % dirs
	if s.keys.Dirs() == 1 {
		return 0, s.n
	}
	return int(d), (s.n - d + uint64(s.keys.Dirs()) - 1) / uint64(s.keys.Dirs())
}

// count counts the entries that are prepared objects in directory dir. An entry that is listed twice in a row counts once.
func (s *DataSet) count(entries []s3.Entry, dir int, last *string) (n uint64) {
	for _, e := range entries {
		if i, ours := s.keys.Index(e.Key); ours && i < s.n && s.keys.DirOf(i) == dir && e.Key != *last {
			n++
		}
		*last = e.Key
	}
	return n
}
