package flags

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/process"
	"warp/internal/input"
	"warp/internal/option"
	"warp/pkg/distributed/transport"
)

// Mesh are how clients and coordinator find and trust each other.
type Mesh struct {
	tokenFile     string
	cert, key, ca string
}

// Flags are those about the connection of clients and coordinator.
func (m *Mesh) Flags() []cli.Flag {
	return Categorize(catClients, []cli.Flag{
		&cli.StringFlag{
			Name:        "token-file",
			Destination: &m.tokenFile,
			Usage:       "`FILE` token shared by clients and coordinator (else WARP_TOKEN)",
		},
		&cli.StringFlag{Name: "tls-cert", Destination: &m.cert, Usage: "`FILE` PEM file of the certificate to present"},
		&cli.StringFlag{Name: "tls-key", Destination: &m.key, Usage: "`FILE` PEM file of the certificate's key"},
		&cli.StringFlag{Name: "tls-ca", Destination: &m.ca, Usage: "`FILE` PEM file of CA certificates to trust for peers"},
	})
}

// Token returns the shared token; empty without one. It calls warn if others can read the token's file.
func (m *Mesh) Token(e *process.Env, warn func(string)) (string, error) {
	source, token := "WARP_TOKEN", e.Getenv("WARP_TOKEN")
	if m.tokenFile != "" {
		b, err := input.Read(m.tokenFile, input.Short)
		if err != nil {
			return "", option.Wrap("token-file", err)
		}
		if source, token = "--token-file", strings.TrimRight(string(b), "\r\n"); token == "" {
			return "", option.Errorf("token-file", "%s holds no token", m.tokenFile)
		}
		// Windows has no such bits.
		if info, err := os.Stat(m.tokenFile); err == nil && info.Mode().Perm()&othersRead != 0 && runtime.GOOS != "windows" {
			warn(fmt.Sprintf("Warning: all users of this machine can read the token in %s (mode %04o), and so have this client "+
				"put load on any host; \"chmod o-r\" that file.",
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

// unused is an error if one of the flags is given where there are no clients.
func (m *Mesh) unused() error {
	for _, f := range []struct{ flag, value string }{{"token-file", m.tokenFile}, {"tls-cert", m.cert}, {"tls-key", m.key}, {"tls-ca", m.ca}} {
		if f.value != "" {
			return option.Errorf(f.flag,
				"%q is for the connection to clients (add --warp-client; for the store, use --cert-file, --key-file and --ca-file)", f.value)
		}
	}
	return nil
}

// Files returns the files of certificates.
func (m *Mesh) Files() transport.TLSFiles {
	return transport.TLSFiles{Cert: m.cert, Key: m.key, CA: m.ca}
}

// othersRead is the bit of a file's mode that lets everybody read it. A group that may is taken as meant: secrets of
// containers are often given to one.
const othersRead = 0o004
