package bench

import (
	"testing"

	"warp/pkg/generator"
)

// TestMixes: a data set that looks for its objects takes none of another one whose keys begin otherwise.
func TestMixes(t *testing.T) {
	for _, c := range []struct {
		one, two generator.Spec
		want     bool
	}{
		{generator.Spec{}, generator.Spec{Prefix: "a"}, true},
		{generator.Spec{Prefix: "a"}, generator.Spec{Prefix: "b"}, false},
		{generator.Spec{Prefix: "a"}, generator.Spec{Keys: "b/{i}"}, false},
		{generator.Spec{Prefix: "a"}, generator.Spec{Keys: "a/{i}"}, true},
		{generator.Spec{Prefix: "a"}, generator.Spec{Keys: "a{i}"}, true},
		{generator.Spec{Keys: "hot_{i}"}, generator.Spec{Keys: "cold_{i}"}, false},
		{generator.Spec{Keys: "hot_{i}", Prefix: "p"}, generator.Spec{Keys: "p/hot_{hash}"}, true},
	} {
		one, two := &setPlan{spec: c.one}, &setPlan{spec: c.two}
		if one.mixes(two) != c.want || two.mixes(one) != c.want {
			t.Errorf("%+v and %+v: want %t", c.one, c.two, c.want)
		}
	}
}
