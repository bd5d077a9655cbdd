package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"slices"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/files"
	"warp/cli/internal/process"
)

// selfProfile writes profiles of warp itself while a command runs. MinIO warp has the same flags, before the command.
type selfProfile struct {
	dir  string
	asks map[string]*bool // kinds
	stop []func() error
}

// profileFiles are the files of the kinds of profiles, named as MinIO warp names them.
var profileFiles = map[string]string{
	"cpu":     "cpu.pprof",
	"mem":     "mem.pprof",
	"block":   "block.pprof",
	"mutex":   "mutex.pprof",
	"threads": "threadcreation.pprof",
	"trace":   "trace.out",
}

// flags of warp itself, which help does not list.
func (p *selfProfile) flags() []cli.Flag {
	list := []cli.Flag{&cli.StringFlag{
		Name: "pprofdir", Destination: &p.dir, Value: "pprof", Hidden: true, Local: true, Sources: process.CommandLineOnly(),
	}}
	p.asks = map[string]*bool{}
	for kind := range profileFiles {
		p.asks[kind] = new(bool)
		list = append(list, &cli.BoolFlag{
			Name: kind, Destination: p.asks[kind], Hidden: true, Local: true, Sources: process.CommandLineOnly(),
		})
	}
	return list
}

// begin starts the requested profiles. Their files have fixed names, so they replace older ones.
func (p *selfProfile) begin(ctx context.Context, _ *cli.Command) (context.Context, error) {
	for _, kind := range slices.Sorted(maps.Keys(profileFiles)) {
		if !*p.asks[kind] {
			continue
		}
		if err := os.MkdirAll(p.dir, 0o755); err != nil {
			return ctx, process.UsageErrors(fmt.Errorf("--pprofdir: %w", err))
		}
		f, err := files.Create("pprofdir", "profile", filepath.Join(p.dir, profileFiles[kind]), true)
		if err != nil {
			return ctx, err
		}
		end, err := startProfile(kind, f)
		if err != nil {
			f.Discard()
			return ctx, fmt.Errorf("--%s: %w", kind, err)
		}
		p.stop = append(p.stop, func() error {
			if err := end(); err != nil {
				f.Discard()
				return err
			}
			return f.Commit()
		})
	}
	return ctx, nil
}

// startProfile starts a profile; end writes what it has not written yet.
func startProfile(kind string, to *files.Atomic) (end func() error, err error) {
	write := func(profile string) func() error { return func() error { return pprof.Lookup(profile).WriteTo(to, 0) } }
	switch kind {
	case "cpu":
		return func() error { pprof.StopCPUProfile(); return nil }, pprof.StartCPUProfile(to)
	case "trace":
		return func() error { trace.Stop(); return nil }, trace.Start(to)
	case "block":
		runtime.SetBlockProfileRate(1)
		return write("block"), nil
	case "mutex":
		runtime.SetMutexProfileFraction(1)
		return write("mutex"), nil
	case "threads":
		return write("threadcreate"), nil
	}
	return write("heap"), nil
}

// end writes the profiles.
func (p *selfProfile) end(context.Context, *cli.Command) error {
	var errs []error
	for _, stop := range p.stop {
		errs = append(errs, stop())
	}
	return errors.Join(errs...)
}
