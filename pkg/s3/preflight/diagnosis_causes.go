package preflight

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"warp/internal/clock"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// refusal is a reason to refuse a request, and how servers say it: by a code, or (those that have one code for all) in
// the message of a 401 or 403. BUCKET stands for the name of the bucket.
type refusal struct {
	codes         []string
	words         *regexp.Regexp
	problem, hint string
	also          int // another status with such words
	of            act // the only act that it is about; zero: all
}

var refusals = []refusal{
	{
		codes: []string{"InvalidAccessKeyId", "InvalidClientTokenId", "XAdminUserNotFound"}, // the last is VersityGW's
		words: regexp.MustCompile(`(?i)\b(no such|unknown|invalid|unrecognized) (access )?key` +
			`|\baccess key\b.*\b(not exist|not found|unknown|invalid|no such)`),
		problem: "the host does not know the access key", hint: "check --access-key (or AWS_ACCESS_KEY_ID, AWS_PROFILE)",
	},
	{
		codes:   []string{"SignatureDoesNotMatch", "InvalidSignature"},
		words:   regexp.MustCompile(`(?i)\b(invalid|wrong|bad) signature|signature\b.*\b(match|mismatch|invalid|wrong)`),
		problem: "the secret key is wrong",
		hint:    "check --secret-key (or AWS_SECRET_ACCESS_KEY); a proxy that changes requests has the same effect",
	},
	{
		codes:   []string{"InvalidToken", "InvalidTokenId", "ExpiredToken", "TokenRefreshRequired"},
		problem: "the session token is not valid", hint: "get new credentials",
	},
	{
		codes:   []string{"ObjectLocked", "InvalidRetentionPeriod"},
		words:   regexp.MustCompile(`(?i)object.?lock|\bretention\b|legal.?hold|\bWORM\b`),
		also:    http.StatusBadRequest,
		problem: "the bucket's object lock protects its objects", hint: "use a --bucket without object lock",
	},
	{
		codes:   []string{"QuotaExceeded", "XMinioAdminBucketQuotaExceeded", "InsufficientCapacity", "XMinioStorageFull"},
		problem: "the store has no room for more objects", hint: "raise the quota, or use another --bucket",
	},
	{
		codes:   []string{"InvalidObjectState"},
		problem: "objects of this storage class cannot be read at once", hint: "use another --storage-class",
	},
	{
		codes: []string{"NoSuchBucket"}, of: actCopy,
		problem: "the server does not find the object to copy", hint: "it may read the header x-amz-copy-source otherwise than S3",
	},
	{
		codes:   []string{"InvalidBucketName"},
		problem: "the server allows no bucket the name BUCKET", hint: "use lower-case letters, digits, dots and hyphens in --bucket",
	},
	{codes: []string{"NoSuchBucket"}, problem: "the bucket BUCKET does not exist", hint: "create it, or use another --bucket"},
	{
		codes: []string{"BucketAlreadyExists"}, of: actCreate,
		problem: "the bucket BUCKET belongs to somebody else", hint: "use another --bucket",
	},
	{codes: []string{"TooManyBuckets"}, problem: "the account has as many buckets as it may have", hint: "use a --bucket that exists"},
}

// explainRefusal knows wrong keys, missing rights, and other reasons to refuse a request.
func (d *Diagnosis) explainRefusal(cfg *s3.Config, a act, e *s3.Error) bool {
	i := idiomOf(cfg.Store)
	refused := isRefused(e)
	for _, r := range i.refusals {
		if r.of != (act{}) && r.of != a {
			continue
		}
		said := r.words != nil && (refused || e.Status == r.also) && r.words.MatchString(e.Message)
		if said || slices.Contains(r.codes, e.Code) {
			return d.say(strings.Replace(r.problem, "BUCKET", strconv.Quote(cfg.Bucket), 1), r.hint)
		}
	}
	return i.denied(d, cfg, a, e)
}

// isRefused reports whether a store refuses a request for who sends it.
func isRefused(e *s3.Error) bool {
	return !e.Foreign && (e.Status == http.StatusForbidden || e.Status == http.StatusUnauthorized)
}

