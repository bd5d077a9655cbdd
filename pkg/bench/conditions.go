package bench

import (
	"context"
	"flag"
	"net/http"
	"slices"
	"strings"

	"warp/internal/option"
	"warp/pkg/bench/dataset"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// Conditions is the parameters of a workload whose requests can be conditional (If-Match, If-None-Match): an ETag, "*" for that of
// any object, or Current. Empty: there is no condition.
type Conditions struct {
	IfMatch     string `json:"if_match,omitempty"`
	IfNoneMatch string `json:"if_none_match,omitempty"`

	Only []op.Kind `json:"-"` // kinds of the operations that are conditional; nil: all
}

// Current stands for the ETag of the object that a request is about, as the run knows it.
const Current = "current"

// ConditionStatuses are those of responses to requests whose condition did not hold: 304 to reads, 412 to others, and 409 to the
// writes of which several came at once.
var ConditionStatuses = []int{http.StatusNotModified, http.StatusConflict, http.StatusPreconditionFailed}

// Bind binds the parameters to flags.
func (c *Conditions) Bind(fs *flag.FlagSet) {
	c.BindIfMatch(fs)
	fs.StringVar(&c.IfNoneMatch, "if-none-match", "", "`ETAG` send requests with If-None-Match: an ETag, *, or current for that of the object; 304, 409 and 412 are outcomes, reported by themselves")
}

// BindIfMatch binds --if-match only.
func (c *Conditions) BindIfMatch(fs *flag.FlagSet) {
	fs.StringVar(&c.IfMatch, "if-match", "", "`ETAG` send requests with If-Match: an ETag, *, or current for that of the object; 409 and 412 are outcomes, reported by themselves")
}

// Check returns an error for values that are no ETags.
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

// needsETags reports whether the ETags of objects must be known.
func (c *Conditions) needsETags() bool { return c.IfMatch == Current || c.IfNoneMatch == Current }

// of returns the conditions of a request of an operation on an object.
func (c *Conditions) of(kind op.Kind, o *dataset.Object) s3.Conditions {
	if c.Only != nil && !slices.Contains(c.Only, kind) {
		return s3.Conditions{}
	}
	return s3.Conditions{Match: conditionHeader(c.IfMatch, o.ETag), NoneMatch: conditionHeader(c.IfNoneMatch, o.ETag)}
}

// conditionHeader returns the value of a header.
func conditionHeader(value, etag string) string {
	switch value {
	case "", "*":
		return value
	case Current:
		return etag
	}
	return `"` + strings.Trim(value, `"`) + `"`
}

// Overwrite uploads an object anew, with contents that belong to the turn.
func Overwrite(ctx context.Context, w *Worker, o dataset.Object) error {
	return w.Op(ctx, op.Put, func(rec *op.Op) error {
		c := w.Object(o, rec)
		w.body.Reset(generator.Mix(o.Index, w.Turn.N), o.Size)
		c.Body = w.body
		err := ops.Put(ctx, w.S3, c)
		rec.Bytes = c.Bytes
		return w.Set.Stored(o.Index, c, err)
	})
}

// outcomes are the statuses that are results of operations beside success, and the kinds of those that had them.
type outcomes struct {
	expected []int
	kinds    []outcomeKind // so far
}

// outcomeKind is the kind of operations of a kind with an outcome.
type outcomeKind struct {
	kind    op.Kind
	status  int
	outcome op.Kind
}

// kind returns the kind of an operation that ended with an error, if that is an outcome; empty if it is not.
func (o *outcomes) kind(k op.Kind, err error) op.Kind {
	status := s3.Outcome(err, o.expected)
	if status == 0 {
		return ""
	}
	for _, known := range o.kinds {
		if known.kind == k && known.status == status {
			return known.outcome
		}
	}
	o.kinds = append(o.kinds, outcomeKind{k, status, k.Outcome(status)})
	return o.kinds[len(o.kinds)-1].outcome
}

// equip gives the workers of a task its conditions, its label, its retries, and the statuses that are outcomes of its operations.
func equip(s *task, workers []*Worker) []*Worker {
	expected := s.expected()
	for _, w := range workers {
		for _, lane := range w.lanes {
			lane.conditions, lane.outcomes.expected, lane.labels.label, lane.retry = s.traits.If, expected, s.label, s.Retry
		}
	}
	return workers
}

// expected returns the statuses that are outcomes of the task's operations, each once.
func (s *task) expected() []int {
	list := slices.Concat(s.OK, s.traits.Outcomes)
	if s.traits.If.Any() {
		list = append(list, ConditionStatuses...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}
