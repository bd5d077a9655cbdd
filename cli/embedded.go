package cli

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"strconv"

	"github.com/urfave/cli/v3"

	"warp/internal/embedded"
	"warp/pkg/bench"
	"warp/pkg/s3"
	"warp/pkg/units"
)

// startEmbedded starts the embedded server as the target of a plan that needs so many bytes, and says what is being measured.
func startEmbedded(ctx context.Context, plan *bench.Plan, need int64, w *watcher) (*embedded.Server, error) {
	s, err := embedded.Start(ctx, embedded.Options{Need: need})
	if err != nil && ctx.Err() != nil {
		return nil, bench.ErrInterrupted
	}
	if err != nil {
		return nil, fmt.Errorf("start the embedded server: %w; name a server with --host to do without it", err)
	}
	plan.Room = s.Free / 4 * 3 // the rest is for metadata, and for the machine
	t := &plan.Target
	t.Hosts, t.TLS, t.TLSOptions = []string{s.Endpoint()}, false, s3.TLSOptions{}
	t.AccessKey, t.SecretKey, t.SessionToken = s3.Secret(s.Access), s3.Secret(s.Secret), ""
	for _, l := range s.Removed {
		w.inform(removedLine(l))
	}
	w.Notice(fmt.Sprintf("No --host given: measuring a server embedded in warp on this machine, which keeps its objects %s.", place(s)))
	return s, nil
}

// removedLine reports the removal of what a killed server left.
func removedLine(l embedded.Leftover) string {
	return fmt.Sprintf("Removed %s that an embedded server left in %s when it was killed.", units.Size(l.Bytes), l.Dir)
}

// place says where a server keeps its objects.
func place(s *embedded.Server) string {
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

func serveCommand(e *Env) *cli.Command {
	return &cli.Command{
		Name:      "serve",
		Usage:     "run the embedded S3 server, to try things",
		ArgsUsage: "[ADDRESS:PORT]",
		Description: "Runs a real S3 server (VersityGW) in a temporary directory, on 127.0.0.1:9000 or the address given, until it is " +
			"interrupted. All its objects are gone then.",
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.Args().Len() > 1 {
				return usageError("serve: unexpected argument %q (want one address at most, as in \"warp serve 127.0.0.1:9000\")", c.Args().Get(1))
			}
			addr := cmp.Or(c.Args().First(), "127.0.0.1:9000")
			_, port, err := net.SplitHostPort(addr)
			if err == nil {
				_, err = strconv.ParseUint(port, 10, 16)
			}
			if err != nil {
				return usageError("serve: invalid address %q (want ADDRESS:PORT, as in \"warp serve 127.0.0.1:9000\")", addr)
			}
			if !embedded.Built {
				return usageError("serve: %w", embedded.ErrNotBuilt)
			}
			return serve(ctx, e, addr)
		},
	}
}

func serve(ctx context.Context, e *Env, addr string) error {
	ctx, stop := cancelOnInterrupt(ctx, e)
	defer stop()
	s, err := embedded.Start(ctx, embedded.Options{Addr: addr})
	if err != nil && ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	for _, l := range s.Removed {
		fmt.Fprintln(e.Stderr, removedLine(l))
	}
	fmt.Fprintf(e.Stdout, "S3 server on http://%s, objects %s.\n\nexport WARP_HOST=%s WARP_ACCESS_KEY=%s WARP_SECRET_KEY=%s\n\nInterrupt (Ctrl-C) ends it and removes all objects.\n",
		s.Endpoint(), place(s), s.Endpoint(), s.Access, s.Secret)
	select {
	case <-ctx.Done():
	case <-s.Done():
		err = s.Err()
	}
	if stopErr := s.Stop(); err == nil {
		err = stopErr
	}
	return err
}
