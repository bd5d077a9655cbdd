package op

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestOrderOfKinds(t *testing.T) {
	want := []Kind{
		Get, Get.Labelled("a"), Get.Labelled("b"), Get.Outcome(304), Get.Attempts(), Put, Put.Outcome(412), Delete, Stat, List,
		GetPart, MultipartGet, Post, CreateUpload, MultipartPut, GetTags, HeadBucket, Copy, Append, "ALIEN", "UNKNOWN",
	}
	for range 20 {
		got := slices.Clone(want)
		rand.Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
		slices.SortFunc(got, Kind.Compare)
		if !slices.Equal(got, want) {
			t.Fatalf("order is %v, want %v", got, want)
		}
	}
}

func TestColoursOfKinds(t *testing.T) {
	seen := map[int]Kind{}
	for _, k := range []Kind{Get, Put, Delete, Stat, List} {
		c := k.Colour()
		if other, taken := seen[c]; taken {
			t.Errorf("%s and %s have the same colour", k, other)
		}
		seen[c] = k
		for _, variant := range []Kind{k.Labelled("x"), k.Outcome(404), k.Attempts()} {
			if variant.Colour() != c {
				t.Errorf("%s has another colour than %s", variant, k)
			}
		}
	}
	if c := Kind("ALIEN").Colour(); c < 0 || c >= colours || c != Kind("ALIEN").Colour() {
		t.Errorf("an unknown kind has colour %d", c)
	}
}
