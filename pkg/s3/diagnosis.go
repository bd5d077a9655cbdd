package s3

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strings"
	"syscall"
	"time"

	"warp/pkg/op"
)

// Diagnosis is an error that says what is wrong with the way to a store and what to do about it, in one line.
type Diagnosis struct {
	Host    string // URL of the host
	Problem string
	Hint    string // may be empty
	Err     error  // the error of the request, may be nil
}

func (d *Diagnosis) Error() string {
	s := fmt.Sprintf("%s: %s", d.Host, d.Problem)
	if d.Hint != "" {
		s += "; " + d.Hint
	}
	return s
}

func (d *Diagnosis) Unwrap() error { return d.Err }

// act is something that a run does to a store, in the words of its user, and the right that S3 calls it by.
type act struct{ words, right string }

var (
	actCreate = act{"create the bucket", "s3:CreateBucket"}
	actPut    = act{"put objects into the bucket", "s3:PutObject"}
	actGet    = act{"get objects from the bucket", "s3:GetObject"}
	actList   = act{"list objects of the bucket", "s3:ListBucket"}
	actDelete = act{"delete objects of the bucket", "s3:DeleteObject"}
)

// maxSkew is how far a client's clock may be off before S3 refuses its requests.
const maxSkew = 15 * time.Minute

// diagnose explains why an act failed. It is nil if err is nil.
func diagnose(cfg *Config, host string, a act, err error) error {
	if err == nil {
		return nil
	}
	d := &Diagnosis{Host: host, Err: err}
	var e *Error
	if !errors.As(err, &e) {
		d.Problem = fmt.Sprintf("cannot %s: %s", a.words, oneLine(err.Error()))
		return d
	}
	if e.Class == classCanceled {
		return err
	}
	d.Problem = fmt.Sprintf("cannot %s: %v", a.words, e)
	_ = d.explainNetwork(cfg, e) || d.explainClock(e) || d.explainRegion(cfg, e) || d.explainAccess(cfg, a, e) ||
		d.explainRest(cfg, e)
	return d
}

func (d *Diagnosis) say(problem, hint string) bool {
	d.Problem, d.Hint = problem, hint
	return true
}

// explainNetwork knows errors that came without an answer.
func (d *Diagnosis) explainNetwork(cfg *Config, e *Error) bool {
	if cfg.LocalAddr != "" && strings.Contains(e.Message, "no suitable address") {
		return d.say("it cannot be reached from "+cfg.LocalAddr+", an address of another kind", "give --local-addr one like the host's: IPv4 or IPv6")
	}
	switch e.Class {
	case classRefused:
		return d.say("nothing listens there (connection refused)", "check --host and its port, and that the server runs")
	case classNoHost, classDNS:
		return d.say("the name of the host is not known ("+e.Class+")", "check --host, or give an address")
	case classUnreachable:
		return d.say("there is no way to the host ("+e.Message+")", "check --host and the network")
	case classTimeout:
		return d.say("the host does not answer in time", "check --host, its port and firewalls between")
	case classTLSToPlain:
		return d.say("the host speaks plain HTTP there, not TLS", "leave out --tls, or write http:// in --host")
	case classPlainToTLS:
		return d.say("the host speaks TLS there, not plain HTTP", "add --tls, or write https:// in --host")
	case classUnknownCA:
		return d.say("the certificate of the host is not signed by an authority that this machine knows",
			"add its authority with SSL_CERT_FILE=ca.pem, or --insecure to trust it unseen")
	case classWrongName, classBadCert:
		return d.say("the certificate of the host is not good: "+e.Message, "use the name that it was made for, or --insecure")
	case classNoPorts:
		if cfg.LocalAddr != "" && !isLocal(cfg.LocalAddr) {
			return d.say("this machine has no address "+cfg.LocalAddr+" to connect from", "check --local-addr")
		}
		return d.say("this machine has no free port left for another connection",
			"wait until closed ones are gone, use more addresses in --host, or widen the range of local ports")
	case classTooManyFiles:
		return d.say("this process may open no more files", "raise the limit (ulimit -n), or use less --concurrent")
	case classReset, classClosed:
		return d.say("the host closes the connection without an answer", tlsHint(cfg))
	}
	return false
}

// isLocal tells whether an address is one of this machine's: whether it can be bound.
func isLocal(addr string) bool {
	l, err := net.Listen("tcp", net.JoinHostPort(addr, "0"))
	if err == nil {
		_ = l.Close()
	}
	return !errors.Is(err, syscall.EADDRNOTAVAIL)
}

