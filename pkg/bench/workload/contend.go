package workload

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"time"

	"warp/internal/option"
	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/probe"
)

var contendInfo = work.Info{
	Name:  "contend",
	Usage: "let writers compete for an object (compare-and-swap)",
	Description: "Uploads --keys objects, which all threads then replace: a turn reads an object (GET), then replaces it unless " +
		"another thread already did (PUT with If-Match). PUT counts the commits; PUT_412 and PUT_409 count attempts that lost the " +
		"race, each followed by a random pause that grows with each loss in a row. If two writers win the same round, the server " +
		"ignores conditions, and the second one is an error.",
	Size:    "1KiB",
	Example: "--concurrent=8 --duration=1m",
	New:     func() work.Workload { return &Contend{} },
}

var contendShare = companion{
	workload: "contend",
	shares:   []companionShare{{"contend", "attempts to replace one object by compare-and-swap"}},
	make:     func(*Mixed) work.Workload { return defaults(&Contend{}) },
}

// Contend replaces few objects by compare-and-swap.
type Contend struct {
	Picks
	Keys  uint64        `json:"keys"`
	Pause time.Duration `json:"pause_ns"` // longest pause after the first failure in a row

	rounds  []*rounds // of each object
	writers []*writer // of each thread
}

// maxDoubled is how many times the longest pause doubles.
const maxDoubled = 6

// Flags binds the parameters.
func (c *Contend) Flags(fs *flag.FlagSet) {
	fs.Uint64Var(&c.Keys, "keys", 1, "`N` objects that the threads compete for")
	c.Picks.Bind(fs, DefaultAccess)
	fs.DurationVar(&c.Pause, "contend-pause", 10*time.Millisecond,
		"`DURATION` longest pause after a lost round; doubles with each, up to 64 times")
}

// Validate checks the parameters.
func (c *Contend) Validate(_ work.Load, data generator.Spec) (errs []error) {
	if c.Keys < 1 || c.Keys > maxContended {
		errs = append(errs, option.Invalid("keys", c.Keys, fmt.Sprintf("1 to %d", maxContended)))
	}
	errs = append(errs, c.Picks.Check(c.Keys, false)...)
	if c.Pause < 0 || c.Pause > time.Hour {
		errs = append(errs, option.Invalid("contend-pause", c.Pause, "0 to 1h"))
	}
	if size, fixed := data.Sizes.Fixed(); !fixed || size < attemptBytes {
		errs = append(errs, option.Errorf("obj.size", "want one size of at least %d bytes (objects contain the latest round)", attemptBytes))
	}
	return errs
}

// maxContended is far beyond what a benchmark of contention needs; each object takes memory by the round.
const maxContended = 10_000

// Traits declares that objects are read and overwritten, each time on a condition.
func (c *Contend) Traits() work.Traits {
	return work.Traits{
		Effect:  work.Changes,
		Records: work.Records{Kinds: []op.Kind{op.Get, op.Put}, Outcomes: work.ConditionStatuses},
		Data:    work.Data{Rewrites: true, Objects: c.Keys},
		Use:     work.Use{Access: c.Access, Pass: work.EachObject},
		Sends:   work.Sends{Demands: []work.Demand{work.ConditionDemand(probe.PutIfMatch)}},
		Sharing: work.Sharing{Shares: true},
	}
}

// Estimate returns the cost of attempts: each reads an object, and tries to replace it.
func (c *Contend) Estimate(t work.Turns) (cost work.Cost) {
	cost.Download(op.Get, t)
	cost.Overwrite(t)
	return cost
}

// Prepare sets up the state of the threads.
func (c *Contend) Prepare(set *dataset.DataSet, threads int) error {
	c.rounds, c.writers = nil, nil
	for range c.Keys {
		c.rounds = append(c.rounds, newRounds(c.Keys))
	}
	for range threads {
		c.writers = append(c.writers, &writer{body: attemptBody{rest: set.Body()}})
	}
	return nil
}

// writer is the state of a thread.
type writer struct {
	body    attemptBody
	reader  attemptReader
	attempt uint32
	commits uint64
	vain    uint64 // attempts that lost their round
	lost    int    // rounds lost in a row
}

