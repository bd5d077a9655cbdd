package report

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/op"
)

// requestLine is an operation that has a line of its own.
type requestLine struct {
	phase   string
	kind    op.Kind
	key     string
	end     time.Time
	service time.Duration
	bytes   int64
	err     string
}

// maxRequests is the maximum number of requests that are printed one by one: a line needs all of them in memory, in their order.
const maxRequests = 1 << 20

// PrintsRequests reports whether a format can print each request.
func PrintsRequests(format string) bool { return format == "s3bench" }

// Add adds a request that is printed.
func (r *ToolRun) Add(o *op.Op) {
	if len(r.requests) == maxRequests {
		r.more++
		return
	}
	r.requests = append(r.requests, requestLine{
		phase:   strings.Clone(o.Phase),
		kind:    op.Kind(strings.Clone(string(o.Kind.Unlabelled()))),
		key:     strings.Clone(o.Key),
		end:     o.End,
		service: o.Service(),
		bytes:   o.Bytes,
		err:     strings.Clone(o.Err),
	})
}

// requestsOf returns the requests of a kind in a phase, ordered by their ends.
func (r *ToolRun) requestsOf(e *aggregate.Entire) (list []requestLine) {
	for _, q := range r.requests {
		if q.phase == e.Phase && q.kind == e.Kind {
			list = append(list, q)
		}
	}
	slices.SortStableFunc(list, func(a, b requestLine) int {
		return cmp.Or(a.end.Compare(b.end), strings.Compare(a.key, b.key))
	})
	return list
}