func tlsHint(cfg *Config) string {
	if cfg.TLS {
		return "if it speaks plain HTTP there, leave out --tls"
	}
	return "if it speaks TLS there, add --tls"
}

// explainClock knows clocks that are apart: by the server's word, or because a signature was refused at such a time.
func (d *Diagnosis) explainClock(e *Error) bool {
	said := e.Code == "RequestTimeTooSkewed" || e.Code == "RequestExpired"
	if e.date.IsZero() {
		return said && d.say("the clocks of this machine and the host are too far apart", "set the clock right (NTP)")
	}
	ahead := op.Now().Sub(e.date).Round(time.Second)
	refused := e.Status == http.StatusForbidden || e.Status == http.StatusBadRequest || e.Status == http.StatusUnauthorized
	if !said && (!refused || ahead.Abs() < maxSkew-30*time.Second) {
		return false
	}
	way := "ahead of"
	if ahead < 0 {
		way = "behind"
	}
	return d.say(fmt.Sprintf("the clock of this machine is %v %s the host's, S3 allows %v", ahead.Abs(), way, maxSkew),
		"set the clock right (NTP)")
}

// expected finds the region in AWS's and MinIO's messages.
var expected = regexp.MustCompile(`expecting '([a-z0-9-]+)'`)

func (d *Diagnosis) explainRegion(cfg *Config, e *Error) bool {
	switch e.Code {
	case "AuthorizationHeaderMalformed", "InvalidRegion", "IllegalLocationConstraintException", "PermanentRedirect", "TemporaryRedirect":
	default:
		if e.Status != http.StatusMovedPermanently && e.Status != http.StatusTemporaryRedirect {
			return false
		}
	}
	region := e.Region
	if m := expected.FindStringSubmatch(e.Message); region == "" && m != nil {
		region = m[1]
	}
	used := cfg.Region
	if used == "" {
		used = defaultRegion + ", the default"
	}
	switch {
	case region != "" && region != cfg.Region:
		return d.say(fmt.Sprintf("the bucket is not in region %s", used), "use --region="+region)
	case e.Code == "IllegalLocationConstraintException":
		return d.say(fmt.Sprintf("the host does not make buckets in region %s", used), "use --region with the region of the host")
	case e.Status/100 == 3:
		return d.say("the host sends requests elsewhere: "+e.Error(), "use the host and --region of the bucket")
	}
	return false
}

// explainAccess knows wrong keys and missing rights.
func (d *Diagnosis) explainAccess(cfg *Config, a act, e *Error) bool {
	switch e.Code {
	case "InvalidAccessKeyId", "XAdminUserNotFound": // the latter is VersityGW's
		return d.say("the host does not know the access key", "check --access-key (or AWS_ACCESS_KEY_ID, AWS_PROFILE)")
	case "SignatureDoesNotMatch":
		return d.say("the secret key is wrong (signature does not match)", "check --secret-key (or AWS_SECRET_ACCESS_KEY); a proxy that changes requests does this too")
	case "InvalidToken", "InvalidTokenId", "ExpiredToken", "TokenRefreshRequired":
		return d.say("the session token is not valid ("+e.Code+")", "get new credentials")
	}
	if e.Status != http.StatusForbidden && e.Status != http.StatusUnauthorized && e.Code != "AccessDenied" {
		return false
	}
	if e.foreign {
		return false
	}
	if cfg.anonymous() {
		return d.say("requests without credentials may not "+a.words,
			"give --access-key and --secret-key, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
	return d.say(fmt.Sprintf("the key may not %s %q (%s)", a.words, cfg.Bucket, e.Class), "grant "+a.right+", or use another --bucket")
}

func (d *Diagnosis) explainRest(cfg *Config, e *Error) bool {
	switch {
	case e.Code == "NoSuchBucket":
		return d.say(fmt.Sprintf("the bucket %q does not exist", cfg.Bucket), "create it, or use another --bucket")
	case e.Code == "BucketAlreadyExists":
		return d.say(fmt.Sprintf("the bucket %q belongs to somebody else", cfg.Bucket), "use another --bucket")
	case e.Class == classNoEncrypt:
		return d.say("the host ignores SSE-C: objects would not be encrypted", "leave out --encrypt")
	case e.foreign, e.Class == classBadAnswer:
		return d.say(fmt.Sprintf("what answers there is not an S3 server (%s)", oneLine(e.Error())), "check --host and its port")
	}
	return false
}

// isDenied tells whether a request with good keys lacks a right.
func isDenied(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == http.StatusForbidden && (e.Code == "AccessDenied" || e.Code == "AllAccessDisabled")
}
