package s3

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"warp/internal/clock"
)

// explainNetwork knows errors that came without a response, or instead of its rest.
func (d *Diagnosis) explainNetwork(cfg *Config, e *Error) bool {
	if cfg.LocalAddr != "" && strings.Contains(e.Message, "no suitable address") {
		return d.say("it cannot be reached from "+cfg.LocalAddr+", which is an address of another kind", "use a --local-addr like the host's, IPv4 or IPv6")
	}
	switch e.Class {
	case classRefused:
		return d.say("nothing listens there (connection refused)", "check --host and its port, and that the server runs")
	case classNoHost, classDNS:
		return d.explainName(cfg, e)
	case classUnreachable:
		return d.say("no route to the host ("+e.Message+")", "check --host and the network")
	case classTimeout:
		d.Response = ""
		return d.say("the host does not respond in time ("+e.Message+")", "check --host, its port, and firewalls in between")
	case classNoPorts:
		if cfg.LocalAddr != "" && !isLocal(cfg.LocalAddr) {
			return d.say("this machine has no address "+cfg.LocalAddr+" to connect from", "check --local-addr")
		}
		return d.say("this machine has no free port for another connection",
			"wait until closed ones are gone, use more addresses in --host, or widen the range of local ports")
	case classTooManyFiles:
		return d.say("this process cannot open more files", "raise the limit (ulimit -n), or lower --concurrent")
	case classReset, classClosed:
		if e.Status != 0 {
			return d.advise("the host closed the connection in the middle of its response: see its log")
		}
		hint := "check --host and its port, and see the log of the server"
		if cfg.TLS {
			hint = "if it speaks plain HTTP, remove --tls"
		}
		return d.say("the host closes the connection without a response", hint)
	}
	return d.explainTLS(e)
}

// explainName knows names that cannot be resolved. With the bucket in the host's name, that name is mostly to blame.
func (d *Diagnosis) explainName(cfg *Config, e *Error) bool {
	if strings.Contains(e.Message, cfg.Bucket+".") {
		return d.say("the name of the host with the bucket before it cannot be resolved ("+e.Message+")", "use --lookup=path, or check --host")
	}
	return d.say("the name of the host cannot be resolved ("+e.Class+")", "check --host, or use an address")
}

// explainTLS knows what is wrong between TLS and plain HTTP, and with certificates.
func (d *Diagnosis) explainTLS(e *Error) bool {
	switch e.Class {
	case classTLSToPlain:
		return d.say("the host speaks plain HTTP, not TLS", "remove --tls, or write http:// in --host")
	case classPlainToTLS:
		d.Response = ""
		return d.say("the host speaks TLS, not plain HTTP", "add --tls, or write https:// in --host")
	case classUnknownCA:
		return d.say("the certificate of the host is signed by an authority that this machine does not know",
			"name the authority with SSL_CERT_FILE=ca.pem, or use --insecure to skip the check")
	case classWrongName:
		return d.say("the certificate of the host is for another name: "+e.Message, "use that name in --host, or --insecure to skip the check")
	case classBadCert:
		return d.say("the certificate of the host is not valid: "+e.Message, "renew it, or use --insecure to skip the check")
	}
	return false
}

// isLocal reports whether an address is one of this machine's: whether it can be bound.
func isLocal(addr string) bool {
	l, err := net.Listen("tcp", net.JoinHostPort(addr, "0"))
	if err == nil {
		_ = l.Close()
	}
	return !errors.Is(err, syscall.EADDRNOTAVAIL)
}

// probeTLS finds out whether a host that just hangs up on plain HTTP wants TLS: it tries a handshake.
func probeTLS(ctx context.Context, cfg *Config, host string, err error) error {
	e := asError(err)
	if cfg.TLS || e == nil || e.Status != 0 || (e.Class != classClosed && e.Class != classReset) {
		return err
	}
	u, parseErr := url.Parse(host)
	if parseErr != nil {
		return err
	}
	d := tls.Dialer{NetDialer: &net.Dialer{Timeout: cfg.dialLimit()}, Config: &tls.Config{InsecureSkipVerify: true}} // nothing is sent over it
	limited, cancel := context.WithTimeout(ctx, cfg.dialLimit())
	defer cancel()
	conn, dialErr := d.DialContext(limited, "tcp", cfg.withPort(u.Host))
	var alert *net.OpError
	switch {
	case dialErr == nil:
		_ = conn.Close()
	case errors.As(dialErr, &alert) && alert.Op == "remote error": // it wants other TLS, but TLS
	default:
		return err
	}
	return &Error{Class: classPlainToTLS, Message: e.Message, Err: err}
}

// maxSkew is how far a client's clock may be off before S3 refuses its requests.
const maxSkew = 15 * time.Minute

// explainClock knows clocks that are apart: by the server's word, or because a signature was refused at such a time.
func (d *Diagnosis) explainClock(e *Error) bool {
	said := e.Code == "RequestTimeTooSkewed" || e.Code == "RequestExpired"
	const hint = "set both clocks (NTP)"
	if e.date.IsZero() {
		return said && d.say("the clocks of this machine and the host are too far apart", hint)
	}
	ahead := clock.Wall().Sub(e.date).Round(time.Second)
	if !said && (!e.doubtsSignature() || ahead.Abs() < maxSkew-30*time.Second) {
		return false
	}
	if ahead.Abs() < maxSkew-30*time.Second {
		return d.say(fmt.Sprintf("the host refuses the time of the request, although its clock and this machine's agree to within %v", ahead.Abs()),
			"if the clock has just been set, try again; else something between changes or delays requests")
	}
	way := "ahead of"
	if ahead < 0 {
		way = "behind"
	}
	return d.say(fmt.Sprintf("the clock of this machine is %v %s the host's, S3 allows %v", ahead.Abs(), way, maxSkew), hint)
}

// doubtsSignature reports whether the host may have refused the time of a request, without saying so.
func (e *Error) doubtsSignature() bool {
	switch e.Code {
	case "", "AccessDenied", "Forbidden", "SignatureDoesNotMatch", "AuthorizationHeaderMalformed", "InvalidRequest":
		return e.Status == http.StatusForbidden || e.Status == http.StatusBadRequest || e.Status == http.StatusUnauthorized
	}
	return false
}
