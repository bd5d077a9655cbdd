package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"

	"warp/internal/option"
	"warp/pkg/generator"
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

	threads []listing
}

// Flags binds the parameters.
func (l *List) Flags(fs *flag.FlagSet) {
	l.Prepared.Bind(fs, 10000, OrExisting)
	l.Existing.Bind(fs)
	fs.IntVar(&l.MaxKeys, "max-keys", 100, "`N` number of entries per page (1 to 1000)")
}

// Validate checks the parameters.
func (l *List) Validate(*Stream, generator.Spec) []error {
	errs := l.Prepared.Check()
	if l.MaxKeys < 1 || l.MaxKeys > s3.MaxEntries {
		errs = append(errs, option.Invalid("max-keys", l.MaxKeys, fmt.Sprintf("1 to %d", s3.MaxEntries)))
	}
	return errs
}

// Traits declares that objects are only read. Of existing ones it needs one: there must be something to list.
func (l *List) Traits() Traits {
	t := Traits{Kinds: []op.Kind{op.List}, Effect: Reads, Objects: l.Objects, Existing: l.ListExisting, Flat: l.ListFlat, Shares: true}
	if t.Existing {
		t.Objects = 1
	}
	return t
}

// Prepare sets up what the threads work with.
func (l *List) Prepare(_ *DataSet, threads int) error {
	l.threads = make([]listing, threads)
	return nil
}

// Do lists all pages of one prefix.
func (l *List) Do(ctx context.Context, w *Worker) error {
	expected, dir, prefix := uint64(0), 0, w.Set.Keys.Root()
	if !l.ListExisting {
		dir, expected = directory(w.Set, w.ID)
		prefix = w.Set.Keys.Dir(dir)
	}
	return w.Op(ctx, op.List, func(rec *op.Op) error {
		rec.Key = prefix
		seen, err := l.list(ctx, w, rec, dir)
		if err != nil {
			return err
		}
		wrong := ""
		if key := l.threads[w.ID].tally.again; key != "" {
			wrong = fmt.Sprintf("%q was listed twice", key)
		} else if !l.ListExisting && seen != expected {
			wrong = fmt.Sprintf("%d of the %d objects below %q were listed", seen, expected, prefix)
		}
		if wrong != "" {
			return &s3.Error{Class: "wrong listing", Status: w.Call.Status, Err: errListing, Message: wrong}
		}
		return nil
	})
}

var errListing = errors.New("a listing does not hold what was uploaded")

// list reads all pages of a listing and returns how many of the run's own objects in directory dir it held.
func (l *List) list(ctx context.Context, w *Worker, rec *op.Op, dir int) (seen uint64, err error) {
	t := &l.threads[w.ID].tally
	t.reset(w.Set)
	rec.Objects = 0
	page := &l.threads[w.ID].page
	page.Reset()
	page.Prefix, page.MaxKeys, page.Flat = rec.Key, l.MaxKeys, l.ListFlat
	for ; ; page.Token = page.Next {
		err := s3.List(ctx, w.S3, &w.Call, page)
		if rec.FirstByte.IsZero() {
			rec.FirstByte = w.Call.FirstByte
		}
		if err != nil {
			return seen, err
		}
		rec.Objects += len(page.Entries) - claimsAmong(w.Set, page.Entries)
		if l.ListExisting {
			seen += uint64(len(page.Entries))
		} else {
			t.add(w.Set, page.Entries, dir)
			seen = t.n
		}
		if page.Next == "" {
			return seen, nil
		}
		w.CountRequest()
	}
}

// directory returns the directory that a worker lists, and how many prepared objects it holds. Without thread prefixes there
// is one directory with all of them. Clients that share the objects begin at different ones.
func directory(s *DataSet, worker int) (dir int, objects uint64) {
	n, dirs := s.Len(), uint64(s.Keys.Dirs())
	d := (uint64(worker) + s.Part.Index) % min(n, dirs) // object d is the first in its directory; with fewer objects than threads some are empty
	return s.Keys.DirOf(d), (n - d + dirs - 1) / dirs
}

// claimsAmong counts the claims in a page of a listing. There are some only without thread prefixes.
func claimsAmong(s *DataSet, entries []s3.Entry) (n int) {
	if s.Keys.Dir(0) != s.Keys.Root() {
		return 0
	}
	for i := range entries {
		if strings.HasPrefix(entries[i].Key, s.Keys.Claims()) {
			n++
		}
	}
	return n
}

// listing is the state of one thread.
type listing struct {
	tally tally
	page  s3.Listing
}

// tally counts which prepared objects of a directory a listing has returned so far.
type tally struct {
	bits  []uint64 // one for each object of the directory
	n     uint64   // that are set
	last  string   // key listed last
	again string   // a key that was listed twice, or empty
}

func (t *tally) reset(s *DataSet) {
	words := int(s.Len()/uint64(s.Keys.Dirs())/64) + 1
	bits := t.bits
	if len(bits) != words {
		bits = make([]uint64, words)
	}
	clear(bits)
	*t = tally{bits: bits}
}

// add adds the entries of a page. A page may begin with the last key of the one before.
func (t *tally) add(s *DataSet, entries []s3.Entry, dir int) {
	for _, e := range entries {
		i, ours := s.Keys.Index(e.Key)
		if ours = ours && i < s.Len() && s.Keys.DirOf(i) == dir && e.Key != t.last; ours {
			place := i / uint64(s.Keys.Dirs())
			if word, bit := &t.bits[place/64], uint64(1)<<(place%64); *word&bit == 0 {
				*word |= bit
				t.n++
			} else {
				t.again = e.Key
			}
		}
		t.last = e.Key
	}
}