// Do makes one attempt to replace an object.
func (c *Contend) Do(ctx context.Context, w *work.Worker) error {
	o := w.Set.Pick(w.Turn.N)
	wr, r := c.writers[w.ID], c.rounds[o.Index]
	etag := ""
	err := w.Op(ctx, op.Get, func(rec *op.Op) error {
		call, before := w.Object(o, rec), r.latest()
		wr.reader.reset()
		call.Into, call.WantETag = &wr.reader, true
		err := ops.Get(ctx, w.S3, call)
		rec.Bytes, etag = call.Bytes, call.ETag
		if err != nil {
			return err
		}
		return r.read(wr.reader.attempt(), w.Set.Part.Index, before)
	})
	if err != nil {
		return err
	}
	wr.attempt++
	next := attempt{round: wr.reader.attempt().round + 1, client: w.Set.Part.Index, thread: uint32(w.ID), number: wr.attempt}
	r.begin(next)
	err = w.Op(ctx, op.Put, func(rec *op.Op) error {
		call := w.Object(o, rec)
		wr.body.reset(next, o)
		call.Body, call.If.Match = &wr.body, etag
		err := ops.Put(ctx, w.S3, call)
		rec.Bytes = call.Bytes
		if err = w.Set.Stored(o.Index, call, err); err != nil {
			return err
		}
		return r.won(next)
	})
	switch {
	case err == nil:
		wr.commits++
		wr.lost = 0
		return nil
	case s3.Outcome(err, work.ConditionStatuses) == 0, w.Call.Retries+w.Call.Resent > 0: // a refused retry may follow a success
		r.unknown(next)
		return err
	}
	wr.vain++
	r.refused(next)
	longest := c.Pause << min(wr.lost, maxDoubled)
	wr.lost++
	if longest > 0 {
		w.Pause(ctx, time.Duration(generator.Uniform(w.Set.Seed(dataset.StreamKind), w.Turn.N, uint64(longest))))
	}
	return err
}

// Warnings reports a server that does not honour conditions.
func (c *Contend) Warnings() []string {
	var v violations
	for _, r := range c.rounds {
		v.add(r.found())
	}
	if text := v.String(); text != "" {
		return []string{text}
	}
	return nil
}

// Notes reports how fair the rounds were.
func (c *Contend) Notes() []string {
	var commits, vain, fewest, highest, squares uint64
	for i, wr := range c.writers {
		commits, vain, squares = commits+wr.commits, vain+wr.vain, squares+wr.commits*wr.commits
		if highest = max(highest, wr.commits); i == 0 || wr.commits < fewest {
			fewest = wr.commits
		}
	}
	if commits == 0 {
		return []string{"Contention: no writer ever won a round"}
	}
	return []string{fmt.Sprintf("Contention: %d commits, %d failed attempts (%.0f%%); %d to %d commits per writer, "+
		"fairness %.2f (Jain's index: 1 if all are equal, %.2f if one has all)",
		commits, vain, 100*float64(vain)/float64(commits+vain), fewest, highest,
		float64(commits)*float64(commits)/(float64(len(c.writers))*float64(squares)), 1/float64(len(c.writers)))}
}

// attempt is one attempt to replace an object. The contents begin with it.
type attempt struct {
	round          uint64 // 1 more than in the contents to be replaced
	client         uint64
	thread, number uint32
}

const (
	attemptMark        = "warpCAS1"
	attemptBytes int64 = int64(len(attemptMark)) + 24
)

// append appends the encoded attempt.
func (a attempt) append(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(append(b, attemptMark...), a.round)
	b = binary.BigEndian.AppendUint64(b, a.client)
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(b, a.thread), a.number)
}

// parseAttempt returns the attempt at the beginning of contents; the zero attempt, of round 0, for contents of the preparation.
func parseAttempt(b []byte) (a attempt) {
	if int64(len(b)) < attemptBytes || string(b[:len(attemptMark)]) != attemptMark {
		return a
	}
	b = b[len(attemptMark):]
	be := binary.BigEndian
	return attempt{be.Uint64(b), be.Uint64(b[8:]), be.Uint32(b[16:]), be.Uint32(b[20:])}
}

// attemptBody is the contents of an attempt.
type attemptBody struct {
	head [attemptBytes]byte
	rest *generator.Body
}

func (b *attemptBody) reset(a attempt, o dataset.Object) {
	a.append(b.head[:0])
	b.rest.Reset(generator.Mix(generator.Mix(o.Index, a.round), uint64(a.thread)), o.Size)
}

// ReadAt reads the contents.
func (b *attemptBody) ReadAt(p []byte, off int64) (n int, err error) {
	if n, err = b.rest.ReadAt(p, off); off < attemptBytes && n > 0 {
		copy(p[:n], b.head[off:])
	}
	return n, err
}

// attemptReader reads contents and keeps their attempt.
type attemptReader struct {
	head [attemptBytes]byte
	n    int
}

func (r *attemptReader) reset()           { r.n = 0 }
func (r *attemptReader) attempt() attempt { return parseAttempt(r.head[:r.n]) }

// Write takes the next bytes.
func (r *attemptReader) Write(p []byte) (int, error) {
	r.n += copy(r.head[r.n:], p)
	return len(p), nil
}
