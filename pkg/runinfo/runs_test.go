package runinfo

import (
	"encoding/json"
	"reflect"
	"testing"

	"warp/pkg/compare"
)

// configOf is the configuration of a recording.
func configOf(version, more, hosts, concurrency string) json.RawMessage {
	return json.RawMessage(`{"version": "` + version + `", "engine": "lean"` + more + `, "environment": {"cpus": 2, "hostname": "h` + hosts +
		`"}, "plan": {"room": ` + concurrency + `00, "target": {"hosts": ["` + hosts + `"], "bucket": "b"}, "phases": [{"concurrency": ` + concurrency + `}]}}`)
}

func TestDifferences(t *testing.T) {
	const embedded = `, "embedded": true`
	upstream := func(line string) Run { return NewRun("x", nil, line) }
	for _, c := range []struct {
		name          string
		before, after Run
		want          []compare.Difference
		unknown       bool
	}{
		{
			name:   "one plan, two built-in servers", // of other ports and other room
			before: NewRun("a", configOf("1", embedded, "1", "4"), ""), after: NewRun("b", configOf("1", embedded, "2", "4"), ""),
			want: []compare.Difference{{Path: "environment.hostname", Before: "h1", After: "h2", Minor: true}},
		},
		{
			name:   "another program and server",
			before: NewRun("a", configOf("1", embedded, "1", "4"), ""), after: NewRun("b", configOf("2", "", "1", "5"), ""),
			want: []compare.Difference{
				{Path: "phases.0.concurrency", Before: "4", After: "5", Name: "--concurrent", Was: "4", Is: "5"},
				{Path: "target.hosts.0", Before: "the built-in server", After: "1", Name: "--host", Was: "the built-in server", Is: "1"},
				{Path: "warp", Before: "1", After: "2"},
			},
		},
		{
			name:   "plan and command line",
			before: NewRun("a", configOf("1", "", "1", "4"), "warp get --concurrent 4 --quiet"), after: upstream("/bin/warp get --concurrent=6 --full=true"),
			want: []compare.Difference{{Path: "concurrent", Before: "4", After: "6", Name: "--concurrent", Was: "4", Is: "6"}},
		},
		{
			name:   "command lines",
			before: upstream("warp get --access-key=*REDACTED* --range --obj.size=1KiB"), after: upstream(`warp mixed "--tag=a b" --range=true --analyze.v`),
			want: []compare.Difference{
				{Path: "command", Before: "get", After: "mixed"}, {Path: "obj.size", Before: "1KiB", Name: "--obj.size", Was: "1KiB"}, {Path: "tag", After: "a b", Name: "--tag", Is: "a b"},
			},
		},
		{name: "nothing is known of one", before: NewRun("a", configOf("1", "", "1", "4"), ""), after: upstream("warp get"), unknown: true},
		{name: "nothing is known", unknown: true},
		{name: "no configuration", before: NewRun("a", json.RawMessage(`[1]`), ""), after: NewRun("b", json.RawMessage(`{"plan": 5}`), "warp"), unknown: true},
	} {
		got, known := Differences(c.before, c.after)
		if known == c.unknown || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v (known: %v), want %+v", c.name, got, known, c.want)
		}
	}
}

func TestWordsOf(t *testing.T) {
	for line, want := range map[string][]string{
		"": nil, " \t": nil, "a": {"a"}, "a  b\nc": {"a", "b", "c"},
		`"a b" c`: {"a b", "c"}, `a"b c`: {`a"b`, "c"}, `"open`: {`"open`}, `"a\tb"`: {"a\tb"},
	} {
		if got := wordsOf(line); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
