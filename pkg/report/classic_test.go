package report

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"warp/internal/testkit"
	"warp/pkg/aggregate"
	"warp/pkg/op"
)

// Lines of the manual of MinIO warp, with figures as expressions.
const (
	number  = `[0-9.]+`
	length  = `\(` + number + `m?s\)`
	ended   = number + ` MiB/s, ` + number + ` obj/s, ` + number + ` ops ended/s `
	objects = number + ` obj/s, ` + number + ` ops ended/s `
	clock   = `, starting \d\d:\d\d:\d\d [A-Z]+\)`
	counts  = number + ` obj/s \(` + number + `s` + clock
	elapsed = number + `[nµm]?s`
)

// TestClassic compares reports with the forms of the manual's examples, line by line.
func TestClassic(t *testing.T) {
	moved := []string{
		`Operation: KIND`, `\* Average: ` + ended + length, ``, `Aggregated, split into \d+ x 1s time segments:`,
		`\* Fastest: ` + ended + length, `\* 50% Median: ` + ended + length, `\* Slowest: ` + ended + length,
	}
	counted := func(title string) []string {
		return []string{
			title, `\* Average: ` + objects + length, ``, `Aggregated, split into \d+ x 1s time segments:`,
			`\* Fastest: ` + objects + length, `\* 50% Median: ` + objects + length, `\* Slowest: ` + objects + length,
		}
	}
	share := func(kind, rate string) []string {
		return []string{`Operation: ` + kind, ` \* ` + rate + ` \(` + number + `s` + clock + ` \(` + number + `% of operations\)`}
	}
	both, one := number+` MiB/s, `+number+` obj/s`, number+` obj/s`
	mix := func(lists ...[]string) (lines []string) {
		lines = append(lines, "Mixed operations.")
		for _, list := range lists {
			lines = append(append(lines, ""), list...)
		}
		return lines
	}
	firstByte := `First Byte: Average: ` + elapsed + `, Median: ` + elapsed + `, Best: ` + elapsed + `, Worst: ` + elapsed
	class := []string{
		``, `Request size ` + number + `[KM]?i?B -> ` + number + `[KM]?i?B. Requests - \d+:`,
		` \* Throughput: Average: .*, 50%: .*, 90%: .*, Fastest: .*, Slowest: ` + number + `[KM]?i?B/s`, ` \* ` + firstByte,
	}
	segments := []string{
		``, `Aggregated Throughput, split into \d+ x 1s time segments:`, ` \* Fastest: .* \(1s` + clock, ` \* 50% Median: .* \(1s` + clock,
		` \* Slowest: .* \(1s` + clock,
	}
	headline := func(kind string) []string {
		return []string{`-------------------`, `Operation: ` + kind + `. Concurrency: \d+. Hosts: \d.`}
	}
	sizes := append(headline("GET"), ``, `Requests considered: \d+. Multiple sizes, average \d+ bytes:`)
	sizes = append(append(append(sizes, class...), class...), class...)
	sizes = append(append(sizes, ``, `Throughput:`, `\* Average: `+both+` \(`+number+`s`+clock), segments...)
	perHost := []string{
		` \* http://10.0.0.\d:9000 - \d+ requests:`, `        - Fastest: ` + elapsed + ` Slowest: ` + elapsed + ` 50%: ` + elapsed + ` 90%: ` + elapsed,
		`        - ` + firstByte,
	}
	hosts := append(headline("GET"), ``, `Requests - \d+:`,
		` \* Fastest: `+elapsed+` Slowest: `+elapsed+` 50%: `+elapsed+` 90%: `+elapsed+` 99%: `+elapsed, ` \* `+firstByte,
		``, `Requests by host:`)
	hosts = append(append(hosts, perHost...), perHost...)
	hosts = append(append(hosts, ``, `Throughput:`, `\* Average: `+both+` \(`+number+`s`+clock), segments...)
	byHost := []string{
		` \* http://10.0.0.\d:9000: Avg: ` + both + ` ` + length, `        - Fastest: ` + both + ` \(1s\)`,
		`        - 50% Median: ` + both + ` \(1s\)`, `        - Slowest: ` + both + ` \(1s\)`,
	}
	hosts = append(append(append(hosts, ``, `Throughput by host:`), byHost...), byHost...)
	times := ` \* Avg: ` + elapsed + ` 50%: ` + elapsed + ` 90%: ` + elapsed + ` 99%: ` + elapsed + ` Fastest: ` + elapsed + ` Slowest: ` + elapsed
	timed := func(kind, rate string) []string {
		return append(share(kind, rate), ``, `Requests considered: \d+:`, times)
	}
	of := func(g *aggregate.Group) *aggregate.Snapshot { return snapshot(g) }
	twoHosts := snapshot(twoHosts().Groups[1])
	twoHosts.Groups[0].Errors = 0
	mixedOnly := mixed()
	mixedOnly.Groups = mixedOnly.Groups[1:]
	for _, tt := range []struct {
		name     string
		s        *aggregate.Snapshot
		requests bool
		want     []string
	}{
		{"get", of(group(op.Get, 100, 1<<20, 1)), false, []string{strings.Join(moved, "\n")}},
		{"put", of(group(op.Put, 100, 1<<20, 1)), false, []string{strings.Join(moved, "\n")}},
		{"delete", of(group(op.Delete, 25, 0, 100)), false, counted(`Operation: DELETE 100 objects per operation`)},
		{"list", of(group(op.List, 37, 0, 833)), false, counted(`Operation: LIST 833 objects per operation`)},
		{"stat", of(group(op.Stat, 900, 0, 1)), false, append(append(headline("STAT"), `\* Average: `+counts), segments...)},
		{"mixed", mixedOnly, false, mix(share("GET", both), share("STAT", one), share("PUT", both), share("DELETE", one))},
		{"requests of a mix", mixedOnly, true, mix(timed("GET", both), timed("STAT", one), timed("PUT", both), timed("DELETE", one))},
		{"requests of several sizes", randomSizes(), true, sizes},
		{"requests by host", twoHosts, true, hosts},
	} {
		var out bytes.Buffer
		if err := Text(&out, tt.s, TextOptions{Form: Classic, Requests: tt.requests, Location: time.UTC}); err != nil {
			t.Fatal(err)
		}
		want := strings.ReplaceAll(strings.Join(tt.want, "\n"), "KIND", string(tt.s.Groups[0].Kind))
		lines, forms := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n"), strings.Split(want, "\n")
		if len(lines) != len(forms) {
			t.Errorf("%s: %d lines, want %d:\n%s", tt.name, len(lines), len(forms), out.String())
			continue
		}
		for i, form := range forms {
			if !regexp.MustCompile("^" + form + "$").MatchString(lines[i]) {
				t.Errorf("%s: line %d is %q, want %s", tt.name, i+1, lines[i], form)
			}
		}
		testkit.Golden(t, "testdata/classic."+strings.ReplaceAll(tt.name, " ", "-")+".txt", out.String())
	}
}
