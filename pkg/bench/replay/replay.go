// Package replay is the workload that performs a trace.
package replay

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"time"

	"warp/internal/clock"
	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/probe"
	"warp/pkg/trace"
)

// Info describes the replay of a trace. It needs a file, so it is not among the registry's commands.
var Info = work.Info{
	Name:   "replay",
	New:    func() work.Workload { return &Replay{} },
	Kinds:  trace.Kinds,
	Hidden: true,
}

func init() { work.Register(Info) }

// Replay performs the operations of a trace at their original times, on objects of the run that stand for the trace's. Operations on an
// object begin in the order of the trace: a read after the end of the preceding write, a write after the end of everything before.
type Replay struct {
	Trace   string         `json:"trace"` // name of the file
	Summary *trace.Summary `json:"summary"`
	Speed   Speed          `json:"speed"`             // relative to the trace's
	Loop    bool           `json:"loop,omitempty"`    // from the beginning, for as long as the stream lasts
	Missing string         `json:"missing,omitempty"` // treatment of objects that are read before they are written; one of MissingPolicies
	Keys    string         `json:"keys,omitempty"`    // names of the stand-ins; one of KeyChoices
	Think   string         `json:"think,omitempty"`   // empty: an open loop; ThinkOriginal

	clients  *closedLoop // nil: an open loop
	player   *trace.Player
	queue    *keyOrder
	within   time.Duration // an operation later than this is not sent; 0: no limit
	pass     time.Duration // of the trace, at its speed
	tally    tally
	undone   *changeSet // nil: nothing must be put back
	uploads  uploads
	room     room
	listings listings
}

// Treatments of objects that are read before they are written.
const (
	MissingCreate = "create" // they are uploaded before
	MissingSkip   = "skip"   // their reads are left out
	MissingExpect = "expect" // their reads are sent, and expect 404
)

// MissingPolicies are all treatments.
var MissingPolicies = []string{MissingCreate, MissingSkip, MissingExpect}

// Names of the stand-ins. Names from the trace follow a prefix that must be empty before the run: everything below it is the run's own.
const (
	KeysHash     = "hash"      // names of the run, without any part of the trace's
	KeysHashDirs = "hash-dirs" // their parts between slashes are hashed
	KeysOriginal = "keep"      // they stay as they are
)

// KeyChoices are all choices of names.
var KeyChoices = []string{KeysHash, KeysHashDirs, KeysOriginal}

// Flags binds the parameters; Summary comes from the file.
func (r *Replay) Flags(fs *flag.FlagSet) {
	r.Speed = 1
	fs.StringVar(&r.Trace, "trace", "", "`FILE` the trace")
	fs.Var(&r.Speed, "speed", "`FACTOR` speed relative to the trace: 2, 0.5 or 2x")
	fs.BoolVar(&r.Loop, "loop", false, "start over at the end, until --duration is over")
	work.BindChoice(fs, &r.Keys, "keys", KeysHash, "`NAMES` names of objects: hash, hash-dirs, keep, or a template (see \"warp help keys\")",
		KeyChoices...)
	work.BindChoice(fs, &r.Think, "think", "", "`GAPS` original: a closed loop, with the gaps between a client's operations", ThinkOriginal)
	work.BindChoice(fs, &r.Missing, "missing", MissingCreate,
		"`POLICY` objects read before written: create them, skip the reads, or expect 404", MissingPolicies...)
}

// Traits declares that the run uploads, overwrites and deletes objects of its own.
func (r *Replay) Traits() work.Traits {
	t := work.Traits{
		Effect:  work.Changes,
		Records: work.Records{Kinds: Info.Kinds},
		Data:    work.Data{Rewrites: true, Named: r.Named()},
	}
	if r.Summary == nil {
		return t
	}
	t.Kinds = nil
	for _, k := range r.Summary.Kinds {
		if t.Kinds = append(t.Kinds, k.Kind); k.Kind == op.Copy {
			t.Demands = work.NewDemands(probe.Copy)
		}
		t.Copies = t.Copies || k.Kind == op.CopyPart
	}
	if r.Missing != MissingExpect {
		t.Objects = uint64(max(0, r.Summary.Objects.First))
	}
	return t
}

var errNoTraces = errors.New("the plan replays a trace, which is not possible here")

// Close closes the trace.
func (r *Replay) Close() { r.clients.end() }

// Open opens the trace.
func (r *Replay) Open(traces func(string) (*trace.Player, error)) (err error) {
	if traces == nil {
		return errNoTraces
	}
	if r.player, err = traces(r.Trace); err != nil {
		return err
	}
	has, want := &r.player.Objects, &r.Summary.Objects
	if r.player.Operations != r.Summary.Operations || r.player.Span != r.Summary.Span ||
		has.Numbers() != want.Numbers() || has.First != want.First {
		return fmt.Errorf("%s is another trace than that of the plan", r.Trace)
	}
	if r.Named() && !r.player.Named() {
		return fmt.Errorf("%s holds no names of objects, which --keys=%s needs", r.Trace, r.Keys)
	}
	if r.Think != "" {
		r.clients, err = newClosedLoop(r.player)
		return err
	}
	r.queue = newKeyOrder(r.uses)
	r.pass = r.at(r.player.Span) + time.Millisecond // so that the first operation follows the last
	if r.Loop && r.Missing != MissingExpect {
		r.undone = newChangeSet(uint64(r.player.Objects.First))
	}
	return nil
}

