package work

import (
	"flag"
	"net/http"
	"slices"
	"strings"

	"warp/internal/option"
	"warp/pkg/bench/dataset"
	"warp/pkg/op"
	"warp/pkg/s3"
)

// Conditions is the parameters of a workload with conditional requests (If-Match, If-None-Match): an ETag, "*" for any object, or
// Current. Empty: no condition.
type Conditions struct {
	IfMatch     string `json:"if_match,omitempty"`
	IfNoneMatch string `json:"if_none_match,omitempty"`

	Only []op.Kind `json:"-"` // kinds of the operations that are conditional; nil: all
}

// Current stands for the ETag of the request's object, as known to the run.
const Current = "current"

// ConditionStatuses are the responses to conditional requests whose condition did not hold: 304 to reads, 412 to other requests, and
// 409 to concurrent writes.
var ConditionStatuses = []int{http.StatusNotModified, http.StatusConflict, http.StatusPreconditionFailed}

// Bind binds the parameters to flags.
func (c *Conditions) Bind(fs *flag.FlagSet) {
	c.BindIfMatch(fs)
	fs.StringVar(&c.IfNoneMatch, "if-none-match", "",
		"`ETAG` send If-None-Match: an ETag, *, or current (the object's)")
}

// BindIfMatch binds --if-match only.
func (c *Conditions) BindIfMatch(fs *flag.FlagSet) {
	fs.StringVar(&c.IfMatch, "if-match", "", "`ETAG` send If-Match: an ETag, *, or current (the object's)")
}

// Check returns an error for a value that is not an ETag.
func (c *Conditions) Check() (errs []error) {
	for _, f := range [...]struct{ flag, value string }{{"if-match", c.IfMatch}, {"if-none-match", c.IfNoneMatch}} {
		if strings.ContainsFunc(f.value, func(r rune) bool { return r <= ' ' || r > '~' }) || strings.Contains(strings.Trim(f.value, `"`), `"`) {
			errs = append(errs, option.Invalid(f.flag, f.value, "an ETag, * or current"))
		}
	}
	return errs
}

// Any reports whether there is a condition.
func (c *Conditions) Any() bool { return c.IfMatch != "" || c.IfNoneMatch != "" }

// NeedsETags reports whether the ETags of objects must be known.
func (c *Conditions) NeedsETags() bool { return c.IfMatch == Current || c.IfNoneMatch == Current }

func (c *Conditions) of(kind op.Kind, o *dataset.Object) s3.Conditions {
	if c.Only != nil && !slices.Contains(c.Only, kind) {
		return s3.Conditions{}
	}
	return s3.Conditions{Match: conditionHeader(c.IfMatch, o.ETag), NoneMatch: conditionHeader(c.IfNoneMatch, o.ETag)}
}

func conditionHeader(value, etag string) string {
	switch value {
	case "", "*":
		return value
	case Current:
		return etag
	}
	return `"` + strings.Trim(value, `"`) + `"`
}
