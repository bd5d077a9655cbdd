package progress

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"warp/cli/internal/files"
	"warp/cli/internal/flags"
	"warp/internal/option"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
)

// profiling has a MinIO server profile itself during the benchmark.
type profiling struct {
	server    *connect.Profiler
	kind      string
	path      string
	overwrite bool
	on        bool
	wg        sync.WaitGroup
}

// ProfilesSuffix ends the name of the file of profiles, next to the recording.
const ProfilesSuffix = ".profiles.zip"

// profileTimeout bounds what the server may take to start, or to hand over its profiles.
const profileTimeout = 2 * time.Minute

// NewProfiling is what --serverprof asks for; nil if it is not given.
func NewProfiling(server s3.Config, o *flags.Output, base string) (*profiling, error) {
	if o.ServerProfile == "" {
		return nil, nil
	}
	p, err := connect.NewProfiler(server)
	if err != nil {
		return nil, option.Wrap("serverprof", err)
	}
	return &profiling{
		server:    p,
		kind:      o.ServerProfile,
		path:      base + ProfilesSuffix,
		overwrite: o.Overwrite,
	}, nil
}

// begin has the profile started while the benchmark goes on, which must not wait for it.
func (p *profiling) begin(notice func(string)) {
	p.wg.Go(func() {
		if err := p.start(); err != nil {
			notice(err.Error())
		}
	})
}

func (p *profiling) start() error {
	ctx, cancel := context.WithTimeout(context.Background(), profileTimeout)
	defer cancel()
	if err := p.server.StartProfile(ctx, p.kind); err != nil {
		return fmt.Errorf("no server profile: %w", err)
	}
	p.on = true
	return nil
}

// finish ends profiling and saves what came of it.
func (p *profiling) finish() (err error) {
	p.wg.Wait()
	defer p.server.Close()
	if !p.on {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), profileTimeout)
	defer cancel()
	err = files.Write("serverprof", p.path, p.overwrite, func(to io.Writer) error { return p.server.StopProfile(ctx, to) })
	if err != nil {
		return fmt.Errorf("no server profile: %w", err)
	}
	return nil
}
