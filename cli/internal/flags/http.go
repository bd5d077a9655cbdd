package flags

import (
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/process"
	"warp/internal/input"
	"warp/internal/option"
	"warp/pkg/distributed/transport"
	"warp/view/web"
)

// HTTP have a run served over HTTP while it goes on.
type HTTP struct {
	Addr, tokenFile string
	Linger          time.Duration
}

// Flags are those about the page.
func (h *HTTP) Flags() []cli.Flag {
	return Categorize(catViews, []cli.Flag{
		&cli.StringFlag{
			Name:        "http",
			Destination: &h.Addr,
			Usage:       "`ADDRESS` serve a live page, metrics and the JSON report, as in 127.0.0.1:8090",
		},
		&cli.StringFlag{
			Name:        "http-token-file",
			Destination: &h.tokenFile,
			Usage:       "`FILE` token for readers of --http (else WARP_HTTP_TOKEN)",
		},
		&cli.DurationFlag{
			Name:        "http-linger",
			Destination: &h.Linger,
			Usage:       "`DURATION` keep serving this long after the run",
		},
	})
}

// Check returns what is wrong with the flags, as far as that does not depend on the machine.
func (h *HTTP) Check() error {
	switch {
	case h.Linger < 0:
		return option.Invalid("http-linger", h.Linger, "0 or more")
	case h.Addr == "" && h.Linger > 0:
		return option.Errorf("http-linger", "nothing is served without --http")
	case h.Addr == "" && h.tokenFile != "":
		return option.Errorf("http-token-file", "nothing is served without --http")
	}
	return nil
}

// token returns the token of readers; empty without one.
func (h *HTTP) token(e *process.Env) (string, error) {
	name, token := "WARP_HTTP_TOKEN", e.Getenv("WARP_HTTP_TOKEN")
	if h.tokenFile != "" {
		text, err := input.Read(h.tokenFile, input.Short)
		if err != nil {
			return "", option.Wrap("http-token-file", err)
		}
		if name, token = "--http-token-file", strings.TrimRight(string(text), "\r\n"); token == "" {
			return "", option.Errorf("http-token-file", "%s holds no token", h.tokenFile)
		}
	}
	if err := e.Line(name, &token); err != nil {
		return "", err
	}
	if err := transport.CheckToken(token); err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return token, nil
}

// Listen opens the address, with the options of the server that the caller knows.
func (h *HTTP) Listen(e *process.Env, o web.Options) (*web.Server, error) {
	token, err := h.token(e)
	if err != nil {
		return nil, process.UsageErrors(err)
	}
	o.Addr, o.Token = h.Addr, token
	server, err := web.Listen(o)
	if err != nil {
		return nil, process.UsageErrors(option.Wrap("http", err))
	}
	return server, nil
}
