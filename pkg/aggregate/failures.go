package aggregate

import (
	"cmp"
	"slices"
	"strings"

	"warp/pkg/op"
)

// Limits on memory for error texts.
const (
	maxErrorClasses = 100 // distinct classes; further ones count as otherErrors
	MaxErrorSamples = 10
	maxErrorText    = 1024 // bytes kept of an error
)

const otherErrors = "other"

// addFailure counts a failed operation by its class and keeps the earliest as samples.
func (g *Group) addFailure(o *op.Op) {
	g.countErrors(op.Class(o.Err), 1)
	if n := len(g.FirstErrors); n == MaxErrorSamples && o.End.After(g.FirstErrors[n-1].Time) {
		return
	}
	text := o.Err
	if len(text) > maxErrorText {
		text = strings.ToValidUTF8(text[:maxErrorText], "") + "..."
	}
	g.addSample(ErrorSample{Time: o.End, Host: strings.Clone(o.Endpoint), Key: strings.Clone(o.Key), Err: strings.Clone(text)})
}

// countErrors adds n failures of a class.
func (g *Group) countErrors(class string, n int64) {
	if g.ErrorsByClass == nil {
		g.ErrorsByClass = make(map[string]int64)
	}
	if _, known := g.ErrorsByClass[class]; !known {
		if len(g.ErrorsByClass) >= maxErrorClasses {
			class = otherErrors
		}
		class = strings.Clone(class)
	}
	g.ErrorsByClass[class] += n
}

// addSample keeps s if it is among the earliest.
func (g *Group) addSample(s ErrorSample) {
	i, _ := slices.BinarySearchFunc(g.FirstErrors, s, compareSamples)
	if i == MaxErrorSamples {
		return
	}
	g.FirstErrors = slices.Insert(g.FirstErrors, i, s)
	if len(g.FirstErrors) > MaxErrorSamples {
		g.FirstErrors = g.FirstErrors[:MaxErrorSamples]
	}
}

func compareSamples(a, b ErrorSample) int {
	return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Host, b.Host), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Err, b.Err))
}

// mergeErrors adds the failures of o. Classes of o are added in order of frequency, so that the frequent ones keep
// their name if there are too many.
func (g *Group) mergeErrors(o *Group) {
	classes := make([]string, 0, len(o.ErrorsByClass))
	for c := range o.ErrorsByClass {
		classes = append(classes, c)
	}
	slices.SortFunc(classes, func(a, b string) int {
		return cmp.Or(cmp.Compare(o.ErrorsByClass[b], o.ErrorsByClass[a]), cmp.Compare(a, b))
	})
	for _, c := range classes {
		g.countErrors(c, o.ErrorsByClass[c])
	}
	for _, s := range o.FirstErrors {
		g.addSample(s)
	}
}
