package units

import (
	"math"
	"strings"
	"testing"
)

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "1": 1, "4096": 4096, "4096B": 4096, "1KB": 1000, "1KiB": 1024, "1k": 1000, "1ki": 1024,
		"10MiB": 10 << 20, "10mib": 10 << 20, "10 MB": 10e6, " 1GiB ": 1 << 30, "1.5MiB": 3 << 19, "0.3KiB": 307,
		"1.5GB": 15e8, "1TiB": 1 << 40, "5TB": 5e12, "1PiB": 1 << 50, "7EiB": 7 << 60, "9223372036854775807": math.MaxInt64,
		"1.00000000000000000000000001KiB": 1024, "0.999999999999999999B": 0, "7.999999999999999999EiB": math.MaxInt64 - 1,
	} {
		got, err := ParseSize(text)
		if err != nil || got != want {
			t.Errorf("ParseSize(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
}

func TestParseSizeErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "empty",
		"-1":                   "negative",
		"-10MiB":               "negative",
		"MiB":                  "invalid size",
		"ten":                  "invalid size",
		"10XB":                 `unknown unit "XB"`,
		"10MiB5":               `unknown unit "MiB5"`,
		"1.2.3":                "is not a number",
		"1.":                   "is not a number",
		".5KB":                 "is not a number",
		"8EiB":                 "more than",
		"10EB":                 "more than",
		"99999999999999999999": "more than",
		"9223372036854775808":  "more than",
	} {
		_, err := ParseSize(text)
		if err == nil {
			t.Errorf("ParseSize(%q) succeeded", text)
			continue
		}
		for _, part := range []string{want, text, "10MiB"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("ParseSize(%q): %q does not say %q", text, err, part)
			}
		}
	}
}

func TestParseSizeOfBlanks(t *testing.T) {
	if _, err := ParseSize("   "); err == nil || !strings.Contains(err.Error(), "empty") {
		t.Errorf("error is %v", err)
	}
}

func TestExactSize(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 1: "1", 999: "999", 1000: "1KB", 1024: "1KiB", 1536: "1536", 10 << 20: "10MiB", 10e6: "10MB", 3 << 19: "1536KiB",
		1 << 62: "4EiB", math.MaxInt64: "9223372036854775807",
	} {
		if got := ExactSize(n); got != want {
			t.Errorf("ExactSize(%d) = %s, want %s", n, got, want)
		}
	}
}

func FuzzParseSize(f *testing.F) {
	for _, s := range []string{"10MiB", "1.5GB", "4096", "-1", "8EiB", "7.999999999999999999EiB", "1,5", "1e9", "0x10"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := ParseSize(s)
		if err != nil {
			return
		}
		if n < 0 {
			t.Fatalf("ParseSize(%q) = %d", s, n)
		}
		if back, err := ParseSize(ExactSize(n)); err != nil || back != n {
			t.Fatalf("%q is %d, written as %s, read as %d, %v", s, n, ExactSize(n), back, err)
		}
	})
}
