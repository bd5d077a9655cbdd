package cli

import (
	"errors"

	"github.com/urfave/cli/v3"

	"warp/internal/input"
	"warp/internal/option"
	"warp/pkg/s3"
)

// tlsFlags say how TLS connections to the store are made.
type tlsFlags struct {
	ca, cert, key, serverName, minVersion string
	files                                 *files // that they name
}

func (f *tlsFlags) flags(e *Env) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "ca-file", Destination: &f.ca, Sources: e.source("AWS_CA_BUNDLE"), Usage: "`FILE` authorities of which one must have signed the hosts' certificates, in PEM form", DefaultText: "those of the system"},
		&cli.StringFlag{Name: "cert-file", Destination: &f.cert, Usage: "`FILE` certificate to present to hosts that ask for one, in PEM form"},
		&cli.StringFlag{Name: "key-file", Destination: &f.key, Usage: "`FILE` key of that certificate, in PEM form"},
		&cli.StringFlag{Name: "tls-server-name", Destination: &f.serverName, Usage: "`NAME` name in the hosts' certificates", DefaultText: "that of the host"},
		&cli.StringFlag{Name: "tls-min-version", Destination: &f.minVersion, Value: "1.2", Usage: "`VERSION` oldest version of TLS to accept: 1.2 or 1.3"},
	}
}

// apply sets the options of a store.
func (f *tlsFlags) apply(c *s3.Config) error {
	o := &c.TLSOptions
	if o.ServerName = f.serverName; f.minVersion != "1.2" {
		o.MinVersion = f.minVersion
	}
	var errs []error
	read := func(flag, path string) string {
		if path == "" {
			return ""
		}
		text, err := f.files.reader(flag, input.Short)(path)
		if err != nil {
			errs = append(errs, option.Wrap(flag, err))
		}
		return string(text)
	}
	o.Authorities, o.Certificate, o.Key = read("ca-file", f.ca), read("cert-file", f.cert), s3.Secret(read("key-file", f.key))
	return errors.Join(errs...)
}