// explainDenied knows missing rights on S3.
func (d *Diagnosis) explainDenied(cfg *s3.Config, a act, e *s3.Error) bool {
	denied := e.Code == "AccessDenied"
	switch {
	case !denied && !isRefused(e):
		return false
	case cfg.Anonymous():
		return d.say("anonymous requests (without credentials) may not "+a.words,
			"remove --signature=anonymous and give --access-key and --secret-key, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	case denied && a.otherAuth:
		return d.setHint("the host may not know this form of authentication; else grant " + a.right)
	case denied:
		right := a.right
		if a == actPut && tagged(cfg) {
			right += " and s3:PutObjectTagging (for --tag)"
		}
		about := strings.Replace(a.words, "the bucket", fmt.Sprintf("the bucket %q", cfg.Bucket), 1)
		return d.say("the key may not "+about, "grant "+right+", or use another --bucket")
	case e.Code == "":
		return d.setHint("check --access-key, --secret-key and the rights of the key")
	}
	return true // the host's own words say more than a guess
}

// expected finds the region in the messages of several servers.
var expected = regexp.MustCompile(`expect(?:ing|ed) '([A-Za-z0-9-]+)'`)

func (d *Diagnosis) explainRegion(cfg *s3.Config, e *s3.Error) bool {
	creates := false
	switch e.Code {
	case "IllegalLocationConstraintException", "InvalidLocationConstraint", "InvalidRegion":
		creates = true
	case "AuthorizationHeaderMalformed", "PermanentRedirect", "TemporaryRedirect":
	default:
		if e.Status/100 != 3 {
			return false
		}
	}
	region := e.Region
	if m := expected.FindStringSubmatch(e.Message); region == "" && m != nil {
		region = m[1]
	}
	used := cfg.Region
	if used == "" {
		used = s3.DefaultRegion + ", the default"
	}
	hint := "use --region=" + region
	if region == "" || region == cfg.Region {
		hint = "use --region with the region of the host"
	}
	switch {
	case creates:
		return d.say("the host makes no buckets in region "+used, hint)
	case region != "" && region != cfg.Region:
		return d.say("the bucket is not in region "+used, hint)
	case d.explainRedirect(cfg, e):
		return true
	case e.Status/100 == 3 && !cfg.TLS:
		return d.say("the host redirects requests", "if it wants TLS, add --tls; else use the host and --region of the bucket")
	case e.Status/100 == 3:
		return d.say("the host redirects requests", "use the host and --region of the bucket")
	case strings.Contains(strings.ToLower(e.Message), "region"):
		return d.setHint(hint)
	}
	return false
}

// explainRedirect knows hosts that redirect to TLS, and to a page that no S3 server has.
func (d *Diagnosis) explainRedirect(cfg *s3.Config, e *s3.Error) bool {
	to, err := url.Parse(e.Location)
	if e.Status/100 != 3 || e.Location == "" || err != nil {
		return false
	}
	from, err := url.Parse(d.Host)
	if err != nil {
		return false
	}
	switch same := to.Hostname() == "" || to.Hostname() == from.Hostname(); {
	case same && to.Scheme == "https" && !cfg.TLS:
		return d.say("the host redirects to TLS ("+e.Location+")", "add --tls, or write https:// in --host")
	case same && e.Code == "" && !strings.Contains(to.Path, cfg.Bucket):
		return d.say("the host is not "+idiomOf(cfg.Store).server+": it redirects to the page "+e.Location, "check --host and its port")
	}
	return false
}

// presigned is a session that signs in the URL.
type presigned struct{ s3.Session }

// Do performs a request.
func (p presigned) Do(ctx context.Context, c *s3.Call) error {
	c.Auth = s3.AuthQuery
	return p.Session.Do(ctx, c)
}

// losesSignature reports whether what is refused with a signature in the header is allowed with one in the URL, as behind a proxy that
// removes the header.
func (s *session) losesSignature(ctx context.Context, c *s3.Call, err error) bool {
	if !isDenied(err) || s.cfg.Unsigned() || c.Auth != s3.AuthHeader {
		return false
	}
	list := func(sess s3.Session) error {
		return s.limited(ctx, actList, func(ctx context.Context) error { return ops.List(ctx, sess, &s3.Call{}, &ops.Listing{MaxKeys: 1}) })
	}
	return isDenied(list(s.Session)) && list(presigned{s.Session}) == nil
}

// isDenied reports whether a request with good keys lacks a right.
func isDenied(err error) bool {
	e := s3.AsError(err)
	return e.Status == http.StatusForbidden && e.Says(s3.Denied)
}

const checksumFlag = "--checksum"

// uploadOptions are the options of an upload that servers may refuse, and the words that they name them by.
var uploadOptions = []struct {
	flag  string
	used  func(*s3.Config) bool
	words *regexp.Regexp
}{
	{"--storage-class", sends("x-amz-storage-class"), regexp.MustCompile(`(?i)storage.?class`)},
	{"--tag", tagged, regexp.MustCompile(`Tag|\btag`)},
	{"--add-metadata", sends("x-amz-meta-"), regexp.MustCompile(`(?i)meta.?data`)},
	{"--encrypt", func(c *s3.Config) bool { return c.Encrypt }, encryption},
	{"--sse-s3", func(c *s3.Config) bool { return c.Uploads.Encryption == s3.SSES3 }, encryption},
	{"--sse-kms", func(c *s3.Config) bool { return c.Uploads.Encryption == s3.SSEKMS }, encryption},
	{"--checksum-trailer", func(c *s3.Config) bool { return c.Uploads.Trailer }, regexp.MustCompile(`(?i)trailer|chunk`)},
	{
		checksumFlag,
		func(c *s3.Config) bool { return c.Uploads.Checksum != "" },
		regexp.MustCompile(`(?i)checksum|crc|sha`),
	},
	{
		"--payload",
		func(c *s3.Config) bool { return c.Uploads.Payload != "" && c.Uploads.Payload != s3.PayloadUnsigned },
		regexp.MustCompile(`(?i)chunk|sha.?256|payload`),
	},
	{"--md5", func(c *s3.Config) bool { return c.Uploads.MD5 }, regexp.MustCompile(`(?i)md5|digest`)},
}

var encryption = regexp.MustCompile(`(?i)encrypt|SSE|kms`)

var tagged = sends("x-amz-tagging")

// sends returns a function that reports whether headers whose names begin with prefix go with each upload.
func sends(prefix string) func(*s3.Config) bool {
	return func(c *s3.Config) bool {
		return slices.ContainsFunc(c.Headers, func(h s3.Header) bool { return strings.HasPrefix(strings.ToLower(h.Name), prefix) })
	}
}

// tags are the tags of a web page, and what a reader of it does not see.
var tags = regexp.MustCompile(`(?is)<(script|style)\b.*?</(script|style)\s*>|<[^>]*(>|$)`)

// causes are what errors without a response, or in its middle, mean by class. MESSAGE stands for what the system said.
var causes = map[string]struct{ problem, hint string }{
	s3.ClassRefused:     {"nothing listens there (connection refused)", "check --host and its port, and that the server runs"},
	s3.ClassReset:       {"the host closes the connection without a response", "check --host and its port, and see the log of the server"},
	s3.ClassClosed:      {"the host closes the connection without a response", "check --host and its port, and see the log of the server"},
	s3.ClassUnreachable: {"no route to the host (MESSAGE)", "check --host and the network"},
	s3.ClassTimeout:     {"the host does not respond in time (MESSAGE)", "check --host, its port, and firewalls in between"},
	s3.ClassNoHost:      {"the name of the host cannot be resolved (no such host)", "check --host, or use an address"},
	s3.ClassDNS:         {"the name of the host cannot be resolved (name lookup failed)", "check --host, or use an address"},
	s3.ClassNoPorts: {
		"this machine has no free port for another connection",
		"wait until closed ones are gone, use more addresses in --host, or widen the range of local ports",
	},
	s3.ClassTooManyFiles: {"this process cannot open more files", "raise the limit (ulimit -n), or lower --concurrent"},
	s3.ClassTLSToPlain:   {"the host speaks plain HTTP, not TLS", "remove --tls, or write http:// in --host"},
	s3.ClassPlainToTLS:   {"the host speaks TLS, not plain HTTP", "add --tls, or write https:// in --host"},
	s3.ClassUnknownCA: {
		"the certificate of the host is signed by an authority that this machine does not know",
		"name a file with the authority in --ca-file, or use --insecure to skip the check",
	},
	s3.ClassWrongName: {
		"the certificate of the host is for another name: MESSAGE",
		"use that name in --host or --tls-server-name, or --insecure to skip the check",
	},
	s3.ClassBadCert:   {"the certificate of the host is not valid: MESSAGE", "renew it, or use --insecure to skip the check"},
	s3.ClassNoHTTP2:   {"the host does not offer HTTP/2", "remove --http2"},
	s3.ClassNoEncrypt: {"the host ignores encryption: MESSAGE", "remove --encrypt, --sse-s3 or --sse-kms"},
}

// explainNetwork knows errors that came without a response, or instead of its rest.
func (d *Diagnosis) explainNetwork(cfg *s3.Config, e *s3.Error) bool {
	c, known := causes[e.Class]
	hangsUp := e.Class == s3.ClassReset || e.Class == s3.ClassClosed
	switch {
	case cfg.LocalAddr != "" && strings.Contains(e.Message, "no suitable address"):
		return d.say("it cannot be reached from "+cfg.LocalAddr+", which is an address of another kind",
			"use a --local-addr like the host's, IPv4 or IPv6")
	case e.Class == s3.ClassNoPorts && cfg.LocalAddr != "" && !isLocal(cfg.LocalAddr):
		return d.say("this machine has no address "+cfg.LocalAddr+" to connect from", "check --local-addr")
	case (e.Class == s3.ClassNoHost || e.Class == s3.ClassDNS) && strings.Contains(e.Message, cfg.Bucket+"."):
		return d.say("the name of the host with the bucket before it cannot be resolved ("+e.Message+")", "use --lookup=path, or check --host")
	case hangsUp && e.Status != 0:
		return d.setHint("the host closed the connection in the middle of its response: see its log")
	case e.Class == s3.ClassRefused && !hasPort(d.Host):
		c.hint = "without a port in --host, 80 is used, and 443 with TLS; many servers have 9000; check too that the server runs"
	case hangsUp && cfg.TLS:
		c.hint = "if it speaks plain HTTP, remove --tls"
	case !known:
		return false
	}
	d.Response = ""
	return d.say(strings.Replace(c.problem, "MESSAGE", e.Message, 1), c.hint)
}

// hasPort reports whether the URL of a host names a port.
func hasPort(host string) bool {
	u, err := url.Parse(host)
	return err != nil || u.Port() != ""
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
func probeTLS(ctx context.Context, cfg *s3.Config, host string, err error) error {
	e := s3.AsError(err)
	if cfg.TLS || e.Status != 0 || (e.Class != s3.ClassClosed && e.Class != s3.ClassReset) {
		return err
	}
	d := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}} // nothing is sent over it
	limited, cancel := context.WithTimeout(ctx, cfg.DialLimit())
	defer cancel()
	_, address, _ := strings.Cut(host, "://")
	conn, dialErr := d.DialContext(limited, "tcp", cfg.WithPort(address))
	var alert *net.OpError
	switch {
	case dialErr == nil:
		_ = conn.Close()
	case errors.As(dialErr, &alert) && alert.Op == "remote error": // it wants other TLS, but TLS
	default:
		return err
	}
	return &s3.Error{Class: s3.ClassPlainToTLS, Message: e.Message, Err: err}
}

