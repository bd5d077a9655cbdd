package cli

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v3"

	"warp/internal/clock"
	"warp/internal/option"
	"warp/pkg/distributed/agent"
)

func clientCommand(e *Env) *cli.Command {
	var mesh meshFlags
	var served httpFlags
	var pushed pushFlags
	var quiet bool
	var keep int
	return &cli.Command{
		Name:      "client",
		Usage:     "run benchmarks for a coordinator on another machine",
		ArgsUsage: "[ADDRESS:PORT]",
		Description: "Waits for a coordinator, which is any benchmark with --warp-client, performs what it is told, and is ready for the " +
			"next run at once. Without a token it listens on this machine only. It keeps a recording of its own of each run in the " +
			"working directory: the newest --keep of them.",
		UsageText: "warp client --token-file=token.txt 0.0.0.0:7761",
		Flags: slices.Concat(mesh.flags(), served.flags(), pushed.flags(e), categorize(catOutput, []cli.Flag{
			&cli.IntFlag{Name: "keep", Destination: &keep, Value: 20, Usage: "`N` number of its own recordings to keep; it removes older ones after each run, and none with 0"},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Destination: &quiet, Usage: "print no messages"},
		})),
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.Args().Len() > 1 {
				return usageError("client: unexpected argument %q (want one address at most, as in \"warp client 0.0.0.0:7761\")", c.Args().Get(1))
			}
			if keep < 0 {
				return usageErrors(option.Invalid("keep", keep, "0 or more"))
			}
			if err := served.check(); err != nil {
				return usageErrors(err)
			}
			if err := mesh.files().Check(); err != nil {
				return usageErrors(err)
			}
			logf := logger(e.Stderr, quiet)
			token, err := mesh.token(e, func(text string) { logf("%s", text) })
			if err != nil {
				return usageErrors(err)
			}
			o := agent.Options{Listen: c.Args().First(), Token: token, TLS: mesh.files(), Keep: keep, Version: Version(), Logf: logf}
			v, err := openViews(e, &served, &pushed, quiet, "warp client")
			if err != nil {
				return err
			}
			if v != nil {
				defer v.close()
				o.Watcher = clientViews{v}
			}
			return serveClient(ctx, e, o)
		},
	}
}

// serveClient performs runs until it is interrupted, which is its proper end. The second interrupt leaves at once.
func serveClient(ctx context.Context, e *Env, o agent.Options) error {
	c, err := agent.New(o)
	if err != nil {
		return usageErrors(err)
	}
	ctx, stop := e.listen(ctx, func(string) {}, func() {}, func(quit func()) func() { return e.onQuit(quit) }, nil) // the client says itself what ends
	defer stop()
	if err := c.Listen(ctx); err != nil {
		return err
	}
	o.Logf("Waiting for a coordinator on %s. Interrupt (Ctrl-C) ends it.", c.Addr())
	return c.Serve(ctx)
}

// logger prints lines for a person, with the time.
func logger(w io.Writer, quiet bool) func(format string, args ...any) {
	if quiet {
		return func(string, ...any) {}
	}
	return func(format string, args ...any) {
		fmt.Fprintf(w, "%s  %s\n", clock.Now().Format("15:04:05"), fmt.Sprintf(format, args...))
	}
}
