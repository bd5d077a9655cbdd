package cli

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"strconv"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/process"
	"warp/cli/internal/runs"
	"warp/internal/embedded"
)

func serveCommand(e *process.Env) *cli.Command {
	return &cli.Command{
		Name:      "serve",
		Usage:     "run the embedded S3 server, to try things",
		ArgsUsage: "[ADDRESS:PORT]",
		Description: "Runs a real S3 server (VersityGW) in a temporary directory, on 127.0.0.1:9000 or the address given, until it is " +
			"interrupted. Then all its objects are gone.",
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.Args().Len() > 1 {
				return process.UsageError("serve: unexpected argument %q (want one address at most, as in \"warp serve 127.0.0.1:9000\")",
					c.Args().Get(1))
			}
			addr := cmp.Or(c.Args().First(), "127.0.0.1:9000")
			_, port, err := net.SplitHostPort(addr)
			if err == nil {
				_, err = strconv.ParseUint(port, 10, 16)
			}
			if err != nil {
				return process.UsageError("serve: invalid address %q (want ADDRESS:PORT, as in \"warp serve 127.0.0.1:9000\")", addr)
			}
			if !embedded.Built {
				return process.UsageError("serve: %w", embedded.ErrNotBuilt)
			}
			return serve(ctx, e, addr)
		},
	}
}

func serve(ctx context.Context, e *process.Env, addr string) error {
	ctx, stop := e.CancelOnInterrupt(ctx)
	defer stop()
	s, err := embedded.Start(ctx, embedded.Options{Addr: addr})
	if err != nil && ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	for _, l := range s.Removed {
		fmt.Fprintln(e.Stderr, runs.RemovedLine(l))
	}
	fmt.Fprintf(e.Stdout, "S3 server on http://%s, objects %s.\n\nexport WARP_HOST=%s WARP_ACCESS_KEY=%s "+
		"WARP_SECRET_KEY=%s\n\nInterrupt (Ctrl-C) ends it and removes all objects.\n",
		s.Endpoint(), runs.Place(s), s.Endpoint(), s.Access, s.Secret)
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
