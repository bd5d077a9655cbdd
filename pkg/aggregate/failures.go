package aggregate

import (
	"cmp"
	"slices"
	"strings"
	"time"
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
