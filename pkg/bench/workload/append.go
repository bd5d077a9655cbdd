package workload

import (
	"context"
	"flag"

	"warp/internal/option"
	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/probe"
)

var appendInfo = work.Info{
	Name:  "append",
	Usage: "append to objects",
	Description: "Appends to objects (PUT with x-amz-write-offset-bytes): each thread appends --obj.size bytes at a " +
		"time to its own object, and starts a new one after --parts appends. Few servers support this.",
	Size:    "10MiB",
	Example: "--obj.size=64KiB --parts=1000",
	New:     func() work.Workload { return &Append{} },
}

var appendShare = companion{
	workload: "append",
	shares:   []companionShare{{"append", "appends of --obj.size, each thread to an object of its own"}},
	make:     func(*Mixed) work.Workload { return defaults(&Append{}) },
}

// maxAppends is the maximum number of appends to an object in S3.
const maxAppends = 10000

// Append appends to objects.
type Append struct {
	Parts uint64 `json:"parts"`
	Head  bool   `json:"head,omitempty"` // before each append

	threads []appended
}

// appended is the object that a thread appends to.
type appended struct {
	object uint64
	size   int64
	parts  uint64 // that may still be appended; 0: no object
}

// Flags binds the parameters.
func (a *Append) Flags(fs *flag.FlagSet) {
	fs.Uint64Var(&a.Parts, "parts", maxAppends, "`N` appends to an object, with the one that creates it (1 to 10000)")
	fs.BoolVar(&a.Head, "head", false, "request the size of the object before each append (HEAD)")
}

// Validate checks the parameters.
func (a *Append) Validate(work.Load, generator.Spec) []error {
	if a.Parts < 1 || a.Parts > maxAppends {
		return []error{option.Invalid("parts", a.Parts, "1 to 10000")}
	}
	return nil
}

// Traits declares that objects are added.
func (a *Append) Traits() work.Traits {
	t := work.Traits{
		Effect:  work.Adds,
		Records: work.Records{Kinds: []op.Kind{op.Append}},
		Data:    work.Data{Rewrites: true},
		Sends:   work.Sends{Demands: work.NewDemands(probe.Append)},
	}
	if a.Head {
		t.Kinds = append(t.Kinds, op.Stat)
	}
	return t
}

// Estimate returns the cost of appends. Each thread may leave an object unfilled.
func (a *Append) Estimate(t work.Turns) (c work.Cost) {
	c.Upload(op.Append, t)
	c.Objects = min(t.Count, t.Count/a.Parts+uint64(t.Threads))
	if a.Head {
		c.Request(op.Stat, t.Count-t.Count/a.Parts)
	}
	return c
}

// Prepare sets up the state of the threads.
func (a *Append) Prepare(_ *dataset.DataSet, threads int) error {
	a.threads = make([]appended, threads)
	return nil
}

// Do appends once. After an error the size of the object is unknown, so the next append begins a new object.
func (a *Append) Do(ctx context.Context, w *work.Worker) error {
	t := &a.threads[w.ID]
	if t.parts == 0 {
		*t = appended{object: w.Set.NewBlock(1), parts: a.Parts}
	}
	if a.Head && t.size > 0 {
		if err := a.stat(ctx, w, t); err != nil {
			t.parts = 0
			return err
		}
	}
	size := w.Set.Size(w.Turn.N)
	if err := w.Append(ctx, t.object, t.size, size); err != nil {
		if t.size == 0 {
			w.Set.Failed(t.object, true)
		}
		t.parts = 0
		return err
	}
	t.size += size
	t.parts--
	return nil
}

// stat requests the properties of the object that the thread appends to, whose size must be what was appended so far.
func (a *Append) stat(ctx context.Context, w *work.Worker, t *appended) error {
	o := dataset.Object{Index: t.object, Key: w.Set.Key(t.object), Bucket: w.Set.BucketOf(t.object), Size: t.size}
	return w.Request(ctx, op.Stat, o, ops.StatChecksum)
}
