package naming

import (
	"os"
	"testing"
)

func TestHostname(t *testing.T) {
	name, err := os.Hostname()
	if err != nil {
		t.Skip(err)
	}
	for text, want := range map[string]string{
		"{i}":                            "{i}",
		"{hostname}_loadgen_test//{i:3}": name + "_loadgen_test//{i:3}",
		"{{hostname}}{i}":                "{{hostname}}{i}",
		"{{{hostname}}}":                 "{{" + name + "}}",
		"{hostname}{":                    "{hostname}{",
	} {
		if got, err := Hostname(text); err != nil || got != want {
			t.Errorf("%s becomes %s, %v; want %s", text, got, err, want)
		}
	}
}

func TestNumber(t *testing.T) {
	for operations, want := range map[string]uint64{"": 1234, "/6": 205, "%6": 4, "%6/2": 2, "/2%3": 2, "*10": 12340, "+5": 1239, "/10*100+7": 12307} {
		n, err := ParseNumber(operations, "", false)
		if got := n.Of(1234); err != nil || got != want {
			t.Errorf("1234%s is %d, %v; want %d", operations, got, err, want)
		}
	}
}

func FuzzNumber(f *testing.F) {
	f.Add("/6%2*3+4", uint64(17))
	f.Fuzz(func(t *testing.T, operations string, x uint64) {
		n, err := ParseNumber(operations, "", false)
		if x %= 1 << 30; err != nil || n.Plus > 1<<60 {
			return
		}
		want := x / n.Div
		if n.Mod > 0 {
			want %= n.Mod
		}
		if part, ok := n.Part(n.Of(x)); !ok || part != want*n.Div {
			t.Errorf("%s of %d says %d, %t", operations, x, part, ok)
		}
	})
}