// doubtsSignature reports whether the host may have refused the time of a request, without saying so.
func doubtsSignature(e *s3.Error) bool {
	switch e.Code {
	case "", "AccessDenied", "Forbidden", "SignatureDoesNotMatch", "AuthorizationHeaderMalformed", "InvalidRequest",
		"AuthenticationFailed", "AuthorizationFailure", "InvalidAuthenticationInfo":
		return e.Status == http.StatusForbidden || e.Status == http.StatusBadRequest || e.Status == http.StatusUnauthorized
	}
	return false
}

// maxSkew is how far a client's clock may be off before S3 refuses its requests.
const maxSkew = 15 * time.Minute

// explainClock knows clocks that are apart: by the server's word, or because a signature was refused at such a time.
func (d *Diagnosis) explainClock(cfg *s3.Config, e *s3.Error) bool {
	said := e.Code == "RequestTimeTooSkewed" || e.Code == "RequestExpired"
	const hint = "set both clocks (NTP)"
	if e.Date.IsZero() {
		return said && d.say("the clocks of this machine and the host are too far apart", hint)
	}
	ahead := clock.Wall().Sub(e.Date).Round(time.Second)
	if !said && (!doubtsSignature(e) || ahead.Abs() < maxSkew-30*time.Second) {
		return false
	}
	if ahead.Abs() < maxSkew-30*time.Second {
		const problem = "the host refuses the time of the request, although its clock and this machine's agree to within %v"
		return d.say(fmt.Sprintf(problem, ahead.Abs()),
			"if the clock has just been set, try again; else something between changes or delays requests")
	}
	way := "ahead of"
	if ahead < 0 {
		way = "behind"
	}
	const problem = "the clock of this machine is %v %s the host's, %s allows %v"
	return d.say(fmt.Sprintf(problem, ahead.Abs(), way, idiomOf(cfg.Store).name, maxSkew), hint)
}

// explainOptional knows hosts that do not support an act, or respond to another one.
func (d *Diagnosis) explainOptional(a act, e *s3.Error) bool {
	if !a.optional {
		return false
	}
	if e.Class == s3.ClassBadResponse || e.NotImplemented() || e.Status == http.StatusMethodNotAllowed {
		return d.setHint("the host does not support it")
	}
	return false
}
