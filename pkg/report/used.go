package report

import (
	"fmt"

	"warp/pkg/aggregate"
	"warp/pkg/units"
)

// usedJSON describes the objects that operations used. Errors are standard errors, as shares; of a share, in its own unit.
type usedJSON struct {
	Ops          int64    `json:"ops"`
	Objects      int64    `json:"objects"`
	ObjectsError float64  `json:"objects_error,omitempty"`
	Bytes        int64    `json:"bytes,omitempty"`
	BytesError   float64  `json:"bytes_error,omitempty"`
	Top1         *float64 `json:"hottest_1_percent,omitempty"`
	Top1Error    float64  `json:"hottest_1_percent_error,omitempty"`
	Top10        *float64 `json:"hottest_10_percent,omitempty"`
	Top10Error   float64  `json:"hottest_10_percent_error,omitempty"`
}

// usedOf describes the objects that were used; nil if there are none.
func usedOf(t *aggregate.Touched) *usedJSON {
	if t == nil {
		return nil
	}
	u := &usedJSON{Ops: t.Ops()}
	u.Objects, u.ObjectsError = t.Objects()
	u.Bytes, u.BytesError = t.Bytes()
	if u.Bytes == 0 {
		u.BytesError = 0
	}
	if of, off, ok := t.Hottest(0.01); ok {
		u.Top1, u.Top1Error = &of, off
	}
	if of, off, ok := t.Hottest(0.1); ok {
		u.Top10, u.Top10Error = &of, off
	}
	return u
}

// unevenShare is the share of operations on the hottest tenth of the objects from which access is uneven.
const unevenShare = 0.4

// used prints which objects were used if access was uneven; with Verbose unless each was used once.
func (r *textReport) used(g *aggregate.Group) {
	u := usedOf(g.Touched)
	if u == nil || float64(u.Ops) <= float64(u.Objects)*(1+4*u.ObjectsError) {
		return
	}
	if !r.o.Verbose && (u.Top10 == nil || *u.Top10 < unevenShare) {
		return
	}
	text := fmt.Sprint(u.Objects)
	if u.ObjectsError > 0 {
		text = fmt.Sprintf("about %d (±%.1f%%)", u.Objects, 100*u.ObjectsError)
	}
	if u.Bytes > 0 {
		text += ", " + units.Size(u.Bytes)
	}
	r.blank()
	var items []string
	for _, h := range []struct {
		name string
		of   *float64
		off  float64
	}{{"Hottest 1%", u.Top1, u.Top1Error}, {"Hottest 10%", u.Top10, u.Top10Error}} {
		if h.of == nil {
			continue
		}
		item := fmt.Sprintf("%s: %.1f%% of operations", h.name, 100**h.of)
		if u.ObjectsError > 0 {
			item += fmt.Sprintf(" (±%.1f)", 100*h.off)
		}
		items = append(items, item)
	}
	head := fmt.Sprintf("Objects used: %s, %.1f times each", text, float64(u.Ops)/float64(u.Objects))
	if len(items) == 0 { // too few objects for shares of them
		r.line(r.title, head)
		return
	}
	r.line(r.title, head+":")
	r.list(nil, " * ", items)
}
