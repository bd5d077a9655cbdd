package aggregate

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"warp/pkg/aggregate/internal/decode"
	"warp/pkg/op"
)

// ErrorSample is one failed operation; Time is its end.
type ErrorSample struct {
	Time time.Time `json:"time"`
	Host string    `json:"host"`
	Key  string    `json:"key,omitempty"`
	Err  string    `json:"error"`
}

// Limits on memory for error texts.
const (
	MaxErrorSamples = 10
	maxErrorText    = 1024 // bytes kept of an error
)

// Failures are operations that failed: by class of error, and the earliest ones.
type Failures struct {
	ByClass map[string]int64
	First   []ErrorSample // in order of time, up to MaxErrorSamples
}

// Add counts a failed operation.
func (f *Failures) Add(o *op.Op) {
	decode.CountClass(&f.ByClass, op.Class(o.Err), 1, decode.MaxErrorClasses)
	if n := len(f.First); n == MaxErrorSamples && o.End.After(f.First[n-1].Time) {
		return
	}
	f.First = withSample(f.First, NewErrorSample(o))
}

// Merge adds other failures, which stay as they are.
func (f *Failures) Merge(o Failures) {
	decode.MergeClasses(&f.ByClass, o.ByClass, decode.MaxErrorClasses)
	for _, s := range o.First {
		f.First = withSample(f.First, s)
	}
}

// NewErrorSample returns what is kept of a failed operation.
func NewErrorSample(o *op.Op) ErrorSample {
	return ErrorSample{
		Time: o.End,
		Host: strings.Clone(o.Endpoint),
		Key:  strings.Clone(o.Key),
		Err:  errorText(o.Err),
	}
}

// errorText returns what is kept of an error.
func errorText(text string) string {
	if len(text) > maxErrorText {
		text = strings.ToValidUTF8(text[:maxErrorText], "") + "..."
	}
	return strings.Clone(text)
}

// withSample returns the samples with s, if it is among the earliest. It changes the list.
func withSample(list []ErrorSample, s ErrorSample) []ErrorSample {
	i, _ := slices.BinarySearchFunc(list, s, compareSamples)
	if i == MaxErrorSamples {
		return list
	}
	list = slices.Insert(list, i, s)
	return list[:min(len(list), MaxErrorSamples)]
}

func compareSamples(a, b ErrorSample) int {
	return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Host, b.Host), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Err, b.Err))
}
