package cli

import (
	"fmt"
	"strings"
	"testing"

	"warp/cli/internal/process"
)

// TestMistakesHaveTheirPlace: what only the plan as a whole shows is told at the line and column that it is about.
func TestMistakesHaveTheirPlace(t *testing.T) {
	t.Parallel()
	const run = "  - {run: one, do: [{get: a}], until: 1s}\n"
	for name, c := range map[string]struct{ data, phases, want string }{
		"prepare what exists":  {"{existing: true}", run + "  - prepare: a\n", "7:14: phases[1].prepare: data set \"a\" has existing objects"},
		"clean what exists":    {"{existing: true}", run + "  - clean: a\n" + run, "7:12: phases[1].clean: data set \"a\" has existing objects"},
		"verify what exists":   {"{existing: true}", run + "  - verify: a\n", "7:13: phases[1].verify: data set \"a\" has existing objects"},
		"side by side":         {"{}", run + "  - - clean: a\n    - verify: a\n  - {run: two, do: [{get: a}], until: 1s}\n", "8:15: phases[1][1].verify: two steps on data set \"a\""},
		"with its stream":      {"{}", "  - - {run: one, do: [{get: a}], until: 1s}\n    - verify: a\n", "7:15: phases[0][1].verify: verify a: stream \"one\" works on"},
		"a changing order":     {"{}", "  - {run: one, do: [{get: a, access: shuffle}, {put: a}], until: 1s}\n", "6:38: phases[0].do[0].access: shuffle: objects join"},
		"what comes after":     {"{}", "  - run: one\n    until: 1s\n    do: [{mixed: a, then: [{get: same}]}]\n", "8:28: phases[0].do[0].then[0]: same: some operations"},
		"a rate of nothing":    {"{}", "  - {run: one, do: [{get: a}], load: {rate: 50% of two}, until: 1s}\n", "6:45: phases[0].load.rate: 50% of two: no such phase"},
		"stable with others":   {"{}", "  - - {run: one, do: [{get: a}], until: {steady: 5%}}\n    - {run: two, do: [{get: a}], until: 1s}\n", "6:13: phases[0][0].run: stream \"one\": autoterm"},
		"the same names":       {"{keys: \"x{i}\"}\n  b: {keys: \"x{i}\"}", "  - {run: one, do: [{get: a}, {get: b}], until: 1s}\n", "5:13: data.b.keys: two data sets could have the same keys"},
		"one disturbs another": {"{}", run + "  - {run: two, do: [{get: a, verify: true}, {put: a, overwrite: true}], until: 1s}\n", "7:45: phases[1].do[1]: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := "warp: 1\ntarget: {hosts: [\"127.0.0.1:9\"], bucket: bench, signature: anonymous}\ndata:\n  a: " + c.data + "\nphases:\n" + c.phases
			_, err := resolve(t, "x", text)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v\nwant %s in\n%s", err, c.want, text)
			}
		})
	}
}

// TestManyMistakes: a file can have any number of them; ten are enough to read.
func TestManyMistakes(t *testing.T) {
	t.Parallel()
	_, err := resolve(t, "x", "warp: 1\nphases:\n"+strings.Repeat("  - {wait: 1s, nothing: 1}\n", 80))
	if err == nil {
		t.Fatal("no mistake was found")
	}
	text := process.ErrorLines(err)
	if n := strings.Count(text, "unknown key"); n != 10 || !strings.HasSuffix(text, "warp: and 70 more\n") {
		t.Errorf("%d mistakes are printed:\n%s", n, text)
	}
	_, err = resolve(t, "x", "warp: 1\nphases:\n"+strings.Repeat("  - {wait: 1s, nothing: 1}\n", 10))
	if text = process.ErrorLines(err); strings.Contains(text, "more") || strings.Count(text, "unknown key") != 10 {
		t.Error(fmt.Errorf("of ten mistakes: %w", err))
	}
}
