package trace

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestStorable(t *testing.T) {
	long := strings.Repeat("é/", 400)
	deep := strings.Repeat("0123456789", 30)
	for name, want := range map[string]string{
		"a/b.txt":                  "a/b.txt",
		"ä/日本 %20+":                "ä/日本 %20+",
		"...":                      "...",
		"":                         "_~",
		"a/":                       "a/_~",
		"/a":                       "_/a~",
		"a//b":                     "a/_/b~",
		"../../etc/passwd":         "_/_/etc/passwd~",
		"a/./b/..":                 "a/_/b/_~",
		"bad\xff\xfeutf8":          "bad__utf8~",
		"line\nand\x00zero":        "line_and_zero~",
		"not in XML \ufffe":        "not in XML _~",
		long:                       long[:1011] + "~",
		"../" + long:               "_/" + long[:1010] + "~",
		long + "\xff":              long[:1011] + "~",
		deep[:255]:                 deep[:255],
		deep[:256]:                 deep[:243] + "~",
		"a/" + deep:                "a/" + deep[:243] + "~",
		deep[:242] + "éééééééé":    deep[:242] + "~",
		strings.Repeat("\xff", 90): strings.Repeat("_", 90) + "~",
		strings.Repeat("a/", 600):  strings.Repeat("a/", 506) + "~",
	} {
		got := Storable(name, MaxName)
		head, hash, changed := strings.Cut(got, "~")
		if changed {
			head += "~"
		}
		if head != want || changed && len(hash) != 11 || len(got) > MaxName || !utf8.ValidString(got) {
			t.Errorf("%.40q: got %q, want %q", name, got, want)
		}
	}
	if Storable(deep+"a/x", MaxName) == Storable(deep+"b/x", MaxName) {
		t.Error("two long directories have become one")
	}
	for _, prefix := range []string{"", "a/", "dir/.", "bad\xff", deep, deep + "a/", deep + "a/x", "dir/" + deep, deep[:250]} {
		for _, more := range []string{"x", "hidden/y", "/z", deep + "/y"} {
			if got, want := Storable(prefix+more, MaxName), StorablePrefix(prefix, 900); !strings.HasPrefix(got, want) {
				t.Errorf("%.40q: %q does not begin with %q", prefix+more, got, want)
			}
		}
	}
	if Storable("a/", 100) == Storable("a//", 100) || Storable("\xff", 100) == Storable("\xfe", 100) || Storable(long+"a", 100) == Storable(long+"b", 100) {
		t.Error("two names have one key")
	}
	if got := Storable("0123456789", 9+12); got != "0123456789" {
		t.Errorf("%q", got)
	}
}

// FuzzStorable makes keys of anything.
func FuzzStorable(f *testing.F) {
	f.Add("a/../b\xff", uint16(20))
	f.Add("///////00000//0", uint16(33))
	f.Add("a/"+strings.Repeat("b", 250)+"/c", uint16(262))
	f.Fuzz(func(t *testing.T, name string, most uint16) {
		n := max(16, int(most)%MaxName)
		got := Storable(name, n)
		if len(got) > n || got == "" || !storable(got) {
			t.Fatalf("%q in %d bytes: %q", name, n, got)
		}
		for at := range min(len(name), n) {
			if name[at] == '/' || !utf8.RuneStart(name[at]) {
				continue
			}
			if prefix := StorablePrefix(name[:at], n); !strings.HasPrefix(got, prefix) {
				t.Fatalf("%q becomes %q, and its prefix %q becomes %q", name, got, name[:at], prefix)
			}
		}
		if again := Storable(got, n); again != got {
			t.Fatalf("%q becomes %q", got, again)
		}
	})
}
