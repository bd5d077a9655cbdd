package metrics

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/storage"
)

// panel is a part of the dashboard.
type panel struct {
	Title   string `json:"title"`
	Type    string `json:"type"`
	GridPos struct {
		X, Y, W, H float64
	} `json:"gridPos"`
	FieldConfig struct {
		Defaults struct {
			Unit  string `json:"unit"`
			Color struct {
				Mode string `json:"mode"`
			} `json:"color"`
		} `json:"defaults"`
	} `json:"fieldConfig"`
	Targets []struct {
		Expr   string `json:"expr"`
		Legend string `json:"legendFormat"`
	} `json:"targets"`
}

func panels(t *testing.T) []panel {
	t.Helper()
	text, err := os.ReadFile("../../deploy/metrics/grafana.json")
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Panels []panel `json:"panels"`
	}
	if err := json.Unmarshal(text, &d); err != nil || len(d.Panels) == 0 {
		t.Fatalf("%d panels, %v", len(d.Panels), err)
	}
	return d.Panels
}

// between evaluates an expression of the dashboard over a time, at most 150 times.
func (m *monitoring) between(t *testing.T, expr string, from, to time.Time) promql.Matrix {
	t.Helper()
	expr = strings.NewReplacer("$__rate_interval", "4s", "$instance", ".*", "$op", ".*").Replace(expr)
	q, err := m.engine.NewRangeQuery(context.Background(), storage.Queryable(m.db), nil, expr, from, to, max(500*time.Millisecond, to.Sub(from)/150))
	if err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	defer q.Close()
	found, err := q.Exec(context.Background()).Matrix()
	if err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	list := make(promql.Matrix, 0, len(found))
	for _, s := range found {
		s.Floats, s.Histograms = append([]promql.FPoint(nil), s.Floats...), append([]promql.HPoint(nil), s.Histograms...)
		list = append(list, s)
	}
	return list
}

// Sizes of the picture, in pixels.
const (
	column, row, heading        = 40.0, 24.0, 36.0 // of the grid
	left, right, above, beneath = 66.0, 14.0, 40.0, 40.0
)

var (
	strokes = []string{"#0072b2", "#d55e00", "#009e73", "#aa4499", "#b98200", "#555555"}
	dashes  = []string{"", "9 4", "2 3", "10 3 2 3", "16 4", "5 3"}
)

// canvas draws one panel.
type canvas struct {
	strings.Builder
	x, y, w, h float64 // of the plot
	from, to   time.Time
	top        float64   // highest value
	names      *[]string // of lines, of all panels: each has its own colour and dashes
}

func (c *canvas) printf(format string, args ...any) { fmt.Fprintf(&c.Builder, format, args...) }

func (c *canvas) across(ms int64) float64 {
	return c.x + c.w*float64(ms-c.from.UnixMilli())/float64(max(1, c.to.Sub(c.from).Milliseconds()))
}

// picture draws the dashboard's panels from the results of their expressions.
func (m *monitoring) picture(t *testing.T, from, to time.Time, caption string) string {
	t.Helper()
	var out strings.Builder
	height := 0.0
	var names []string
	for _, p := range panels(t) {
		g := p.GridPos
		c := &canvas{names: &names, from: from, to: to, x: g.X*column + left, y: heading + g.Y*row + above, w: g.W*column - left - right, h: g.H*row - above - beneath}
		c.printf(`<rect x="%g" y="%g" width="%g" height="%g" rx="5" fill="#fff" stroke="#dfe5ec"/>`, g.X*column+4, heading+g.Y*row+4, g.W*column-8, g.H*row-8)
		c.printf(`<text x="%g" y="%g" font-weight="600" fill="#1b2733">%s</text>`+"\n", g.X*column+14, heading+g.Y*row+22, html.EscapeString(p.Title))
		var found promql.Matrix
		for _, target := range p.Targets {
			found = append(found, m.between(t, target.Expr, from, to)...)
		}
		switch {
		case len(found) == 0:
			c.printf(`<text x="%g" y="%g" text-anchor="middle" fill="#5b6b7d">No data</text>`, c.x+c.w/2, c.y+c.h/2)
		case p.Type == "heatmap":
			c.heat(found[0].Histograms)
		default:
			c.lines(p, found)
		}
		height = max(height, heading+(g.Y+g.H)*row)
		out.WriteString(c.String())
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" font-family="system-ui, sans-serif" font-size="11">`+"\n"+
		`<rect width="100%%" height="100%%" fill="#f3f6f9"/><text x="8" y="24" font-size="12" fill="#1b2733">%s</text>`+"\n%s</svg>\n", 24*column, height+8, html.EscapeString(caption), out.String())
}

