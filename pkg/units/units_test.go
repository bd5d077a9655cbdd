package units

import (
	"math"
	"testing"
	"time"
)

func TestDuration(t *testing.T) {
	for _, tt := range []struct {
		d          time.Duration
		want, span string
	}{
		{0, "0s", "0s"},
		{1, "1ns", "1ns"},
		{850, "850ns", "850ns"},
		{999, "999ns", "999ns"},
		{1000, "1.00µs", "1µs"},
		{12_345, "12.3µs", "12.3µs"},
		{100 * time.Microsecond, "100µs", "100µs"},
		{999_499, "999µs", "999µs"},
		{999_500, "1.00ms", "1ms"},
		{9_104_000, "9.10ms", "9.1ms"},
		{9_994_999, "9.99ms", "9.99ms"},
		{9_995_000, "10.0ms", "10ms"},
		{13_040_000, "13.0ms", "13ms"},
		{99_960_000, "100ms", "100ms"},
		{121 * time.Millisecond, "121ms", "121ms"},
		{time.Second, "1.00s", "1s"},
		{7_997 * time.Millisecond, "8.00s", "8s"},
		{11 * time.Second, "11.0s", "11s"},
		{10 * time.Second, "10.0s", "10s"},
		{59_940 * time.Millisecond, "59.9s", "59.9s"},
		{59_970 * time.Millisecond, "1m0s", "1m0s"},
		{time.Minute, "1m0s", "1m0s"},
		{75_400 * time.Millisecond, "1m15s", "1m15s"},
		{2*time.Hour + 3*time.Second, "2h0m3s", "2h0m3s"},
		{-1500 * time.Microsecond, "-1.50ms", "-1.5ms"},
		{-90 * time.Second, "-1m30s", "-1m30s"},
		{math.MaxInt64, "2562047h47m16s", "2562047h47m16s"},
		{math.MinInt64, "-2562047h47m16s", "-2562047h47m16s"},
	} {
		if got := Duration(tt.d); got != tt.want {
			t.Errorf("Duration(%d) = %q, want %q", tt.d, got, tt.want)
		}
		if got := Span(tt.d); got != tt.span {
			t.Errorf("Span(%d) = %q, want %q", tt.d, got, tt.span)
		}
	}
}

func TestSeconds(t *testing.T) {
	for _, tt := range []struct {
		d    time.Duration
		want string
	}{
		{-time.Second, "0s"},
		{0, "0s"},
		{1, "1s"},
		{time.Second, "1s"},
		{1001 * time.Millisecond, "2s"},
		{124_100 * time.Millisecond, "2m5s"},
		{math.MaxInt64, "2562047h47m16s"},
	} {
		if got := Seconds(tt.d); got != tt.want {
			t.Errorf("Seconds(%d) = %q, want %q", tt.d, got, tt.want)
		}
	}
}

func TestSize(t *testing.T) {
	for _, tt := range []struct {
		n    int64
		want string
	}{
		{0, "0B"},
		{1, "1B"},
		{100, "100B"},
		{1023, "1023B"},
		{1024, "1KiB"},
		{10 << 10, "10KiB"},
		{1536, "1.5KiB"},
		{10 << 20, "10MiB"},
		{18982515, "18.1MiB"},
		{5 << 40, "5TiB"},
		{math.MaxInt64, "8EiB"},
		{-2048, "-2KiB"},
	} {
		if got := Size(tt.n); got != tt.want {
			t.Errorf("Size(%d) = %q, want %q", tt.n, got, tt.want)
		}
	}
}

func TestRates(t *testing.T) {
	for _, tt := range []struct {
		bps              float64
		rate, two, short string // Rate, MiBs(2), MiBs(1)
	}{
		{0, "0.0B/s", "0.00", "0.0"},
		{1, "1.0B/s", "0.00000095", "0.00000095"},
		{512, "512.0B/s", "0.00049", "0.00049"},
		{0.0043 * MiB, "4.4KiB/s", "0.0043", "0.0043"},
		{0.05 * MiB, "51.2KiB/s", "0.050", "0.050"},
		{0.5 * MiB, "512.0KiB/s", "0.50", "0.50"},
		{16.62 * MiB, "16.6MiB/s", "16.62", "16.6"},
		{1252.19 * MiB, "1.2GiB/s", "1252.19", "1252.2"},
		{1e15, "909.5TiB/s", "953674316.41", "953674316.4"},
		{-0.5 * MiB, "-512.0KiB/s", "-0.50", "-0.50"},
		{math.NaN(), "0.0B/s", "0.00", "0.0"},
		{math.Inf(1), "0.0B/s", "0.00", "0.0"},
	} {
		if got := Rate(tt.bps); got != tt.rate {
			t.Errorf("Rate(%g) = %q, want %q", tt.bps, got, tt.rate)
		}
		if got := MiBs(tt.bps, 2); got != tt.two {
			t.Errorf("MiBs(%g, 2) = %q, want %q", tt.bps, got, tt.two)
		}
		if got := MiBs(tt.bps, 1); got != tt.short {
			t.Errorf("MiBs(%g, 1) = %q, want %q", tt.bps, got, tt.short)
		}
	}
	for v, want := range map[float64]string{0: "0.00", 0.0043: "0.0043", 4356.257: "4356.26", 1e9: "1000000000.00"} {
		if got := PerSecond(v); got != want {
			t.Errorf("PerSecond(%g) = %q, want %q", v, got, want)
		}
	}
}

