package cli

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/urfave/cli/v3"

	"warp/pkg/s3"
)

// targetFlags say which store is measured, and how to reach it.
type targetFlags struct {
	host, access, secret, session   string
	tls, insecure, encrypt          bool
	region, lookup, signature, pick string
	bucket                          string
	retries                         int
	debug                           bool
	engine, local, class            string
	noKeepAlive, resolve, expect    bool
	timeout                         time.Duration
	dialTimeout, idleTimeout        time.Duration
	metadata, tags                  []string
}

func (t *targetFlags) flags(e *Env) []cli.Flag {
	return categorize(catTarget, []cli.Flag{
		&cli.StringFlag{Name: "host", Destination: &t.host, Sources: e.source("WARP_HOST"), Usage: "`hosts` to measure: host:port or a URL, a comma separated list, ranges as in 10.0.0.{1...10}:9000, or file:NAME with a host on each line; with none, a server embedded in warp is measured"},
		&cli.StringFlag{Name: "access-key", Destination: &t.access, Sources: e.source("WARP_ACCESS_KEY"), Usage: "access `key`; else AWS_ACCESS_KEY_ID or the shared AWS files are used"},
		&cli.StringFlag{Name: "secret-key", Destination: &t.secret, Sources: e.source("WARP_SECRET_KEY"), Usage: "secret `key`; better set in the environment than typed here"},
		&cli.StringFlag{Name: "session-token", Destination: &t.session, Sources: e.source("WARP_SESSION_TOKEN"), Usage: "`token` of temporary credentials"},
		&cli.BoolFlag{Name: "tls", Destination: &t.tls, Sources: e.source("WARP_TLS"), Usage: "use TLS (HTTPS)"},
		&cli.BoolFlag{Name: "insecure", Destination: &t.insecure, Usage: "do not verify the certificate of the host"},
		&cli.StringFlag{Name: "region", Destination: &t.region, Sources: e.source("WARP_REGION"), Usage: "`region` to sign for", DefaultText: "AWS_REGION, else us-east-1"},
		&cli.StringFlag{Name: "lookup", Destination: &t.lookup, Sources: e.source("WARP_LOOKUP"), Usage: "`where` the bucket stands in a URL: \"path\" or \"host\"", DefaultText: "by the host's name"},
		&cli.StringFlag{Name: "signature", Destination: &t.signature, Value: "S3V4", Usage: "`version` of the signature: S3V4, S3V2 or anonymous"},
		&cli.StringFlag{Name: "bucket", Destination: &t.bucket, Value: "warp-benchmark-bucket", Usage: "`bucket` to use, made if it is not there; only objects that the run made are deleted"},
		&cli.StringFlag{Name: "host-select", Destination: &t.pick, Value: "weighed", Usage: "`how` to choose a host for each request: \"weighed\" (fewest requests in flight, then longest idle) or \"roundrobin\""},
		&cli.BoolFlag{Name: "encrypt", Destination: &t.encrypt, Usage: "encrypt objects with a random key that is sent along (SSE-C); needs TLS"},
		&cli.IntFlag{Name: "retries", Destination: &t.retries, Usage: "send a failed request again up to `n` times; each one is counted and its time is part of the latency", DefaultText: "0"},
		&cli.StringFlag{Name: "engine", Destination: &t.engine, Value: "auto", Usage: "`what` sends requests: \"lean\" (costs least), \"std\" (net/http), or \"auto\": lean unless an option needs the other"},
		&cli.BoolFlag{Name: "disable-keepalive", Aliases: []string{"disable-http-keepalive"}, Destination: &t.noKeepAlive, Usage: "make a new connection for every request"},
		&cli.BoolFlag{Name: "resolve-host", Destination: &t.resolve, Usage: "make every address of a host's name a host of its own"},
		&cli.StringFlag{Name: "local-addr", Destination: &t.local, Usage: "IP `address` of this machine to connect from", DefaultText: "the system chooses"},
		&cli.DurationFlag{Name: "timeout", Destination: &t.timeout, Value: 2 * time.Minute, Usage: "give up on a request after waiting this `long` for its answer to begin"},
		&cli.DurationFlag{Name: "dial-timeout", Destination: &t.dialTimeout, Value: 10 * time.Second, Usage: "give up on a connection that is not made within this `time`, and again on its TLS handshake"},
		&cli.DurationFlag{Name: "idle-timeout", Destination: &t.idleTimeout, Value: 2 * time.Minute, Usage: "give up on a request in the middle of which nothing was sent or received for this `long`; the engine \"std\" waits at least as long as --timeout says"},
		&cli.BoolFlag{Name: "expect-continue", Destination: &t.expect, Usage: "ask the server before the body of an upload is sent (Expect: 100-continue); it is sent after 1s without an answer"},
		&cli.StringFlag{Name: "storage-class", Destination: &t.class, Usage: "storage `class` of the objects"},
		&cli.StringSliceFlag{Name: "add-metadata", Destination: &t.metadata, Usage: "store this `key=value` with every object; may be given several times"},
		&cli.StringSliceFlag{Name: "tag", Destination: &t.tags, Usage: "tag every object with this `key=value`; may be given several times"},
		&cli.BoolFlag{Name: "debug", Destination: &t.debug, Usage: "print a line for every request"},
	})
}

