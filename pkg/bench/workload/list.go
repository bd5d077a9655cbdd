package workload

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"warp/internal/option"
	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/probe"
)

var listInfo = work.Info{
	Name:  "list",
	Usage: "list objects",
	Description: "Uploads --objects objects below one prefix for each thread, then lists them. One operation is one " +
		"complete listing of a prefix, page by page, and is checked against what was uploaded there. With --versions all versions of " +
		"the objects are listed.",
	Size:    "1KB",
	Example: "--objects=10000 --max-keys=1000",
	New:     func() work.Workload { return &List{} },
}

// List lists the objects below a prefix.
type List struct {
	work.Prepared
	VersionParams
	work.Existing
	Picks
	MaxKeys    int    `json:"max_keys"`
	StartAfter bool   `json:"start_after,omitempty"`
	Delimiter  string `json:"delimiter,omitempty"`
	Version    int    `json:"list_version"` // of the request
	Metadata   bool   `json:"metadata,omitempty"`
	Page       bool   `json:"page,omitempty"`
	FetchOwner bool   `json:"fetch_owner,omitempty"`

	threads []listing
}

// dot is the delimiter that follows the number in each key of a run, so that each object is rolled up by itself.
const dot = "."

// Flags binds the parameters.
func (l *List) Flags(fs *flag.FlagSet) {
	l.Prepared.Bind(fs, 10000, work.OrExisting)
	l.VersionParams.Bind(fs, 1, "list")
	l.Existing.Bind(fs)
	l.Picks.Bind(fs, "each thread its own prefix")
	fs.IntVar(&l.MaxKeys, "max-keys", 100, "`N` entries per page (1 to 1000)")
	fs.BoolVar(&l.StartAfter, "start-after", false, "begin each listing after a random object of its prefix")
	fs.StringVar(&l.Delimiter, "delimiter", "",
		"`TEXT` group keys into common prefixes at this delimiter, as in /")
	fs.IntVar(&l.Version, "list-version", 2, "`NUMBER` version of the request: 2 (ListObjectsV2) or 1 (ListObjects)")
	fs.BoolVar(&l.Page, "page", false,
		"count each page as an operation")
	fs.BoolVar(&l.Metadata, "metadata", false, "list the metadata of objects too (MinIO extension)")
	fs.BoolVar(&l.FetchOwner, "fetch-owner", false, "list the owner of each object too")
}

// Validate checks the parameters.
func (l *List) Validate(_ work.Load, data generator.Spec) []error {
	errs := append(l.Prepared.CheckExisting(l.ListExisting), l.VersionParams.Check(l.Objects)...)
	if l.MaxKeys < 1 || l.MaxKeys > ops.MaxEntries {
		errs = append(errs, option.Invalid("max-keys", l.MaxKeys, fmt.Sprintf("1 to %d", ops.MaxEntries)))
	}
	if !slices.Contains([]string{"", "/", dot}, l.Delimiter) && !l.ListExisting {
		errs = append(errs, option.Invalid("delimiter", l.Delimiter, `"/" or "."; with --list-existing any`))
	}
	if l.Delimiter != "" && l.ListFlat {
		errs = append(errs, option.Errorf("delimiter", `--list-flat has the delimiter "/"; use one of the two`))
	}
	if l.Version < 1 || l.Version > 2 {
		errs = append(errs, option.Invalid("list-version", l.Version, "1 or 2"))
	}
	if l.StartAfter && l.ListExisting {
		errs = append(errs, option.Errorf("start-after", "the keys of existing objects are not known; leave out --list-existing"))
	}
	if l.Access != (generator.Access{}) && l.ListExisting {
		errs = append(errs, option.Errorf("access", "with --list-existing there is one prefix to list; leave out one of the two"))
	}
	errs = append(errs, l.Picks.Check(l.Objects*max(1, l.Versions), l.ListExisting)...)
	if l.StartAfter && data.Buckets > 1 {
		errs = append(errs, option.Errorf("start-after", "not with several --buckets"))
	}
	if l.Page && (l.StartAfter || l.picks()) {
		errs = append(errs, option.Errorf("page", "whole buckets are listed; leave out --start-after and --access"))
	}
	if l.Metadata && l.Version == 1 {
		errs = append(errs, option.Errorf("metadata", "version 1 of the request has none; leave out --list-version=1"))
	}
	if l.UsesVersions() && (l.Version == 1 || l.Metadata || l.StartAfter) {
		const text = "a request for versions has no --list-version, --metadata or --start-after; leave them out"
		errs = append(errs, option.Errorf("versions", text))
	}
	return errs
}