// lines draws the series of a panel, its axes and its key.
func (c *canvas) lines(p panel, found promql.Matrix) {
	for _, s := range found {
		for _, f := range s.Floats {
			if !math.IsNaN(f.F) && !math.IsInf(f.F, 0) {
				c.top = max(c.top, f.F)
			}
		}
	}
	step := nice(c.top / 4)
	c.top = max(step*math.Ceil(c.top/step), step)
	for v := 0.0; v <= c.top*1.001; v += step {
		c.tick(c.y+c.h*(1-v/c.top), inUnit(v, p.FieldConfig.Defaults.Unit))
	}
	c.times()
	at := c.x
	for _, s := range found {
		var path strings.Builder
		gap := true
		for _, f := range s.Floats {
			if math.IsNaN(f.F) || math.IsInf(f.F, 0) {
				gap = true
				continue
			}
			fmt.Fprintf(&path, "%s%.1f %.1f", map[bool]string{true: "M", false: "L"}[gap], c.across(f.T), c.y+c.h*(1-f.F/c.top))
			gap = false
		}
		name := p.Targets[0].Legend
		s.Metric.Range(func(l labels.Label) { name = strings.ReplaceAll(name, "{{"+l.Name+"}}", l.Value) })
		if !slices.Contains(*c.names, name) {
			*c.names = append(*c.names, name)
		}
		i := slices.Index(*c.names, name)
		style := fmt.Sprintf(`fill="none" stroke="%s" stroke-width="1.6" stroke-dasharray="%s"`, strokes[i%len(strokes)], dashes[i%len(dashes)])
		c.printf(`<path d="%s" %s/><path d="M%g %gh22" %s/><text x="%g" y="%g" fill="#1b2733">%s</text>`+"\n", path.String(), style, at, c.y+c.h+29, style, at+27, c.y+c.h+33, html.EscapeString(name))
		at += 48 + 6.4*float64(len(name))
	}
}

// Cells of a heat map.
const heatColumns, heatRows = 40, 28