func TestPercent(t *testing.T) {
	for _, tt := range []struct {
		part, whole int64
		want        string
	}{
		{0, 0, "0.0%"},
		{0, 10, "0.0%"},
		{45, 100, "45.0%"},
		{1, 1_000_000, "<0.1%"},
		{10, 10, "100.0%"},
		{999_999, 1_000_000, ">99.9%"},
		{1, 3, "33.3%"},
		{math.MaxInt64, math.MaxInt64, "100.0%"},
	} {
		if got := Percent(tt.part, tt.whole); got != tt.want {
			t.Errorf("Percent(%d, %d) = %q, want %q", tt.part, tt.whole, got, tt.want)
		}
	}
}

func TestPlural(t *testing.T) {
	for n, want := range map[int64]string{0: "0 errors", 1: "1 error", 2: "2 errors"} {
		if got := Plural(n, "error"); got != want {
			t.Errorf("Plural(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestList(t *testing.T) {
	for _, c := range []struct {
		items []string
		want  string
	}{
		{nil, ""}, {[]string{"a"}, "a"}, {[]string{"a", "b"}, "a, b"}, {[]string{"a", "b", "c"}, "a, b and 1 more"}, {[]string{"a", "b", "c", "d"}, "a, b and 2 more"},
	} {
		if got := List(c.items, 2); got != c.want {
			t.Errorf("%q: %q, want %q", c.items, got, c.want)
		}
	}
}

func TestDigits(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 1: "1", 3.5: "3.5", -0.25: "-0.25", 25: "25", 9.996: "10", 999.6: "1000", 1234567: "1234567", 0.0123456: "0.0123", math.NaN(): "0",
	} {
		if got := Digits(v); got != want {
			t.Errorf("Digits(%v) = %q, want %q", v, got, want)
		}
	}
}

func TestBitRate(t *testing.T) {
	for bits, want := range map[float64]string{
		0: "0 bit/s", 999: "999 bit/s", 999.9: "1 kbit/s", 940e6: "940 Mbit/s", 999.9e6: "1 Gbit/s", 25e9: "25 Gbit/s", 5.12e9: "5.12 Gbit/s", 4e15: "4000000 Gbit/s",
	} {
		if got := BitRate(bits); got != want {
			t.Errorf("BitRate(%v) = %q, want %q", bits, got, want)
		}
	}
}

func TestThroughput(t *testing.T) {
	for bps, want := range map[float64]string{0: "0.00 MiB/s", 1.5 * MiB: "1.50 MiB/s", 4509: "0.0043 MiB/s", math.Inf(1): "0.00 MiB/s"} {
		if got := Throughput(bps); got != want {
			t.Errorf("Throughput(%v) = %q, want %q", bps, got, want)
		}
	}
}

func FuzzDuration(f *testing.F) {
	for _, n := range []int64{0, 1, -1, 999_500, 59_950_000_000, math.MaxInt64, math.MinInt64} {
		f.Add(n)
	}
	f.Fuzz(func(t *testing.T, n int64) {
		got := Duration(time.Duration(n))
		if (got == "0s") != (n == 0) {
			t.Errorf("Duration(%d) = %q", n, got)
		}
		back, err := time.ParseDuration(got)
		if err != nil {
			t.Fatalf("Duration(%d) = %q: %v", n, got, err)
		}
		// Three digits are right to half a percent; whole seconds from a minute on too.
		if diff := math.Abs(float64(back) - float64(n)); diff > 0.0051*math.Abs(float64(n))+1 {
			t.Errorf("Duration(%d) = %q, which is %d", n, got, int64(back))
		}
	})
}
