package cli

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/cli/internal/progress"
	"warp/internal/clock"
	"warp/internal/option"
	"warp/pkg/distributed/agent"
)

func clientCommand(e *process.Env) *cli.Command {
	var mesh flags.Mesh
	var served flags.HTTP
	var pushed flags.Push
	var quiet bool
	var keep int
	return &cli.Command{
		Name:      "client",
		Usage:     "run benchmarks for a coordinator on another machine",
		ArgsUsage: "[ADDRESS:PORT]",
		Description: "Waits for a coordinator (any benchmark with --warp-client), performs its run, and is ready for the next one. Without " +
			"a token it listens on this machine only. Connections to the store leave from the address it listens on, unless the run has " +
			"--local-addr. It keeps its own recording of each run in the working directory: the newest --keep of them.",
		UsageText: "warp client --token-file=token.txt 0.0.0.0:7761",
		Flags: slices.Concat(mesh.Flags(), served.Flags(), pushed.Flags(e), flags.Categorize(flags.CatOutput, []cli.Flag{
			&cli.IntFlag{
				Name:        "keep",
				Destination: &keep,
				Value:       20,
				Usage:       "`N` number of recordings to keep; 0: all",
			},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Destination: &quiet, Usage: "print no messages"},
		})),
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.Args().Len() > 1 {
				return process.UsageError("client: unexpected argument %q (want one address at most, as in \"warp client 0.0.0.0:7761\")",
					c.Args().Get(1))
			}
			if keep < 0 {
				return process.UsageErrors(option.Invalid("keep", keep, "0 or more"))
			}
			if err := served.Check(); err != nil {
				return process.UsageErrors(err)
			}
			if err := mesh.Files().Check(); err != nil {
				return process.UsageErrors(err)
			}
			logf := logger(e.Stderr, quiet)
			token, err := mesh.Token(e, func(text string) { logf("%s", text) })
			if err != nil {
				return process.UsageErrors(err)
			}
			o := agent.Options{
				Listen:  c.Args().First(),
				Token:   token,
				TLS:     mesh.Files(),
				Keep:    keep,
				Version: process.Version(),
				Logf:    logf,
			}
			v, err := progress.OpenViews(e, &served, &pushed, quiet, "warp client")
			if err != nil {
				return err
			}
			if v != nil {
				defer v.Close()
				o.Watcher = progress.ClientViews{Views: v}
			}
			return serveClient(ctx, e, o)
		},
	}
}

// serveClient performs runs until it is interrupted, which is its proper end. The second interrupt leaves at once.
func serveClient(ctx context.Context, e *process.Env, o agent.Options) error {
	c, err := agent.New(o)
	if err != nil {
		return process.UsageErrors(err)
	}
	// No texts: the client itself says what ends.
	ctx, stop := e.Listen(ctx, func(string) {}, func() {}, func(quit func()) func() { return e.OnQuit(quit) }, nil)
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