// Traits declares that objects are only read. If they are existing ones, there must be at least one to list.
func (l *List) Traits() work.Traits {
	t := work.Traits{
		Effect:  work.Reads,
		Records: work.Records{Kinds: []op.Kind{op.List}},
		Data: work.Data{
			Objects:  l.Objects,
			Versions: l.Each(),
			Existing: l.ListExisting,
			Flat:     l.ListFlat,
		},
		Use: work.Use{
			Access:    l.Access,
			AnyObject: true,
			Picks:     l.StartAfter || l.picks(),
			Pass:      work.EachPrefix,
		},
		Sends:   work.Sends{Demands: l.demands(), NotInDirectory: l.notInDirectory()},
		Sharing: work.Sharing{Shares: true},
	}
	if t.Existing {
		t.Objects = 1
	}
	return t
}

// picks reports whether the object of a turn decides what is listed, rather than the thread.
func (l *List) picks() bool { return l.Access != (generator.Access{}) }

// Prepare sets up the state of the threads.
func (l *List) Prepare(set *dataset.DataSet, threads int) error {
	l.threads = make([]listing, threads)
	if l.StartAfter && !l.picks() {
		setStarts(set, l.threads)
	}
	return nil
}

// Estimate returns the pages of listings. It knows nothing of objects that are not the run's own.
func (l *List) Estimate(t work.Turns) (c work.Cost) {
	pages := uint64(1)
	if !l.ListExisting && !l.Page {
		entries := objectsIn(t.Set, 0) * max(1, l.Each())
		if !t.Set.Keys.SeparateClaims() {
			entries++ // the claim
		}
		pages = max(1, (entries+uint64(l.MaxKeys)-1)/uint64(l.MaxKeys))
	}
	c.Request(op.List, t.Count*pages)
	return c
}

// Do lists all pages of one prefix, or only the next one.
func (l *List) Do(ctx context.Context, w *work.Worker) error {
	if l.Page {
		return l.nextPage(ctx, w)
	}
	expected, dir, prefix := uint64(0), 0, w.Set.Keys.Root()
	bucket := w.Set.BucketOf(w.Turn.N)
	if !l.ListExisting {
		dir, expected = directory(w.Set, l.part(w))
		expected = inBucket(w.Set, dir, bucket, expected)
		prefix = w.Set.Keys.Dir(dir)
	}
	page := l.begin(w)
	if starts := l.threads[l.part(w)].starts; len(starts) > 0 {
		s := &starts[w.Turn.N%uint64(len(starts))]
		page.StartAfter, expected = s.after, s.n
	}
	if l.picks() || l.StartAfter && w.Set.Changes() {
		o := w.Pick()
		dir, bucket = w.Set.DirOf(o.Index), o.Bucket
		prefix, expected = w.Set.Keys.Dir(dir), inBucket(w.Set, dir, bucket, objectsIn(w.Set, dir))
		if l.StartAfter {
			page.StartAfter = o.Key
		}
	}
	if l.UsesVersions() && l.Delimiter != dot {
		expected *= l.Versions
	}
	return w.Op(ctx, op.List, func(rec *op.Op) error {
		rec.Key = prefix
		w.InBucket(bucket, rec)
		seen, err := l.list(ctx, w, rec, dir, bucket)
		if err != nil {
			return err
		}
		wrong := ""
		if key := l.threads[w.ID].tally.again; key != "" {
			wrong = fmt.Sprintf("%q was listed twice", key)
		} else if l.counts(w.Set) && seen != expected {
			wrong = fmt.Sprintf("%d of the %d objects below %q were listed", seen, expected, prefix)
		}
		if wrong != "" {
			return &s3.Error{Class: "wrong listing", Status: w.Call.Status, Err: errListing, Message: wrong}
		}
		return nil
	})
}

// begin returns a new listing of a thread.
func (l *List) begin(w *work.Worker) *ops.Listing {
	page := &l.threads[w.ID].page
	page.Reset()
	page.All, page.MaxKeys, page.Flat = l.UsesVersions(), l.MaxKeys, l.ListFlat
	page.Delimiter, page.First, page.Metadata, page.Owners = l.Delimiter, l.Version == 1, l.Metadata, l.FetchOwner
	return page
}