// heat draws histograms over time, on a logarithmic axis.
func (c *canvas) heat(list []promql.HPoint) {
	low, high := math.Inf(1), 0.0
	each := func(h *histogram.FloatHistogram, use func(b histogram.Bucket[float64])) {
		for it := h.PositiveBucketIterator(); it.Next(); {
			if b := it.At(); b.Count > 0 && b.Lower > 0 {
				use(b)
			}
		}
	}
	for _, p := range list {
		each(p.H, func(b histogram.Bucket[float64]) { low, high = min(low, b.Lower), max(high, b.Upper) })
	}
	if high == 0 {
		return
	}
	share := func(v float64) float64 { return math.Log(v/low) / math.Log(high/low) }
	for v := math.Pow(10, math.Ceil(math.Log10(low))); v <= high; v *= 10 {
		c.tick(c.y+c.h*(1-share(v)), inUnit(v, "s"))
	}
	c.times()
	var cells [heatColumns][heatRows]float64
	most := 0.0
	for _, p := range list {
		column := min(heatColumns-1, int(heatColumns*(c.across(p.T)-c.x)/c.w))
		each(p.H, func(b histogram.Bucket[float64]) {
			cell := &cells[column][min(heatRows-1, int(heatRows*share(math.Sqrt(b.Lower*b.Upper))))]
			*cell += b.Count
			most = max(most, *cell)
		})
	}
	for i := range cells {
		for k, n := range cells[i] {
			if n > 0 {
				c.printf(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="#0072b2" fill-opacity="%.2f"/>`, c.x+c.w*float64(i)/heatColumns, c.y+c.h*(1-float64(k+1)/heatRows), c.w/heatColumns, c.h/heatRows, 0.1+0.9*math.Log(1+n)/math.Log(1+most))
			}
		}
		c.printf("\n")
	}
}

func (c *canvas) tick(y float64, text string) {
	c.printf(`<path d="M%g %.1fh%g" stroke="#e3e8ee"/><text x="%g" y="%.1f" text-anchor="end" fill="#5b6b7d">%s</text>`, c.x, y, c.w, c.x-6, y+4, text)
}

func (c *canvas) times() {
	step := nice(c.to.Sub(c.from).Seconds() / 6)
	for s := 0.0; s <= c.to.Sub(c.from).Seconds(); s += step {
		c.printf(`<text x="%.1f" y="%g" text-anchor="middle" fill="#5b6b7d">%gs</text>`, c.across(c.from.UnixMilli()+int64(1000*s)), c.y+c.h+15, s)
	}
	c.printf("\n")
}

// nice returns 1, 2 or 5 times a power of ten, at least v.
func nice(v float64) float64 {
	if v <= 0 {
		return 1
	}
	e := math.Pow(10, math.Floor(math.Log10(v)))
	for _, f := range []float64{1, 2, 5} {
		if f*e >= v*0.999 {
			return f * e
		}
	}
	return 10 * e
}

// inUnit formats a value in a unit of the dashboard.
func inUnit(v float64, unit string) string {
	switch {
	case v == 0:
		return "0"
	case unit == "ops":
		return fmt.Sprintf("%.4g op/s", v)
	case unit == "Bps":
		return fmt.Sprintf("%.4g MB/s", v/1e6)
	case unit == "percentunit":
		return fmt.Sprintf("%.4g%%", 100*v)
	case unit == "s" && v >= 1:
		return fmt.Sprintf("%.4gs", v)
	case unit == "s" && v >= 0.9e-3:
		return fmt.Sprintf("%.4gms", v*1e3)
	case unit == "s":
		return fmt.Sprintf("%.4gµs", v*1e6)
	default:
		return fmt.Sprintf("%.4g", v)
	}
}

// checkPicture draws the dashboard, and checks that each panel is there.
func checkPicture(t *testing.T, m *monitoring, from, to time.Time) {
	t.Helper()
	text := m.picture(t, from, to, "warp")
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range panels(t) {
		if mode := p.FieldConfig.Defaults.Color.Mode; p.Type == "timeseries" && mode != "palette-classic-by-name" {
			t.Errorf("%s: colours by %q, so a kind has another one in each panel", p.Title, mode)
		}
		if !strings.Contains(text, ">"+html.EscapeString(p.Title)+"<") {
			t.Errorf("the picture lacks %q", p.Title)
		}
	}
	if n := strings.Count(text, "No data"); n > 2 { // there are no errors, and nothing is late
		t.Errorf("%d panels have no data", n)
	}
}

// TestPicture draws the dashboard of a run of a minute into PICTURE.
func TestPicture(t *testing.T) {
	path := os.Getenv("PICTURE")
	if path == "" {
		t.Skip("PICTURE names no file: use run.sh --picture")
	}
	from := time.Now()
	r := start(t, "mixed", "--objects=200", "--obj.size=log2(4KiB,256KiB)", "--concurrent=8", "--rate=500", "--duration=1m")
	m := watch(t, r)
	eventually(t, "report", func() bool { return strings.Contains(r.stderr.String(), " more. Interrupt") })
	text := m.picture(t, from, time.Now(), "Panels of deploy/metrics/grafana.json, drawn by test/metrics (not by Grafana): warp mixed, 500 op/s, one minute, embedded server")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
