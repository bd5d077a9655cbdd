package cli

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

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

// profilesSuffix is that of the file of profiles, which lies beside the recording.
const profilesSuffix = ".profiles.zip"

// profileTimeout bounds what the server may take to start, or to hand over its profiles.
const profileTimeout = 2 * time.Minute

// newProfiling is what --serverprof asks for; nil if it is not given.
func newProfiling(server s3.Config, o *outputFlags, base string) (*profiling, error) {
	if o.serverProfile == "" {
		return nil, nil
	}
	p, err := connect.NewProfiler(server)
	if err != nil {
		return nil, option.Wrap("serverprof", err)
	}
	return &profiling{server: p, kind: o.serverProfile, path: base + profilesSuffix, overwrite: o.overwrite}, nil
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
	err = writeFile("serverprof", p.path, p.overwrite, func(to io.Writer) error { return p.server.StopProfile(ctx, to) })
	if err != nil {
		return fmt.Errorf("no server profile: %w", err)
	}
	return nil
}
