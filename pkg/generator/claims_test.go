package generator

import (
	"strings"
	"testing"
)

func TestClaims(t *testing.T) {
	seen := map[string]bool{}
	for _, spec := range []Spec{{}, {Prefix: "p"}, {NoPrefix: true}, {Prefix: "p", NoPrefix: true}} {
		for seed := range uint64(20) {
			k := NewKeys(spec, seed, 3)
			c := k.Claims()
			if c != NewKeys(spec, seed, 7).Claims() {
				t.Errorf("%+v: claims differ by the number of threads", spec)
			}
			if seen[c] || !strings.HasPrefix(c, k.Root()) || !IsClaim(c+"x") {
				t.Errorf("%+v, seed %d: claims begin with %q", spec, seed, c)
			}
			seen[c] = true
			if _, ours := k.Index(c + "x"); ours {
				t.Errorf("%q counts as an object", c)
			}
			for dir := range k.Dirs() {
				if !spec.NoPrefix && strings.HasPrefix(c, k.Dir(dir)) {
					t.Errorf("the claim %q is among the objects of a thread", c)
				}
			}
		}
	}
	for _, key := range []string{"", "claim.", "claim.x.y", "a/claim.0123456789abcdef", NewKeys(Spec{}, 1, 1).Key(1)} {
		if IsClaim(key) {
			t.Errorf("%q is taken for a claim", key)
		}
	}
}

func TestPlacesHoldAllKeys(t *testing.T) {
	for _, spec := range []Spec{{}, {Prefix: "p"}, {NoPrefix: true}, {Prefix: "p", NoPrefix: true}} {
		k := NewKeys(spec, 5, 3)
		for _, i := range []uint64{0, 1, 9, 10, 12345, 1<<64 - 1} {
			in := 0
			for _, place := range k.Places() {
				if rest, ok := strings.CutPrefix(k.Key(i), place); ok && !strings.Contains(rest, "/") {
					in++
				}
			}
			if in != 1 {
				t.Errorf("%+v: %q lies in %d places", spec, k.Key(i), in)
			}
		}
	}
}
