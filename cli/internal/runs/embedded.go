package runs

import (
	"context"
	"fmt"

	"warp/cli/internal/process"
	"warp/cli/internal/progress"
	"warp/internal/embedded"
	"warp/pkg/bench"
	"warp/pkg/s3"
	"warp/pkg/units"
)

// StartEmbedded starts the embedded server as the target of a plan that needs a number of bytes, and says what is being measured. The runs
// of a shell script share one. The caller must call stop.
func StartEmbedded(
	ctx context.Context, e *process.Env, plan *bench.Plan, need int64, w *progress.Watcher,
) (s *embedded.Server, stop func(), err error) {
	begun, stop := true, func() {}
	if e.Script != nil {
		s, begun, err = e.Script.Server(ctx, need)
	} else if s, err = embedded.Start(ctx, embedded.Options{Need: need}); err == nil {
		stop = func() {
			if err := s.Stop(); err != nil {
				w.Notice(fmt.Sprintf("Stopping the embedded server: %v", err))
			}
		}
	}
	if err != nil && ctx.Err() != nil {
		return nil, nil, bench.ErrInterrupted
	}
	if err != nil {
		return nil, nil, fmt.Errorf("start the embedded server: %w; name a server with --host to do without it", err)
	}
	plan.Room = s.FreeSpace() / 4 * 3 // the rest is for metadata, and for the machine
	t := &plan.Target
	t.Hosts, t.TLS, t.TLSOptions = []string{s.Endpoint()}, false, s3.TLSOptions{}
	t.AccessKey, t.SecretKey, t.SessionToken = s3.Secret(s.Access), s3.Secret(s.Secret), ""
	if !begun {
		return s, stop, nil
	}
	for _, l := range s.Removed {
		w.Inform(RemovedLine(l))
	}
	w.Notice(fmt.Sprintf("No --host given: measuring a server embedded in warp on this machine, which keeps its objects %s.", Place(s)))
	return s, stop, nil
}

// RemovedLine reports the removal of what a killed server left.
func RemovedLine(l embedded.Leftover) string {
	return fmt.Sprintf("Removed %s that an embedded server left in %s when it was killed.", units.Size(l.Bytes), l.Dir)
}

// Place says where a server keeps its objects.
func Place(s *embedded.Server) string {
	where := "on disk"
	if s.InMemory {
		where = "in memory"
	}
	room := ""
	if s.Free > 0 {
		room = fmt.Sprintf(", room for %.1f GiB", float64(s.Free)/(1<<30))
	}
	return where + " (" + s.Dir() + room + ")"
}
