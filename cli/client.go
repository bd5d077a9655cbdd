package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"warp/internal/clock"
	"warp/internal/input"
	"warp/internal/option"
	"warp/pkg/distributed/agent"
	"warp/pkg/distributed/transport"
)

// meshFlags are how clients and coordinator find and trust each other.
type meshFlags struct {
	tokenFile     string
	cert, key, ca string
}

func (m *meshFlags) flags() []cli.Flag {
	return categorize(catClients, []cli.Flag{
		&cli.StringFlag{Name: "token-file", Destination: &m.tokenFile, Usage: "`FILE` token that clients and coordinator share; else the variable WARP_TOKEN is used. Without a token, clients must be on this machine"},
		&cli.StringFlag{Name: "tls-cert", Destination: &m.cert, Usage: "`FILE` certificate to present, in PEM form; not needed with a token"},
		&cli.StringFlag{Name: "tls-key", Destination: &m.key, Usage: "`FILE` key of that certificate, in PEM form"},
		&cli.StringFlag{Name: "tls-ca", Destination: &m.ca, Usage: "`FILE` authorities of which one must have signed the peer's certificate, in PEM form"},
	})
}

// token returns the shared token, or "" if none is set. It calls warn if others can read the token's file.
func (m *meshFlags) token(e *Env, warn func(string)) (string, error) {
	source, token := "WARP_TOKEN", e.Getenv("WARP_TOKEN")
	if m.tokenFile != "" {
		b, err := input.Read(m.tokenFile, input.Short)
		if err != nil {
			return "", option.Wrap("token-file", err)
		}
		if source, token = "--token-file", strings.TrimRight(string(b), "\r\n"); token == "" {
			return "", option.Errorf("token-file", "%s holds no token", m.tokenFile)
		}
		if info, err := os.Stat(m.tokenFile); err == nil && info.Mode().Perm()&othersRead != 0 && runtime.GOOS != "windows" { // which has no such bits
			warn(fmt.Sprintf("Warning: all users of this machine can read the token in %s (mode %04o), and so have this client put load on any host; \"chmod o-r\" that file.",
				m.tokenFile, info.Mode().Perm()))
		}
	}
	token, trimmed, err := option.Line(token)
	if err != nil {
		return "", fmt.Errorf("%s: %w", source, err)
	}
	if trimmed {
		warn(option.TrimmedText(source))
	}
	if err := transport.CheckToken(token); err != nil {
		return "", fmt.Errorf("token: %w", err)
	}
	return token, nil
}

// othersRead is the bit of a file's mode that lets everybody read it. A group that may is taken as meant: secrets of
// containers are often given to one.
const othersRead = 0o004

// unused is an error if one of the flags is given where there are no clients.
func (m *meshFlags) unused() error {
	for _, f := range []struct{ flag, value string }{{"token-file", m.tokenFile}, {"tls-cert", m.cert}, {"tls-key", m.key}, {"tls-ca", m.ca}} {
		if f.value != "" {
			return option.Errorf(f.flag,
				"%q is for the connection to clients (add --warp-client; for the store, use --cert-file, --key-file and --ca-file)", f.value)
		}
	}
	return nil
}

func (m *meshFlags) files() transport.TLSFiles {
	return transport.TLSFiles{Cert: m.cert, Key: m.key, CA: m.ca}
}

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
	ctx, stop := listen(ctx, e, func(string) {}, func() {}, func(quit func()) func() { return onQuit(e, quit) }, nil) // the client says itself what ends
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
