package s3

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// refusal is a reason to refuse a request, and how servers say it: by a code, or (those that have one code for all) in
// the message of a 401 or 403.
type refusal struct {
	codes         []string
	words         *regexp.Regexp
	problem, hint string
	also          int // another status with such words
}

var refusals = []refusal{
	{
		codes:   []string{"InvalidAccessKeyId", "InvalidClientTokenId", "XAdminUserNotFound"}, // the last is VersityGW's
		words:   regexp.MustCompile(`(?i)\b(no such|unknown|invalid|unrecognized) (access )?key|\baccess key\b.*\b(not exist|not found|unknown|invalid|no such)`),
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
}

// explainRefusal knows wrong keys, missing rights, and other reasons to refuse a request.
func (d *Diagnosis) explainRefusal(cfg *Config, a act, e *Error) bool {
	refused := !e.foreign && (e.Status == http.StatusForbidden || e.Status == http.StatusUnauthorized)
	for _, r := range refusals {
		said := r.words != nil && (refused || e.Status == r.also) && r.words.MatchString(e.Message)
		if said || slices.Contains(r.codes, e.Code) {
			return d.say(r.problem, r.hint)
		}
	}
	denied := e.Code == "AccessDenied"
	switch {
	case !denied && !refused:
		return false
	case cfg.anonymous():
		return d.say("anonymous requests (without credentials) may not "+a.words,
			"remove --signature=anonymous and give --access-key and --secret-key, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	case denied:
		right := a.right
		if a == actPut && tagged(cfg) {
			right += " and s3:PutObjectTagging (for --tag)"
		}
		return d.say("the key may not "+strings.Replace(a.words, "the bucket", fmt.Sprintf("the bucket %q", cfg.Bucket), 1), "grant "+right+", or use another --bucket")
	case e.Code == "":
		return d.advise("check --access-key, --secret-key and the rights of the key")
	}
	return true // the host's own words say more than a guess
}

// expected finds the region in the messages of several servers.
var expected = regexp.MustCompile(`expect(?:ing|ed) '([A-Za-z0-9-]+)'`)

func (d *Diagnosis) explainRegion(cfg *Config, e *Error) bool {
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
		used = defaultRegion + ", the default"
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
	case e.Status/100 == 3:
		return d.say("the host redirects requests", "use the host and --region of the bucket")
	case strings.Contains(strings.ToLower(e.Message), "region"):
		return d.advise(hint)
	}
	return false
}

// isDenied reports whether a request with good keys lacks a right.
func isDenied(err error) bool {
	e := asError(err)
	return e != nil && e.Status == http.StatusForbidden && (e.Code == "AccessDenied" || e.Code == "AllAccessDisabled")
}

// uploadOptions are the options of an upload that servers may refuse, and the words by which they name them.
var uploadOptions = []struct {
	flag  string
	used  func(*Config) bool
	words *regexp.Regexp
}{
	{"--storage-class", func(c *Config) bool { return hasHeader(c.Headers, "X-Amz-Storage-Class") }, regexp.MustCompile(`(?i)storage.?class`)},
	{"--tag", tagged, regexp.MustCompile(`Tag|\btag`)},
	{"--add-metadata", func(c *Config) bool { return slices.ContainsFunc(c.Headers, isMetadata) }, regexp.MustCompile(`(?i)meta.?data`)},
	{"--encrypt", func(c *Config) bool { return c.Encrypt }, regexp.MustCompile(`(?i)encrypt|SSE`)},
}

func tagged(c *Config) bool { return hasHeader(c.Headers, "X-Amz-Tagging") }

func isMetadata(h Header) bool {
	return strings.HasPrefix(strings.ToLower(h.Name), "x-amz-meta-")
}

// tags are those of a web page, and what a reader of it does not see.
var tags = regexp.MustCompile(`(?is)<(script|style)\b.*?</(script|style)\s*>|<[^>]*(>|$)`)
