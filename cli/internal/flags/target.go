package flags

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"warp/cli/internal/process"
	"warp/internal/input"
	"warp/internal/naming"
	"warp/internal/option"
	"warp/pkg/s3"
	"warp/pkg/s3/exchange"
	"warp/pkg/s3/target"
)

// Defaults of flags.
const (
	DefaultBucket      = "warp-benchmark-bucket"
	DefaultTimeout     = 2 * time.Minute
	DefaultDialTimeout = 10 * time.Second
)

// Target say which store is measured, and how to reach it.
type Target struct {
	google
	Host, access, secret, session   string
	store, sas                      string
	WebToken, keyFile               string
	sndbuf, rcvbuf                  int
	noDelay                         bool
	Secure                          TLS
	tls, insecure, encrypt          bool
	Region, Lookup, Signature, Pick string
	Bucket, preflight               string
	minHosts                        int
	retries                         int
	Backoff                         time.Duration
	Debug                           bool
	Engine, local, redirectTo       string
	executor                        string
	noKeepAlive, Resolve, expect    bool
	realtime                        bool
	http2                           bool
	Timeout                         time.Duration
	DialTimeout, IdleTimeout        time.Duration
	Uploads                         Uploads
	Files                           *Files // that they name
	Dry                             bool   // nothing is sent, so no credentials are needed

	env      *process.Env
	Recorded bool // a recording names the hosts where no option does
}

// Config makes the configuration of the store, without hosts if none are named. It returns all errors except for what
// s3.Config.Check finds.
func (t *Target) Config(ctx context.Context) (s3.Config, []error) {
	errs := t.checkTexts()
	unsendable := len(errs) > 0
	c := t.given()
	if form, err := naming.Hostname(t.Bucket); err != nil {
		errs = append(errs, option.Wrap("bucket", err))
	} else {
		c.SetBucket(form)
	}
	errs = append(errs, t.beginning(&c)...)
	if err := t.setStore(&c); err != nil {
		return c, append(errs, err)
	}
	if err := errors.Join(t.Uploads.apply(&c), t.Secure.apply(&c)); err != nil {
		errs = append(errs, err)
	}
	errs = append(errs, t.setGoogle(&c)...)
	if t.Bucket == "" {
		errs = append(errs, option.Errorf("bucket", "missing value"))
	} else if err := c.CheckBucket(); err != nil {
		errs = append(errs, err)
	}
	for _, f := range []struct {
		flag  string
		value time.Duration
	}{{"timeout", t.Timeout}, {"dial-timeout", t.DialTimeout}, {"idle-timeout", t.IdleTimeout}, {"backoff", t.Backoff}} {
		if f.value == 0 { // which stands for the default in a plan
			errs = append(errs, option.Invalid(f.flag, f.value, "more than 0"))
		}
	}
	found, err := t.storeOf(&c)
	if err != nil {
		return c, append(errs, err)
	}
	if found.URL == "" {
		return c, append(errs, t.embeddedErrors(&c)...)
	}
	hosts, tls, err := target.ExpandHosts(found.URL, t.Files.reader("host", input.List))
	if err != nil {
		if found.Source != "" {
			err = fmt.Errorf("%s: endpoint_url: %w", found.Source, err)
		}
		return c, append(errs, option.Wrap("host", err))
	}
	if c.RedirectTo, err = t.redirectHosts(); err != nil {
		errs = append(errs, err)
	}
	c.Hosts = hosts
	if tls != nil {
		if t.tls && !*tls {
			errs = append(errs, option.Errorf("host, tls", "http:// contradicts --tls; use one of them"))
		}
		c.TLS = *tls
	}
	if c.TLS {
		if err := t.Secure.Read(&c); err != nil {
			errs = append(errs, err)
		}
	}
	if unsendable { // keys may be asked for with these texts
		return c, errs
	}
	return c, append(errs, t.Credentials(ctx, &c)...)
}

// given returns a configuration with what flags give as it is.
func (t *Target) given() s3.Config {
	return s3.Config{
		TLS:         t.tls,
		Insecure:    t.insecure,
		Region:      t.Region,
		Lookup:      t.Lookup,
		Signature:   t.Signature,
		HostSelect:  t.Pick,
		Encrypt:     t.encrypt,
		Retries:     t.retries,
		Backoff:     t.Backoff,
		Engine:      t.Engine,
		Realtime:    t.realtime,
		LocalAddr:   t.local,
		NoKeepAlive: t.noKeepAlive,
		Expect:      t.expect,
		HTTP2:       t.http2,
		TCP:         exchange.TCP{SendBuffer: t.sndbuf, ReceiveBuffer: t.rcvbuf, Delay: !t.noDelay},
		Timeout:     t.Timeout,
		DialTimeout: t.DialTimeout,
		IdleTimeout: t.IdleTimeout,
	}
}

// onOff are the values of --preflight.
var onOff = []string{"on", "off"}

// beginning sets what a run needs to begin.
func (t *Target) beginning(c *s3.Config) (errs []error) {
	c.MinHosts, c.NoPreflight = t.minHosts, t.preflight == "off"
	if t.minHosts < 0 {
		errs = append(errs, option.Invalid("min-hosts", t.minHosts, "1 or more"))
	}
	if t.preflight != "" {
		errs = append(errs, option.OneOf("preflight", t.preflight, onOff...))
	}
	return errs
}

