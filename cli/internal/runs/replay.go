package runs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warp/cli/internal/files"
	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/internal/option"
	"warp/pkg/bench"
	"warp/pkg/bench/replay"
	"warp/pkg/trace"
	"warp/pkg/trace/formats"
)

// CheckReplay checks the flags of a replay before its trace is read; parts is the number of parts that the trace is divided into. A
// template of keys becomes that of the data set.
func CheckReplay(b *Benchmark, w *replay.Replay, parts int) error {
	errs := []error{option.OneOf("missing", w.Missing, replay.MissingPolicies...), replay.CheckThink(w, b.Load.MaxLate, parts)}
	switch {
	case strings.Contains(w.Keys, "{"):
		b.Data.Keys, w.Keys = w.Keys, replay.KeysHash
	case !slices.Contains(replay.KeyChoices, w.Keys):
		errs = append(errs, option.Invalid("keys", w.Keys, "hash, hash-dirs, keep, or a template such as data/{i:012}.bin"))
	}
	if w.Loop && (b.Load.Duration == 0 || !b.Load.HasDuration && b.Load.Duration == flags.DefaultDuration) {
		errs = append(errs, option.Errorf("loop", "want --duration, which ends it"))
	}
	return errors.Join(errs...)
}

// setTimed makes a phase one of a replay, which ends with its trace unless it has another end.
func setTimed(b *Benchmark, ph *bench.Phase, isSet func(flag string) bool) {
	w, ok := b.Workload.(*replay.Replay)
	if !ok || w.Summary == nil {
		return
	}
	ph.Timed = true
	if !isSet("duration") {
		ph.Duration = 0
	}
	if w.Think != "" {
		if !isSet("concurrent") {
			ph.Concurrency = int(min(w.Summary.Clients.Count, replay.DefaultMaxClients))
		}
		return
	}
	if !w.Loop && ph.Ops == 0 {
		ph.Ops = uint64(w.Summary.Operations)
	}
}

// OpenTraces are the traces that a process replays, by their names.
type OpenTraces map[string]*trace.TempFile

func (o OpenTraces) player(name string) (*trace.Player, error) {
	if i := o[name]; i != nil {
		return i.Player, nil
	}
	return nil, fmt.Errorf("the trace %s is not open", name)
}

// Close closes all traces.
func (o OpenTraces) Close() {
	for name, i := range o {
		_ = i.Close() // it was only read
		delete(o, name)
	}
}

// OpenTrace reads the trace of a replay into the compact form.
func OpenTrace(ctx context.Context, b *Benchmark, w *replay.Replay, o formats.Options, s trace.Selection, files []string) error {
	s.SkipMissing = w.Missing == replay.MissingSkip
	if w.Keys != replay.KeysHash {
		s.Names = trace.Names(w.Keys)
	}
	switch old := b.Traces[w.Trace]; {
	case old == nil:
		file, err := indexTrace(ctx, b, o, s, files)
		if err != nil {
			return err
		}
		b.Traces[w.Trace] = file
	case old.Selection.SkipMissing != s.SkipMissing:
		return option.Errorf("missing", "%s is replayed twice, with reads of missing objects and without; use a copy of the file", w.Trace)
	case old.Selection.Names != s.Names:
		return option.Errorf("keys", "%s is replayed twice, with different names of objects; use a copy of the file", w.Trace)
	}
	w.Summary = b.Traces[w.Trace].Summary
	b.Data.Size = strconv.FormatInt(max(1, w.Summary.Objects.FirstBytes/max(1, w.Summary.Objects.First)), 10) // for what the data set takes
	if w.Think != "" {
		return replay.CheckClosedLoop(w.Summary)
	}
	return nil
}

// indexTrace reads files, and brings them into the compact form.
func indexTrace(ctx context.Context, b *Benchmark, o formats.Options, s trace.Selection, paths []string) (_ *trace.TempFile, err error) {
	ctx, stop := b.Env.CancelOnInterrupt(ctx)
	defer stop()
	file, err := trace.NewTempFile()
	if err != nil {
		return nil, err
	}
	_, err = files.ReadTrace(ctx, b.Env, b.Out.Quiet, o, s, paths, file)
	if err == nil {
		err = file.Open()
	}
	if err != nil {
		_ = file.Close()
		if errors.Is(context.Cause(ctx), process.ErrInterrupt) {
			err = process.WithCode(process.ExitInterrupted, errors.New("interrupted before the trace was read"))
		}
		return nil, err
	}
	return file, nil
}
