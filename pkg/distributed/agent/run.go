package agent

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/observe"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/preflight"
	"warp/pkg/trace"
)

// performPlan performs the plan, and reports how that went.
func performPlan(ctx context.Context, j *job, st *protocol.Start, sec *protocol.Secrets) (report protocol.Done) {
	j.offset.Store(int64(st.Clock.Offset))
	res, rec, err := measure(ctx, j, st, sec, &report.Before)
	if rec != nil {
		report.Recording = transport.PeerText(rec.location())
		retention{j.opts, j.self}.prune()
	}
	if res != nil {
		report.Interrupted, report.Stable, report.Warnings = res.Interrupted, res.Stable, transport.TextsOf(res.Warnings)
	}
	if err != nil {
		report.Err, report.Stopped = reportedError(err, j.stoppedBy())
		report.Left = errors.As(err, new(*bench.CleanupError))
	}
	return report
}

// measure performs the plan with a store, a recording and a reporter. The last progress is put into last.
func measure(
	ctx context.Context, j *job, st *protocol.Start, sec *protocol.Secrets, last *protocol.Count,
) (*bench.Result, *recorder, error) {
	plan, err := preparePlan(st, sec)
	if err != nil {
		return nil, nil, err
	}
	if c := &plan.Target; c.LocalAddr == "" {
		if c.LocalAddr = sourceAddress(ctx, j.self.listen, c.Hosts); c.LocalAddr != "" {
			j.opts.Logf("Connections to the store leave from %s.", c.LocalAddr)
		}
	}
	warnings, err := preflight.DropUnresponsive(ctx, &plan.Target)
	if err != nil {
		return nil, nil, err
	}
	store, err := j.opts.OpenStore(plan.Target)
	if err != nil {
		return nil, nil, err
	}
	defer store.Close()
	header, err := j.self.header(st, nil, false)
	if err != nil {
		return nil, nil, err
	}
	w, err := newWindows(j, st.Watches)
	if err != nil {
		return nil, nil, err
	}
	r := newReporter(j, st, w)
	defer r.close()
	watch := j.opts.Watcher
	watch.Begin(plan.Plan, store.Engine(), r.observer.Samples)
	defer watch.End()
	rec, err := newRecorder(j.opts, plan.Title(), st.ID, header, func(err error) {
		r.Notice(fmt.Sprintf("Recording failed, the benchmark goes on without it: %v", err))
	})
	if err != nil {
		return nil, nil, err
	}
	h := newHandover(j, st, rec, r.observer)
	defer func() { rec.finish(h.ownEnd()) }() // after a panic too, and when others have read shared data
	replays := &traces{job: j, plan: plan.Plan, files: st.Traces, open: make(map[string]*trace.TempFile)}
	defer replays.close()
	env := r.env(rec, replays)
	env.Store, env.Warnings = store, warnings
	res, err := perform(ctx, plan, env, func(res *bench.Result, failed error) error {
		return h.report(context.Background(), r, res, failed)
	})
	*last = r.progress()
	return res, rec, err
}

// perform performs the plan. What was measured is reported before the clean-up.
func perform(
	ctx context.Context, plan *bench.Compiled, env bench.Env, report func(*bench.Result, error) error,
) (res *bench.Result, err error) {
	run, err := bench.Prepare(ctx, plan, env)
	if err != nil {
		return nil, err
	}
	var reported error
	if res, err = run.Measure(ctx); err == nil || res.Finished.Measured {
		reported = report(res, err)
	}
	err = run.Cleanup(ctx, err)
	if reported != nil && !errors.Is(err, reported) {
		err = errors.Join(err, fmt.Errorf("hand over the results: %w", reported))
	}
	return res, err
}

// leaveToCoordinator runs no program: the coordinator does, and holds the next barrier meanwhile.
func leaveToCoordinator(context.Context, *bench.Step) error { return nil }

// env returns what a run needs on this client, but for its store.
func (r *reporter) env(rec *recorder, replays *traces) bench.Env {
	j, st := r.job, r.start
	return bench.Env{
		Trace:     replays.player,
		Exec:      leaveToCoordinator,
		Client:    st.ID,
		Recording: rec.lock.Place(),
		Sinks:     []op.Sink{rec, r.windows},
		Observer:  r,
		Limited: func(from, to time.Time, shares []observe.Share) string {
			s := r.observer.Summary(from, to)
			return observe.First(j.opts.limits(&s, shares...))
		},
		Group: &group{job: j, share: st.Share, progress: r.progress, cleanup: newCleanupDelay(st, j.toLocal)},
	}
}

// validID matches the ids of clients in recordings and file names.
var validID = regexp.MustCompile(`^[0-9A-Za-z]{1,16}$`)

// preparePlan compiles the plan for this client.
func preparePlan(st *protocol.Start, sec *protocol.Secrets) (*bench.Compiled, error) {
	p := st.Plan
	switch {
	case p == nil || len(p.Phases) == 0:
		return nil, errors.New("the coordinator sent no plan")
	case st.Share.Index >= st.Share.Total:
		return nil, fmt.Errorf("the coordinator sent an invalid share: %d of %d", st.Share.Index, st.Share.Total)
	case !validID.MatchString(st.ID):
		return nil, errors.New("the coordinator sent an invalid id")
	}
	p.Target = p.Target.OfClient(st.Share.Index)
	p.Target.SetKeys(sec.Keys())
	tls := &p.Target.TLSOptions
	tls.Key, tls.Authorities.Text, tls.Certificate.Text = s3.Secret(sec.TLSKey), sec.Authorities, sec.Certificate
	plan, err := bench.Compile(p)
	if err == nil { // each client begins with the next key after the keys of the clients before it
		p.Target.FirstWorker = int(st.Share.Index%uint64(1+len(p.Target.OtherKeys))) * plan.Connections()
	}
	return plan, err
}
