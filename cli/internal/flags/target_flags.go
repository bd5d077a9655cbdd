package flags

import (
	"slices"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/process"
	"warp/pkg/s3"
)

// Flags are those about the store, without uploads.
func (t *Target) Flags(e *process.Env) []cli.Flag {
	t.env, t.noDelay = e, true // the latter for commands without that flag too
	return Categorize(CatTarget, slices.Concat(
		t.Secure.flags(e),
		t.hostAndKeyFlags(e),
		t.bucketFlags(e),
		t.policyFlags(),
		t.connectionFlags(),
		t.timeoutFlags(),
	))
}

// hostAndKeyFlags are about where the store is, and the keys for it.
func (t *Target) hostAndKeyFlags(e *process.Env) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{
			Name:        "host",
			Destination: &t.Host,
			Validator:   CheckHost,
			Sources:     e.Source("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"),
			Usage:       "`HOSTS` host:port or URLs, comma separated, with ranges {1...10}, or file:NAME; none: embedded server",
		},
		&cli.StringFlag{
			Name:        "access-key",
			Destination: &t.access,
			Usage:       "`KEY` access key; else AWS_ACCESS_KEY_ID, or the shared AWS files",
		},
		&cli.StringFlag{
			Name:        "secret-key",
			Destination: &t.secret,
			Usage:       "`KEY` secret key; safer in the environment than on the command line",
		},
		&cli.StringFlag{
			Name:        "session-token",
			Destination: &t.session,
			Usage:       "`TOKEN` session token of temporary credentials",
		},
		&cli.StringFlag{
			Name:        "sts-web-token",
			Destination: &t.WebToken,
			Usage:       "`TOKEN` web identity token (JWT or file:NAME) to exchange for keys at the first host's STS",
		},
		&cli.StringFlag{
			Name:        "credentials-file",
			Destination: &t.keyFile,
			Usage:       "`FILE` keys for threads to use in turn: lines of ACCESS-KEY SECRET-KEY [SESSION-TOKEN], or AWS profiles",
		},
	}
}

// bucketFlags are about how to address and sign for the bucket.
func (t *Target) bucketFlags(e *process.Env) []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "tls", Destination: &t.tls, Usage: "use TLS (HTTPS)"},
		&cli.BoolFlag{Name: "insecure", Destination: &t.insecure, Usage: "skip verification of the host's certificate"},
		&cli.StringFlag{
			Name:        "region",
			Destination: &t.Region,
			Usage:       "`REGION` region to sign for",
			DefaultText: "AWS_REGION, else us-east-1",
		},
		&cli.StringFlag{
			Name:        "lookup",
			Destination: &t.Lookup,
			Usage:       "`STYLE` where URLs name the bucket: path or host",
			DefaultText: "by host name",
		},
		&cli.StringFlag{
			Name:        "signature",
			Destination: &t.Signature,
			Value:       "S3V4",
			Usage:       "`VERSION` signature version: S3V4, S3V2 or anonymous",
		},
		&cli.StringFlag{
			Name:        "bucket",
			Destination: &t.Bucket,
			Value:       DefaultBucket,
			Usage:       "`BUCKET` bucket to use, created if missing; NAME--x-s3 is a directory bucket",
		},
	}
}

// policyFlags are about the choice of hosts, and what is done with a request.
func (t *Target) policyFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{
			Name:        "host-select",
			Destination: &t.Pick,
			Value:       "weighed",
			Usage:       "`POLICY` choice of hosts: weighed (fewest requests in flight, then longest idle), roundrobin, or thread (one each)",
		},
		&cli.IntFlag{
			Name:        "min-hosts",
			Destination: &t.minHosts,
			Usage:       "`N` start without the hosts that are down if at least N respond",
			DefaultText: "all must",
		},
		&cli.StringFlag{
			Name:        "preflight",
			Destination: &t.preflight,
			Value:       "on",
			Usage:       "`ON|OFF` try the run's requests on tiny objects before it begins",
		},
		&cli.BoolFlag{
			Name:        "encrypt",
			Destination: &t.encrypt,
			Usage:       "encrypt objects with a random key sent with each request (SSE-C); needs TLS",
		},
		&cli.IntFlag{
			Name:        "retries",
			Destination: &t.retries,
			Usage:       "`N` retries per request; each is counted, and its time is part of the latency",
			DefaultText: "0",
		},
		&cli.DurationFlag{
			Name:        "backoff",
			Destination: &t.Backoff,
			Value:       s3.DefaultBackoff,
			Usage:       "`DURATION` pause before the first retry; doubles with each further one, up to 20 times this",
		},
	}
}

// connectionFlags are about connections.
func (t *Target) connectionFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{
			Name:        "engine",
			Destination: &t.Engine,
			Value:       "auto",
			Usage:       "`NAME` HTTP engine: lean (least CPU), std (net/http), or auto (lean unless a flag needs std)",
		},
		&cli.BoolFlag{
			Name:        "disable-keepalive",
			Aliases:     []string{"disable-http-keepalive"},
			Destination: &t.noKeepAlive,
			Usage:       "open a new connection for every request",
		},
		&cli.BoolFlag{Name: "http2", Destination: &t.http2, Usage: "use HTTP/2 (engine std); hosts must offer it over TLS"},
		&cli.BoolFlag{Name: "resolve-host", Destination: &t.Resolve, Usage: "treat each address of a host name as a separate host"},
		&cli.StringFlag{
			Name:        "redirect-to",
			Destination: &t.redirectTo,
			Usage:       "`HOSTS` additional hosts, written as for --host, that signed requests may be redirected to",
		},
		&cli.StringFlag{
			Name:        "local-addr",
			Destination: &t.local,
			Usage:       "`ADDRESS` local IP address to connect from",
			DefaultText: "chosen by the system",
		},
		&cli.IntFlag{Name: "sndbuf", Destination: &t.sndbuf, Usage: "`BYTES` send buffer of each connection", DefaultText: "the system's"},
		&cli.IntFlag{Name: "rcvbuf", Destination: &t.rcvbuf, Usage: "`BYTES` receive buffer of each connection", DefaultText: "the system's"},
		&cli.BoolFlag{Name: "tcp-nodelay", Destination: &t.noDelay, Value: true, Usage: "send small packets at once (TCP_NODELAY)"},
	}
}

// timeoutFlags are about timeouts, and what is said about requests.
func (t *Target) timeoutFlags() []cli.Flag {
	return []cli.Flag{
		&cli.DurationFlag{
			Name:        "timeout",
			Destination: &t.Timeout,
			Value:       DefaultTimeout,
			Usage:       "`DURATION` maximum time to first response byte",
		},
		&cli.DurationFlag{
			Name:        "dial-timeout",
			Destination: &t.DialTimeout,
			Value:       DefaultDialTimeout,
			Usage:       "`DURATION` maximum time to connect, and again for the TLS handshake",
		},
		&cli.DurationFlag{
			Name:        "idle-timeout",
			Destination: &t.IdleTimeout,
			Value:       DefaultTimeout,
			Usage:       "`DURATION` maximum time without progress during a request (engine std: at least --timeout)",
		},
		&cli.BoolFlag{
			Name:        "expect-continue",
			Destination: &t.expect,
			Usage:       "send the body of an upload after the server's 100 Continue, or after 1s without a response",
		},
		&cli.BoolFlag{Name: "debug", Destination: &t.Debug, Usage: "print a line per request"},
	}
}