// redirectHosts returns the hosts of --redirect-to.
func (t *Target) redirectHosts() ([]string, error) {
	if t.redirectTo == "" {
		return nil, nil
	}
	hosts, _, err := target.ExpandHosts(t.redirectTo, t.Files.reader("redirect-to", input.List))
	return hosts, option.Wrap("redirect-to", err)
}

// Credentials sets the keys, by flags, environment or files.
func (t *Target) Credentials(ctx context.Context, c *s3.Config) []error {
	if t.Signature == "anonymous" {
		return nil
	}
	if t.Signature == "S3V2" && t.Files.Names("signature") {
		if err := t.CheckKeyUse("signature S3V2, which is"); err != nil {
			return []error{err}
		}
	}
	if t.keyFile != "" {
		return t.readKeys(c)
	}
	if t.Dry {
		return t.withoutKeys(c)
	}
	switch c.Store {
	case s3.StoreAzure:
		return t.azureCredentials(ctx, c)
	case s3.StoreGCS:
		return t.googleCredentials(ctx, c)
	}
	if t.sas != "" {
		return []error{option.Errorf("sas-token", "only Azure Blob Storage has them (want --store=azure, or --host=az://ACCOUNT)")}
	}
	if t.WebToken != "" {
		return t.exchange(ctx, c)
	}
	given := target.Credentials{AccessKey: s3.Secret(t.access), SecretKey: s3.Secret(t.secret), SessionToken: s3.Secret(t.session)}
	keys, err := target.FindCredentials(ctx, given)
	if err != nil {
		return []error{err}
	}
	if c.Region == "" {
		c.Region = keys.Region
	}
	c.SetKeys(keys)
	t.warnTrimmed(keys.Trimmed)
	if c.AccessKey == "" {
		return []error{option.Errorf("access-key, secret-key",
			"no credentials found; set both (or WARP_ACCESS_KEY and WARP_SECRET_KEY), or use --signature=anonymous")}
	}
	return nil
}

// CheckKeyUse returns an error if a scenario or a recording names the host: its author would get a signature of the
// user's keys that is valid at any host.
func (t *Target) CheckKeyUse(what string) error {
	if !t.Files.Names("host") || t.Files.Names("credentials-file") || t.Files.Names("secret-key") || t.Signature == "anonymous" {
		return nil
	}
	return option.Errorf("host",
		"%s good for any host, would go to one that the file names; use --host for that host if this is what you want", what)
}

// readKeys reads the keys of --credentials-file.
func (t *Target) readKeys(c *s3.Config) []error {
	if given := t.givenKeys(); len(given) > 1 {
		return []error{fmt.Errorf("%s: use one of them", strings.Join(given, ", "))}
	}
	keys, err := target.ReadKeys(t.keyFile, t.Files.reader("credentials-file", input.List))
	if err != nil {
		return []error{option.Wrap("credentials-file", err)}
	}
	if c.Region == "" {
		var trimmed []string
		if c.Region, trimmed, err = target.FindRegion(); err != nil {
			return []error{err}
		}
		t.warnTrimmed(trimmed)
	}
	c.SetKeys(target.Credentials{
		AccessKey:    keys[0].Access,
		SecretKey:    keys[0].Secret,
		SessionToken: keys[0].Token,
		Others:       keys[1:],
	})
	return nil
}

// withoutKeys completes a configuration that nothing is sent with.
func (t *Target) withoutKeys(c *s3.Config) (errs []error) {
	if (t.access == "") != (t.secret == "") {
		errs = append(errs, option.Errorf("access-key, secret-key", "set both, or none"))
	}
	const unused = "unused"
	if c.Store == s3.StoreGCS && c.API != s3.APIXML {
		c.SessionToken, c.Bearer = unused, true
	} else {
		c.AccessKey, c.SecretKey = unused, unused
	}
	if c.Region == "" && c.Store == "" {
		region, _, err := target.FindRegion()
		c.Region, errs = region, append(errs, err)
	}
	return errs
}

// exchange gets the keys for --sts-web-token.
func (t *Target) exchange(ctx context.Context, c *s3.Config) []error {
	if t.access != "" || t.secret != "" || t.session != "" {
		return []error{option.Errorf("sts-web-token, access-key", "use one of them")}
	}
	if t.Files.Names("host") {
		return []error{hostOfFile("host, sts-web-token", "the token")}
	}
	scheme := "http://"
	if c.TLS {
		scheme = "https://"
	}
	secure, err := c.TLSOptions.New(c.Insecure)
	if err != nil {
		return []error{err}
	}
	keys, err := target.WebIdentity(ctx, scheme+c.Hosts[0], t.WebToken, secure)
	if err != nil {
		return []error{err}
	}
	c.SetKeys(keys)
	t.warnTrimmed(keys.Trimmed)
	return nil
}

// Anonymous says that requests are not signed; empty if they are.
func (t *Target) Anonymous() string {
	if t.Signature != "anonymous" {
		return ""
	}
	text := "Requests are anonymous (--signature=anonymous)"
	if t.access != "" || t.secret != "" {
		text += ": the access key that is set is not used"
	}
	return text + "."
}

// ResolveHosts makes every address of a host name a host of its own, with --resolve-host.
func (t *Target) ResolveHosts(ctx context.Context, c *s3.Config) (err error) {
	if !t.Resolve {
		return nil
	}
	if c.Hosts, c.Names, err = target.ResolveHosts(ctx, c.Hosts, net.DefaultResolver.LookupNetIP); err != nil {
		return option.Wrap("resolve-host", err)
	}
	return nil
}

// Goroutines reports whether goroutines must perform the turns.
func (t *Target) Goroutines() bool { return t.executor == "goroutines" }
