// Package units formats and parses durations, sizes, rates and counts, so that the same figure reads the same everywhere.
package units

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Bytes in the binary units.
const (
	KiB = 1 << 10
	MiB = 1 << 20
)

// Duration formats d with three significant digits in the unit that fits, from ns to s: "850ns", "12.3µs", "9.10ms",
// "1.25s". From a minute it uses whole seconds: "1m15s", "2h0m3s". Only zero itself is "0s".
func Duration(d time.Duration) string {
	switch {
	case d == math.MinInt64:
		return "-" + Duration(math.MaxInt64) // has no positive counterpart
	case d < 0:
		return "-" + Duration(-d)
	case d == 0:
		return "0s"
	case d.Round(100*time.Millisecond) >= time.Minute:
		return d.Round(time.Second).Truncate(time.Second).String() // Round does not round near the largest duration
	}
	ns := float64(d)
	for _, u := range []struct {
		size float64
		name string
	}{{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}} {
		// 999.5 of a unit would round to 1000 of it, which is 1.00 of the next.
		if ns < 999.5*u.size {
			if u.size == 1 {
				return strconv.FormatInt(int64(d), 10) + u.name
			}
			return significant(ns/u.size) + u.name
		}
	}
	return significant(ns/1e9) + "s"
}

// Span formats a length of time: like Duration, but without trailing zeros: "1s", "1m0s", "7.99s", "500ms".
func Span(d time.Duration) string {
	s := Duration(d)
	digits := strings.TrimRight(s, "nµms")
	if !strings.Contains(digits, ".") {
		return s
	}
	return strings.TrimRight(strings.TrimRight(digits, "0"), ".") + s[len(digits):]
}

// Seconds formats an approximate time to wait, in whole seconds rounded up: "1s", "2m5s". Negative times are "0s".
func Seconds(d time.Duration) string {
	if d <= 0 {
		return "0s"
	}
	if rest := d % time.Second; rest > 0 && d <= math.MaxInt64-time.Second {
		d += time.Second - rest
	}
	return d.Truncate(time.Second).String()
}

// Size formats a number of bytes in the binary unit that fits, without trailing zeros: "100B", "10KiB", "1.5MiB".
func Size(n int64) string {
	number, unit := binary(float64(n))
	return trimZeros(strconv.FormatFloat(number, 'f', 2, 64)) + unit
}

// Throughput formats bytes per second in MiB/s with two decimals, like MiBs: "16.62 MiB/s".
func Throughput(bytesPerSec float64) string { return MiBs(bytesPerSec, 2) + " MiB/s" }

// Rate formats bytes per second in the binary unit that fits, with one decimal: "512.0B/s", "62.8MiB/s".
func Rate(bytesPerSec float64) string {
	number, unit := binary(Finite(bytesPerSec))
	return strconv.FormatFloat(number, 'f', 1, 64) + unit + "/s"
}

// MiBs formats bytes per second in MiB/s, without the unit, with the given number of decimals. Figures too small for
// these have two significant digits instead: "16.62", "0.0043".
func MiBs(bytesPerSec float64, decimals int) string {
	v := Finite(bytesPerSec) / MiB
	if v != 0 && math.Abs(v) < 9.95*math.Pow10(-decimals) {
		exp := int(math.Floor(math.Log10(math.Abs(v))))
		return strconv.FormatFloat(v, 'f', max(decimals, 1-exp), 64)
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// PerSecond formats a number of things per second, without the unit, with two decimals; below 0.1 with two significant
// digits, as MiBs does.
func PerSecond(v float64) string {
	return MiBs(Finite(v)*MiB, 2)
}

// Percent formats part of whole with one decimal: "45.0%". 0 of 0 is "0.0%"; otherwise "0.0%" means exactly none, and
// "100.0%" all.
func Percent(part, whole int64) string {
	if whole <= 0 || part == 0 {
		return "0.0%"
	}
	p := 100 * float64(part) / float64(whole)
	switch {
	case p > 0 && p < 0.05:
		return "<0.1%"
	case part < whole && p >= 99.95:
		return ">99.9%"
	}
	return strconv.FormatFloat(p, 'f', 1, 64) + "%"
}

// Change formats a relative change in percent with its sign: "+2.10%", "-0.35%", "+1234%". No change is "+0.00%".
func Change(v float64) string {
	v = 100 * Finite(v)
	decimals := 2
	if math.Abs(v) >= 1000 {
		decimals = 0
	}
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if text == "-0.00" {
		text = "0.00"
	}
	return Signed(text) + "%"
}

// Signed prefixes a figure without a minus with a plus.
func Signed(figure string) string {
	if strings.HasPrefix(figure, "-") {
		return figure
	}
	return "+" + figure
}

// Digits formats v with three significant digits, but whole parts in full and without trailing zeros: "3.5", "25", "0.012".
func Digits(v float64) string {
	v = Finite(v)
	if v == 0 {
		return "0"
	}
	exp := int(math.Floor(math.Log10(math.Abs(v))))
	return trimZeros(strconv.FormatFloat(v, 'f', max(0, 2-exp), 64))
}

// BitRate formats bits per second in decimal units, as link speeds are given: "940 Mbit/s", "25 Gbit/s".
func BitRate(bits float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, "Gbit/s"}, {1e6, "Mbit/s"}, {1e3, "kbit/s"}} {
		if bits >= 0.9995*u.size { // 999.6 Mbit/s would round to 1000
			return Digits(bits/u.size) + " " + u.name
		}
	}
	return Digits(bits) + " bit/s"
}

// Plural formats n and a noun, with an s unless n is one: "1 error", "3 errors".
func Plural(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.FormatInt(n, 10) + " " + noun
}

// List joins the first items of a list, up to a number, and counts the rest: "a, b and 3 more".
func List(items []string, limit int) string {
	rest := len(items) - limit
	if rest <= 0 {
		return strings.Join(items, ", ")
	}
	return strings.Join(items[:limit], ", ") + " and " + strconv.Itoa(rest) + " more"
}

// significant formats 1 <= v < 999.5 with three digits.
func significant(v float64) string {
	switch {
	case v < 9.995:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case v < 99.95:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

// binary scales v to the largest binary unit that it has at least once.
func binary(v float64) (number float64, unit string) {
	names := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	for len(names) > 1 && math.Abs(v) >= 1024 {
		v /= 1024
		names = names[1:]
	}
	return v, names[0]
}

func trimZeros(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}

// Finite returns v, or 0 if it is infinite or NaN.
func Finite(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}

// Line replaces control characters in text from servers and files, so that it stays on one line, in reading order, and
// cannot control the terminal.
func Line(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}

// Truncate shortens a text to n characters.
func Truncate(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n]) + "..."
}
