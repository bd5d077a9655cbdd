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
	return slices.Concat(
		Categorize(catTLS, t.Secure.flags(e)),
		Categorize(CatTarget, t.hostFlags(e)),
		Categorize(catCredentials, t.credentialFlags()),
		Categorize(CatTarget, t.google.flags()),
		Categorize(CatTarget, t.bucketFlags()),
		Categorize(CatTarget, t.policyFlags()),
		Categorize(catEncryption, []cli.Flag{
			&cli.BoolFlag{
				Name:        "encrypt",
				Destination: &t.encrypt,
				Usage:       "encrypt objects with a key sent in each request (SSE-C); needs TLS",
			},
		}),
		Categorize(catConnections, t.connectionFlags()),
		Categorize(catConnections, t.timeoutFlags()),
	)
}

// hostFlags are about where the store is, and the keys for it.
func (t *Target) hostFlags(e *process.Env) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{
			Name:        "host",
			Destination: &t.Host,
			Validator:   CheckHost,
			Sources:     e.Source("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"),
			Usage:       "`HOSTS` host:port,... or URLs (see \"warp help hosts\"); none: embedded server",
		},
		&Choice{Values: Offered(s3.Stores...), StringFlag: cli.StringFlag{
			Name:        "store",
			Destination: &t.store,
			Value:       "auto",
			Usage:       "`KIND` kind of store: auto (by the host), s3, gcs or azure",
		}},
		&cli.StringFlag{
			Name:        "access-key",
			Destination: &t.access,
			Usage:       "`KEY` access key; else AWS_ACCESS_KEY_ID, or the shared AWS files",
		},
		&cli.StringFlag{
			Name:        "secret-key",
			Destination: &t.secret,
			Usage:       "`KEY` secret key; safer as WARP_SECRET_KEY",
		},
	}
}

// credentialFlags are other ways to give keys, and to sign with them.
func (t *Target) credentialFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{
			Name:        "session-token",
			Destination: &t.session,
			Usage:       "`TOKEN` session token of temporary credentials",
		},
		&cli.StringFlag{
			Name:        "sas-token",
			Destination: &t.sas,
			Usage:       "`TOKEN` shared access signature (SAS) of Azure, instead of keys",
		},
		&cli.StringFlag{
			Name:        "sts-web-token",
			Destination: &t.WebToken,
			Usage:       "`TOKEN` web identity token (JWT or file:NAME) to exchange for keys (STS)",
		},
		&cli.StringFlag{
			Name:        "credentials-file",
			Destination: &t.keyFile,
			Usage:       "`FILE` keys for threads to use in turn: one set a line, or AWS profiles",
		},
		&Choice{Values: Offered(s3.Signatures...), StringFlag: cli.StringFlag{
			Name:        "signature",
			Destination: &t.Signature,
			Value:       "S3V4",
			Usage:       "`VERSION` signature version: S3V4, S3V2 or anonymous",
		}},
	}
}

// bucketFlags are about how to address the bucket.
func (t *Target) bucketFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "tls", Destination: &t.tls, Usage: "use TLS (HTTPS)"},
		&cli.BoolFlag{Name: "insecure", Destination: &t.insecure, Usage: "don't verify the host's certificate"},
		&cli.StringFlag{
			Name:        "region",
			Destination: &t.Region,
			Usage:       "`REGION` region to sign for",
			DefaultText: "AWS_REGION, else us-east-1",
		},
		&Choice{Values: Offered(s3.Lookups...), StringFlag: cli.StringFlag{
			Name:        "lookup",
			Destination: &t.Lookup,
			Usage:       "`STYLE` where URLs name the bucket: path or host",
			DefaultText: "by host name",
		}},
		&cli.StringFlag{
			Name:        "bucket",
			Destination: &t.Bucket,
			Value:       DefaultBucket,
			Usage:       "`BUCKET` bucket to use, created if missing",
		},
	}
}

// policyFlags are about the choice of hosts, and what is done with a request.
func (t *Target) policyFlags() []cli.Flag {
	return []cli.Flag{
		&Choice{Values: Offered(s3.HostSelections...), StringFlag: cli.StringFlag{
			Name:        "host-select",
			Destination: &t.Pick,
			Value:       "weighed",
			Usage:       "`POLICY` which host gets a request: weighed, roundrobin or thread",
		}},
		&cli.IntFlag{
			Name:        "min-hosts",
			Destination: &t.minHosts,
			Usage:       "`N` start without hosts that are down if at least N respond",
			DefaultText: "all must",
		},
		&Choice{Values: Offered(onOff...), StringFlag: cli.StringFlag{
			Name:        "preflight",
			Destination: &t.preflight,
			Value:       "on",
			Usage:       "`ON|OFF` try the run's requests on tiny objects first",
		}},
		&cli.IntFlag{
			Name:        "retries",
			Destination: &t.retries,
			Usage:       "`N` retries per request; their time is part of the latency",
			DefaultText: "0",
		},
		&cli.DurationFlag{
			Name:        "backoff",
			Destination: &t.Backoff,
			Value:       s3.DefaultBackoff,
			Usage:       "`DURATION` pause before the first retry; doubles with each one, up to 20 times",
		},
	}
}

// connectionFlags are about connections.
func (t *Target) connectionFlags() []cli.Flag {
	return []cli.Flag{
		&Choice{Values: Offered(s3.Engines...), StringFlag: cli.StringFlag{
			Name:        "engine",
			Destination: &t.Engine,
			Value:       "auto",
			Usage:       "`NAME` HTTP engine: lean (least CPU), std (net/http) or auto",
		}},
		&cli.BoolFlag{Name: "realtime", Destination: &t.realtime, Usage: "send and receive at real-time priority (Linux; needs the right to)"},
		&Choice{Values: Offered("auto", "goroutines"), StringFlag: cli.StringFlag{
			Name: "executor", Destination: &t.executor, Value: "auto", Hidden: true, // of open loops, for comparisons
		}},
		&cli.BoolFlag{
			Name:        "disable-keepalive",
			Aliases:     []string{"disable-http-keepalive"},
			Destination: &t.noKeepAlive,
			Usage:       "open a new connection for every request",
		},
		&cli.BoolFlag{Name: "http2", Destination: &t.http2, Usage: "use HTTP/2; hosts must offer it over TLS"},
		&cli.BoolFlag{Name: "resolve-host", Destination: &t.Resolve, Usage: "treat each address of a host name as a host"},
		&cli.StringFlag{
			Name:        "redirect-to",
			Destination: &t.redirectTo,
			Usage:       "`HOSTS` other hosts that signed requests may be redirected to",
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
			Usage:       "`DURATION` maximum time to the first response byte",
		},
		&cli.DurationFlag{
			Name:        "dial-timeout",
			Destination: &t.DialTimeout,
			Value:       DefaultDialTimeout,
			Usage:       "`DURATION` maximum time to connect, and again for TLS",
		},
		&cli.DurationFlag{
			Name:        "idle-timeout",
			Destination: &t.IdleTimeout,
			Value:       DefaultTimeout,
			Usage:       "`DURATION` maximum time without progress during a request",
		},
		&cli.BoolFlag{
			Name:        "expect-continue",
			Destination: &t.expect,
			Usage:       "send the body of an upload after 100 Continue, or after 1s",
		},
		&cli.BoolFlag{Name: "debug", Destination: &t.Debug, Usage: "print a line for each request"},
	}
}