// nextPage lists the next page of the thread's bucket, or the first page of a random one: of all keys below the root of the data set.
func (l *List) nextPage(ctx context.Context, w *work.Worker) error {
	t := &l.threads[w.ID]
	page := &t.page
	if page.Token = page.Next; page.Token == "" {
		page = l.begin(w)
		page.Prefix = w.Set.Keys.Root()
		t.bucket = int(generator.Uniform(w.Set.Seed(dataset.StreamObject), w.Turn.N, w.Set.Buckets()))
	}
	err := w.Op(ctx, op.List, func(rec *op.Op) error {
		rec.Key = page.Prefix
		w.InBucket(t.bucket, rec)
		err := ops.List(ctx, w.S3, &w.Call, page)
		rec.FirstByte = w.Call.FirstByte
		rec.Objects = 0
		for i := range page.Entries {
			if !generator.IsClaim(page.Entries[i].Key) {
				rec.Objects++
			}
		}
		return err
	})
	if err != nil {
		page.Next = "" // it begins again
	}
	return err
}

// part returns the number of the thread that owns the directory to list: the worker's own; in an open loop, where a few workers may perform
// all turns, each thread in turn.
func (l *List) part(w *work.Worker) int {
	if w.Turn.Due.IsZero() {
		return w.ID
	}
	return int(w.Turn.N % uint64(len(l.threads)))
}

// counts reports whether the number of entries of a listing is known. Without thread prefixes, other keys may be rolled up too.
func (l *List) counts(s *dataset.DataSet) bool {
	return !l.ListExisting && !s.Changes() && !(l.StartAfter && l.picks()) && (l.Delimiter != dot || s.Keys.SeparateClaims()) &&
		!(s.Keys.Nested() && (l.Delimiter != "" || l.ListFlat))
}

// demands returns the capabilities that listings need.
func (l *List) demands() (list []work.Demand) {
	for _, d := range []struct {
		needed bool
		row    *probe.Capability
	}{
		{l.UsesVersions(), probe.ListVersions},
		{l.Version == 1, probe.ListFirst},
		{l.StartAfter, probe.StartAfter},
		{l.Delimiter == "/", probe.Delimiter},
	} {
		if d.needed {
			list = append(list, work.Demand{Capability: d.row, Warn: func(err error) string {
				_, text, accepted := probe.Accepted(err)
				if !accepted {
					return ""
				}
				return fmt.Sprintf("listings are likely to fail (%s): %s", d.row.Name, text)
			}})
		}
	}
	if l.Metadata {
		list = append(list, work.Demand{Capability: probe.ListMetadata})
	}
	return list
}

var errListing = errors.New("a listing does not hold what was uploaded")

// list reads all pages of a listing of a bucket and returns the number of the run's own objects of directory dir in it.
func (l *List) list(ctx context.Context, w *work.Worker, rec *op.Op, dir, bucket int) (seen uint64, err error) {
	t := &l.threads[w.ID].tally
	t.reset(w.Set, max(1, l.Each()))
	rec.Objects = 0
	page := &l.threads[w.ID].page
	page.Prefix = rec.Key
	for ; ; page.Token = page.Next {
		err := ops.List(ctx, w.S3, &w.Call, page)
		if rec.FirstByte.IsZero() {
			rec.FirstByte = w.Call.FirstByte
		}
		if err != nil {
			return seen, err
		}
		rec.Objects += len(page.Entries) - claimsAmong(w.Set, page.Entries)
		if l.Delimiter != "" {
			rec.Objects += page.RolledUp
		}
		switch {
		case l.ListExisting:
			seen += uint64(len(page.Entries))
		case l.Delimiter == dot:
			seen += uint64(page.RolledUp)
		default:
			t.add(w.Set, page.Entries, dir, bucket)
			seen = t.n
		}
		if page.Next == "" {
			return seen, nil
		}
		w.CountRequest()
	}
}

// inBucket returns how many of the n objects of a directory are in a bucket.
func inBucket(s *dataset.DataSet, dir, bucket int, n uint64) (in uint64) {
	if s.Buckets() == 1 {
		return n
	}
	if n == 0 {
		return 0
	}
	first, step := firstIn(s, dir), uint64(s.Keys.Dirs())
	for k := range min(n, s.Buckets()) { // buckets repeat after these
		if s.BucketOf(first+k*step) == bucket {
			in += (n - k + s.Buckets() - 1) / s.Buckets()
		}
	}
	return in
}

// claimsAmong counts the claims in a page of a listing; with thread prefixes there are none.
func claimsAmong(s *dataset.DataSet, entries []ops.Entry) (n int) {
	if s.Keys.SeparateClaims() {
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
	tally  tally
	page   ops.Listing
	bucket int // of page, with Page
	starts []start
}
