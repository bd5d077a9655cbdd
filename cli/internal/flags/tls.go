package flags

import (
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/process"
	"warp/internal/input"
	"warp/internal/option"
	"warp/pkg/s3"
)

// TLS say how TLS connections to the store are made.
type TLS struct {
	ca, cert, key, serverName, minVersion string
	Files                                 *Files // that they name
	env                                   *process.Env
}

func (f *TLS) flags(e *process.Env) []cli.Flag {
	f.env = e
	return []cli.Flag{
		&cli.StringFlag{
			Name:        "ca-file",
			Destination: &f.ca,
			Sources:     e.Source("AWS_CA_BUNDLE"),
			Usage:       "`FILE` PEM file of CA certificates to trust",
			DefaultText: "the system's",
		},
		&cli.StringFlag{Name: "cert-file", Destination: &f.cert, Usage: "`FILE` PEM file of the client certificate"},
		&cli.StringFlag{Name: "key-file", Destination: &f.key, Usage: "`FILE` PEM file of the client certificate's key"},
		&cli.StringFlag{
			Name:        "tls-server-name",
			Destination: &f.serverName,
			Usage:       "`NAME` name expected in the hosts' certificates",
			DefaultText: "the host's",
		},
		&Choice{Values: Offered(s3.TLSVersions...), StringFlag: cli.StringFlag{
			Name:        "tls-min-version",
			Destination: &f.minVersion,
			Value:       "1.2",
			Usage:       "`VERSION` oldest TLS version to accept: 1.2 or 1.3",
		}},
	}
}

// apply sets the options of a store that need no file, and checks that a scenario may name the others.
func (f *TLS) apply(c *s3.Config) error {
	o := &c.TLSOptions
	if o.ServerName = f.serverName; f.minVersion != "1.2" {
		o.MinVersion = f.minVersion
	}
	var errs []error
	if strings.ContainsFunc(f.serverName, func(r rune) bool { return notInName(r) && r != '.' && r != ':' }) {
		errs = append(errs, option.Invalid("tls-server-name", f.serverName, "the name of a host, or an address"))
	}
	for _, named := range [][2]string{{"ca-file", f.ca}, {"cert-file", f.cert}, {"key-file", f.key}} {
		if flag, path := named[0], named[1]; path != "" {
			_, err := f.Files.Path(flag, path)
			errs = append(errs, option.Wrap(flag, err))
		}
	}
	return errors.Join(errs...)
}

// ReadAgain reads the authorities of a recorded run, if the file is still the same. Else the store says that it is missing.
func (f *TLS) ReadAgain(p *s3.PEM) {
	if !p.Missing() || p.Name == "" {
		return
	}
	if text, err := input.Read(p.Name, input.Short); err == nil && s3.NewPEM(p.Name, string(text)).SHA256 == p.SHA256 {
		p.Text = string(text)
	}
}

// Read reads the files, which is for hosts with TLS: a bundle that the environment names for all programs may be missing else.
func (f *TLS) Read(c *s3.Config) error {
	o := &c.TLSOptions
	var errs []error
	source := f.env.Origin("ca-file", f.ca)
	o.Authorities = f.file(source, "ca-file", f.ca, &errs)
	if o.Authorities.Text != "" {
		if err := o.Authorities.CheckCertificates(); err != nil {
			errs, o.Authorities = append(errs, fmt.Errorf("%s: %w", source, err)), s3.PEM{}
		}
	}
	known := len(errs)
	o.Certificate = f.file("--cert-file", "cert-file", f.cert, &errs)
	o.Key = s3.Secret(f.file("--key-file", "key-file", f.key, &errs).Text)
	if len(errs) > known { // half a pair has been reported already
		o.Certificate, o.Key = s3.PEM{}, ""
	}
	return errors.Join(errs...)
}

// file reads one of the files. The source is what an error names.
func (f *TLS) file(source, flag, path string, errs *[]error) s3.PEM {
	if path == "" {
		return s3.PEM{}
	}
	text, err := f.Files.reader(flag, input.Short)(path)
	if err == nil && len(text) == 0 {
		err = fmt.Errorf("%s is empty", path)
	}
	if err != nil {
		*errs = append(*errs, fmt.Errorf("%s: %w", source, err))
	}
	return s3.NewPEM(path, string(text))
}
