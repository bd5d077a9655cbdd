package distributed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/pkg/bench"
	"warp/pkg/load"
)

// group is the company of other clients, as bench.Run sees it: a talk with the coordinator.
type group struct {
	job      *job
	share    load.Share
	progress func() count // how far this client has come; may be nil
	patience patience
	met      int // meetings so far
	phases   int // benchmarks among them
	orphans  []uint64
}

// Orphans are the clients whose part of the shared data is to be removed with this one's own.
func (g *group) Orphans() []uint64 { return g.orphans }

// Settled is closed when the throughput of all clients together is stable in this phase.
func (g *group) Settled() <-chan struct{} { return g.job.settled(g.phases - 1) }

// Share is this client's part of the load.
func (g *group) Share() load.Share { return g.share }

// Once has the first client that asks make the bytes. The coordinator says who that is.
func (g *group) Once(ctx context.Context, key string, make func(context.Context) ([]byte, error)) ([]byte, error) {
	j := g.job
	turn, value := j.expect(msgMake+" "+key), j.expect(msgValue+" "+key)
	defer j.forget(msgMake+" "+key, msgValue+" "+key)
	if err := j.session.send(ctx, msgOnce, once{Key: key}); err != nil {
		return nil, err
	}
	select {
	case <-turn:
		b, err := make(ctx)
		answer := once{Key: key, Bytes: b}
		if err != nil {
			answer.Err = short(err)
		}
		return b, errors.Join(err, j.session.send(ctx, msgMade, answer))
	case f := <-value:
		var o once
		if err := f.open(&o); err != nil {
			return nil, err
		}
		if o.Err != "" {
			return nil, fmt.Errorf("another client did this for all, and failed: %s", o.Err)
		}
		return o.Bytes, nil
	case <-j.session.done:
		return nil, j.session.reason()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Barrier tells the coordinator that this client has come to a stage, and waits for its word to go on. The start is on this
// machine's clock.
func (g *group) Barrier(ctx context.Context, stage string, mine error) (time.Time, error) {
	j := g.job
	n := g.met
	g.met++
	m := meet{N: n, Stage: stage}
	if g.progress != nil {
		m.Before = g.progress()
	}
	if stage == bench.StageBenchmark {
		g.phases++
		if mine == nil {
			g.patience.arrive()
		}
	}
	if mine != nil {
		m.Err, m.Stopped = j.excuse(mine)
	}
	key := fmt.Sprintf("%s %d", msgGo, n)
	word := j.expect(key)
	defer j.forget(key)
	// What a client that is stopped has to say matters to the others as well.
	if err := j.session.send(context.WithoutCancel(ctx), msgMeet, m); err != nil {
		return time.Time{}, errors.Join(mine, g.alone(stage, err))
	}
	if ctx.Err() != nil {
		return time.Time{}, errors.Join(mine, context.Cause(ctx))
	}
	var b begin
	if err := j.await(ctx, word, &b); err != nil {
		return time.Time{}, errors.Join(mine, g.alone(stage, err))
	}
	if mine == nil && b.Err != "" {
		mine = fmt.Errorf("%w: %s", errGivenUp, b.Err)
	}
	if stage == bench.StageBenchmark {
		g.patience.begin(j.here(b.Start), mine)
	}
	g.orphans = b.Orphans
	return j.here(b.Start), mine
}

// alone is called when the coordinator does not say to go on any more. It gives err, when this client may.
func (g *group) alone(stage string, err error) error {
	if stage == bench.StageCleanup && errors.Is(err, errCoordinatorLost) && g.job.stoppedBy() != errStopped {
		g.patience.wait(g.job)
	}
	return err
}

// excuse is what the coordinator is told of an error, and whether it only did what the coordinator wanted.
func (j *job) excuse(err error) (text peerText, stopped bool) {
	why := j.stoppedBy()
	if why != nil && why != errStopped && !errors.Is(err, why) {
		err = errors.Join(why, err)
	}
	return short(err), why == errStopped
}

// errGivenUp tells that the benchmark did not begin because of another client.
var errGivenUp = errors.New("the benchmark was given up")

// short is the text of an error, of a length that can be sent.
func short(err error) peerText {
	const most = 2 << 10
	text := oneLine(err)
	if len(text) > most {
		text = text[:most] + " ..."
	}
	return peerText(text)
}

// oneLine is the text of an error in one line that says nothing twice: the end of a session is the error of all who wait.
func oneLine(err error) string {
	var parts []string
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSpace(line); line != "" && !slices.Contains(parts, line) {
			parts = append(parts, line)
		}
	}
	return strings.Join(parts, "; ")
}