// at converts a time of the trace to the speed of the replay.
func (r *Replay) at(d time.Duration) time.Duration {
	return time.Duration(min(float64(d)/float64(r.Speed), float64(load.Never/2)))
}

// operation returns the operation of a turn.
func (r *Replay) operation(turn uint64) (*trace.Operation, error) {
	return r.player.Operation(turn % uint64(r.player.Operations))
}

// uses returns a turn's uses of objects. It is called once for each turn, in order.
func (r *Replay) uses(turn uint64) (u objectUses, err error) {
	o, err := r.operation(turn)
	if err != nil {
		return u, err
	}
	r.use(&u, turn, o.Object, o.Kind)
	if o.Source >= 0 {
		r.use(&u, turn, uint64(o.Source), op.Get)
	}
	return u, nil
}

// use adds the use of an object by an operation of a kind.
func (r *Replay) use(u *objectUses, turn, object uint64, kind op.Kind) {
	use := objectUse{object: object, writes: exclusive(kind)}
	if r.undone != nil && trace.UsesObject(kind) && r.undone.use(turn/uint64(r.player.Operations), object, changes(kind)) {
		use.putBack = !kind.CreatesObject()
		use.writes = true
	}
	u.add(use)
}

// changes reports whether operations of a kind change their object.
func changes(k op.Kind) bool { return k.CreatesObject() || k == op.Delete }

// exclusive reports whether an operation must have the object to itself. The begin of an upload must, since parts need it.
func exclusive(k op.Kind) bool { return changes(k) || k == op.CreateUpload || k == op.AbortUpload }

// Due returns when a turn is due.
func (r *Replay) Due(turn uint64) time.Duration {
	if r.player == nil {
		return load.Never
	}
	pass := turn / uint64(r.player.Operations)
	if pass > 0 && !r.Loop || pass >= uint64(load.Never/(r.pass+1)) {
		return load.Never
	}
	o, err := r.operation(turn)
	if err != nil {
		return load.Never
	}
	return time.Duration(pass)*r.pass + r.at(o.At)
}

// Schedule returns when turns are due; nil in a closed loop.
func (r *Replay) Schedule() load.Schedule {
	if r.Think != "" {
		return nil
	}
	return r
}

// SendWithin sets the maximum lateness of an operation that is still sent.
func (r *Replay) SendWithin(d time.Duration) { r.within = d }

// Upload uploads an object that is read before it is written.
func (r *Replay) Upload(ctx context.Context, w *work.Worker, i uint64) error {
	size, err := r.player.Size(i)
	if err != nil {
		return &work.Fault{Text: err.Error()}
	}
	object, err := r.objectFor(w, i, size)
	if err != nil {
		return err
	}
	return r.room.replace(w, i, size, func() error { return work.Overwrite(ctx, w, object) })
}

// Prepare reserves the names of all objects, so that the clean-up knows them. Objects without an upload are absent until they are written.
func (r *Replay) Prepare(set *dataset.DataSet, _ int) error {
	r.uploads.open, r.listings.further = map[uint64]*upload{}, map[listingOf]string{}
	n := uint64(r.player.Objects.Numbers())
	first := set.NewBlock(n - set.Used())
	set.Absent(first, n)
	return nil
}

// maxKey is the maximum length of a key.
const maxKey = 1024

// Named reports whether objects keep names of the trace.
func (r *Replay) Named() bool { return r.Keys == KeysHashDirs || r.Keys == KeysOriginal }

// objectFor returns the run's object for an object of the trace.
func (r *Replay) objectFor(w *work.Worker, number uint64, size int64) (dataset.Object, error) {
	o := dataset.Object{Index: number, Bucket: w.Set.BucketOf(number), Size: size}
	if !r.Named() {
		o.Key = w.Set.Key(number)
		return o, nil
	}
	name, err := r.player.Name(number)
	if err != nil {
		return o, &work.Fault{Text: r.Trace + ": " + err.Error()}
	}
	below := w.Set.Keys.Dir(0)
	o.Key = below + trace.Storable(name, maxKey-len(below))
	return o, nil
}

