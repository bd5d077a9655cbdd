package aggregate

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"warp/pkg/hist"
)

// fractions are the fields that hold sums of fractions, whose last digits depend on the order.
var fractions = []string{"Bytes", "Objects", "Ops", "deviation"}

// same compares two values: fractions within 1e-9, all else, among it the counts of histograms, exactly.
func same(t *testing.T, got, want any) {
	t.Helper()
	sameFlat(t, flat(got), flat(want))
}

func sameFlat(t *testing.T, g, w map[string]string) {
	t.Helper()
	for path, x := range w {
		y, ok := g[path]
		if !ok {
			t.Errorf("%s is missing, want %s", path, x)
		} else if x != y && !(slices.Contains(fractions, path[strings.LastIndex(path, "/")+1:]) && closeNumbers(x, y)) {
			t.Errorf("%s is %s, want %s", path, y, x)
		}
	}
	for path, y := range g {
		if _, ok := w[path]; !ok {
			t.Errorf("%s is %s, want none", path, y)
		}
	}
}

func closeNumbers(a, b string) bool {
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err1 == nil && err2 == nil && math.Abs(x-y) <= 1e-9*max(1, math.Abs(x))
}

// flat is all that v holds as a map from path to value.
func flat(v any) map[string]string {
	out := map[string]string{}
	walk(out, "", reflect.ValueOf(v))
	return out
}

func walk(out map[string]string, path string, v reflect.Value) {
	if v.CanInterface() {
		switch x := v.Interface().(type) {
		case time.Time:
			out[path] = x.UTC().Format(time.RFC3339Nano)
			return
		case *hist.Histogram:
			walkHistogram(out, path, x)
			return
		}
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			walk(out, path, v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			walk(out, path+"/"+v.Type().Field(i).Name, v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			walk(out, fmt.Sprint(path, "/", i), v.Index(i))
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			walk(out, fmt.Sprint(path, "/", k), v.MapIndex(k))
		}
	default:
		out[path] = fmt.Sprint(v)
	}
}

func walkHistogram(out map[string]string, path string, h *hist.Histogram) {
	if h == nil {
		return
	}
	out[path+"/mean"], out[path+"/deviation"] = fmt.Sprint(h.Mean()), fmt.Sprint(h.StdDev())
	out[path+"/rest"] = fmt.Sprint(h.Min(), h.Max(), h.Clamped(), h.Count())
	var counts strings.Builder
	for value, count := range h.Buckets {
		fmt.Fprint(&counts, value, ":", count, " ")
	}
	out[path+"/counts"] = counts.String()
}