// config makes the configuration of the store; without hosts if none are named. It returns all complaints.
func (t *targetFlags) config(e Env) (s3.Config, []error) {
	var errs []error
	c := s3.Config{
		TLS: t.tls, Insecure: t.insecure, Region: t.region, Lookup: t.lookup, Signature: t.signature,
		HostSelect: t.pick, Bucket: t.bucket, Encrypt: t.encrypt, Retries: t.retries,
		Engine: t.engine, LocalAddr: t.local, NoKeepAlive: t.noKeepAlive, Expect: t.expect,
		Timeout: t.timeout, DialTimeout: t.dialTimeout, IdleTimeout: t.idleTimeout,
	}
	var err error
	if c.Headers, err = t.headers(); err != nil {
		errs = append(errs, err)
	}
	errs = append(errs, t.connection()...)
	if t.lookup != "" {
		errs = append(errs, oneOf("lookup", t.lookup, "path", "host"))
	}
	errs = append(errs, oneOf("signature", t.signature, "S3V4", "S3V2", "anonymous"))
	errs = append(errs, oneOf("host-select", t.pick, "weighed", "roundrobin"))
	if t.bucket == "" {
		errs = append(errs, errors.New("bucket: the name is empty"))
	}
	if t.retries < 0 {
		errs = append(errs, fmt.Errorf("retries: %d is negative; 0 means that requests are not sent again", t.retries))
	}
	if t.host == "" {
		if t.encrypt {
			errs = append(errs, errors.New("encrypt: the embedded server knows no TLS and ignores SSE-C; name a server with --host"))
		}
		if t.lookup == "host" {
			errs = append(errs, errors.New("--lookup=host: the embedded server has an IP address, which a bucket cannot be part of; remove it, or name a server with --host"))
		}
		return c, errs
	}
	hosts, tls, err := s3.ExpandHosts(t.host, os.ReadFile)
	if err != nil {
		return c, append(errs, fmt.Errorf("host: %w", err))
	}
	c.Hosts = hosts
	errs = append(errs, c.CheckLookup())
	if tls != nil {
		if t.tls && !*tls {
			errs = append(errs, errors.New("host: it says http://, but --tls is set; use one of both"))
		}
		c.TLS = *tls
	}
	if t.encrypt && !c.TLS {
		errs = append(errs, errors.New("encrypt: SSE-C sends the key along with each request, so S3 allows it over TLS only; add --tls"))
	}
	return c, append(errs, t.credentials(e, &c)...)
}

func (t *targetFlags) credentials(e Env, c *s3.Config) []error {
	if t.signature == "anonymous" {
		return nil
	}
	given := s3.Credentials{AccessKey: s3.Secret(t.access), SecretKey: s3.Secret(t.secret), SessionToken: s3.Secret(t.session)}
	keys, err := s3.FindCredentials(given, e.Getenv, os.ReadFile, e.Home)
	if err != nil {
		return []error{err}
	}
	if c.Region == "" {
		c.Region = keys.Region
	}
	c.AccessKey, c.SecretKey, c.SessionToken = keys.AccessKey, keys.SecretKey, keys.SessionToken
	if c.AccessKey == "" {
		return []error{errors.New("access-key, secret-key: no credentials were found; set both (or WARP_ACCESS_KEY and WARP_SECRET_KEY), or use --signature=anonymous")}
	}
	return nil
}

// anonymous says that requests are not signed; empty if they are.
func (t *targetFlags) anonymous() string {
	if t.signature != "anonymous" {
		return ""
	}
	text := "Requests are anonymous (--signature=anonymous)"
	if t.access != "" || t.secret != "" {
		text += ": the access key that is set is not used"
	}
	return text + "."
}