// Do performs the operation of a turn, after all operations on the same object that must end first.
func (r *Replay) Do(ctx context.Context, w *work.Worker) error {
	if r.clients != nil {
		return r.clients.do(ctx, w, r)
	}
	o, err := r.operation(w.Turn.N)
	if err != nil {
		return &work.Fault{Text: fmt.Sprintf("%s: %v", r.Trace, err)}
	}
	place, err := r.queue.enter(w.Turn.N)
	if err != nil {
		return &work.Fault{Text: fmt.Sprintf("%s: %v", r.Trace, err)}
	}
	defer r.queue.leave(place)
	waited, ok := place.wait(ctx, w.End())
	if !ok {
		r.tally.countUnsent(o)
		return load.ErrUnsent
	}
	now := clock.Now()
	if waited {
		w.SetReady(now)
	}
	late := now.Sub(w.Turn.Due)
	if r.within > 0 && late > r.within {
		r.tally.countUnsent(o)
		return load.ErrUnsent
	}
	for _, use := range place.all() {
		if use.putBack {
			r.tally.countRestored(r.restore(ctx, w, use.object))
		}
	}
	return r.perform(ctx, w, o, late)
}

// perform performs an operation; late is its lateness.
func (r *Replay) perform(ctx context.Context, w *work.Worker, o *trace.Operation, late time.Duration) error {
	send := func() error { return r.send(ctx, w, o) }
	var err error
	// A deletion may find nothing: S3 does not even say so, other kinds of stores do.
	if o.Missing || o.Kind == op.Delete || o.Status == http.StatusNotFound || r.Missing == MissingExpect {
		err = w.Expecting(http.StatusNotFound, send)
	} else {
		err = send()
	}
	if errors.Is(err, load.ErrDone) {
		r.tally.countUnsent(o)
		return err
	}
	result := succeeded
	switch {
	case err != nil && w.Last().Err == "":
		result = notFound
	case err != nil && w.Last().Status == 404:
		result = objectGone
	case err != nil:
		result = failed
	}
	r.tally.add(o, clock.Now(), late, w.Last().Service(), w.Last().Bytes, result)
	return err
}

// restore restores an object that the last pass changed, by an unmeasured upload.
func (r *Replay) restore(ctx context.Context, w *work.Worker, number uint64) error {
	size, err := r.player.Size(number)
	if err != nil {
		return err
	}
	o, err := r.objectFor(w, number, size)
	if err != nil {
		return err
	}
	return r.room.replace(w, number, size, func() error {
		return w.Unmeasured(ctx, func() error {
			c := w.Object(o, &op.Op{Kind: op.Put})
			c.Body = w.Body(o.Index, o.Size)
			w.Set.MarkPending(o.Index, false)
			return w.Set.Stored(o.Index, c, ops.Put(ctx, w.S3, c))
		})
	})
}

// send sends the request of an operation.
func (r *Replay) send(ctx context.Context, w *work.Worker, o *trace.Operation) error {
	if o.Kind == op.List {
		return r.list(ctx, w, o)
	}
	object, err := r.objectFor(w, o.Object, max(0, o.Size))
	if err != nil {
		return err
	}
	source := ""
	if o.Source >= 0 {
		from, err := r.objectFor(w, uint64(o.Source), 0)
		if err != nil {
			return err
		}
		source = w.CopySource(&from)
	}
	switch o.Kind {
	case op.Put:
		w.Set.MarkPending(o.Object, true)
		return r.room.replace(w, o.Object, object.Size, func() error { return work.Overwrite(ctx, w, object) })
	case op.Copy:
		w.Set.MarkPending(o.Object, false)
		return r.room.replace(w, o.Object, object.Size, func() error {
			return work.CopyObject(ctx, w, object, source, o.Source == int64(o.Object))
		})
	case op.CreateUpload, op.PutPart, op.CopyPart, op.CompleteUpload, op.AbortUpload:
		return r.uploads.do(ctx, w, o, object, source, &r.room)
	case op.Delete:
		if err = w.Request(ctx, op.Delete, object, ops.Delete); err == nil || w.Last().Status == http.StatusNotFound {
			w.Set.Unsent(o.Object)
			r.room.empty(w, o.Object)
		}
		return err
	}
	object.Size = -1 // as much as there is: the trace may know less than all of it
	if o.Kind == op.Stat {
		return w.Stat(ctx, object)
	}
	offset := o.Offset
	if o.Length > 0 && offset < 0 { // unknown: anywhere
		offset = int64(generator.Uniform(w.Set.Seed(dataset.StreamObject), w.Turn.N, uint64(max(0, o.Size-o.Length)+1)))
	}
	return w.Get(ctx, object, max(0, offset), o.Length, false)
}

// list performs a listing. If the run's names have nothing of the trace's, it lists objects of the run from some key on.
func (r *Replay) list(ctx context.Context, w *work.Worker, o *trace.Operation) error {
	below := w.Set.Keys.Dir(0)
	if r.Named() {
		name, err := r.player.Name(o.Object)
		if err != nil {
			return &work.Fault{Text: r.Trace + ": " + err.Error()}
		}
		return r.listings.do(ctx, w, o, below+trace.StorablePrefix(name, maxKey-len(below)), "")
	}
	if w.Set.Keys.Dirs() > 1 { // the objects that the trace lists together are in several directories here
		below, o.Listed = w.Set.Keys.Root(), o.Listed&^trace.ListedFlat
	}
	return r.listings.do(ctx, w, o, below, startOf(w.Set, w.S3.Dialect(), w.Bucket(), o, uint64(r.player.Objects.Numbers())))
}
