package bench_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"warp/internal/testkit"
	"warp/pkg/bench"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/preflight"
)

type row struct {
	name string
	job  job
}

// rows are the lines of the table in docs/reference/servers.md.
var rows = []row{
	{"get", job{workload: "get"}},
	{"get --range", job{workload: "get", args: []string{"-range"}}},
	{"get --part.size", job{workload: "get", args: []string{"-part.size=1KiB", "-part.concurrent=2"}}},
	{"get, 1 MiB", job{workload: "get", args: []string{"-objects=8"}, change: func(p *bench.Plan) { p.Data.Sizes.Max = 1 << 20 }}},
	{"put", job{workload: "put"}},
	{"put, empty objects", job{workload: "put", change: func(p *bench.Plan) { p.Data.Sizes.Max = 0 }}},
	{"put --post", job{workload: "put", args: []string{"-post", "-verify"}}},
	{"put --presign", job{workload: "put", args: []string{"-presign", "-verify"}}},
	{"get --presign", job{workload: "get", args: []string{"-presign", "-range-size=100"}}},
	{"multipart-put", job{workload: "multipart-put", change: inParts}},
	{"multipart", job{workload: "multipart", change: inParts}},
	{"delete", job{workload: "delete"}},
	{"delete --batch=1", job{workload: "delete", args: []string{"-batch=1"}}},
	{"list", job{workload: "list"}},
	{"list --noprefix", job{workload: "list", change: func(p *bench.Plan) { p.Data.NoPrefix = true }}},
	{"stat", job{workload: "stat"}},
	{"mixed", job{workload: "mixed"}},
	{"mixed --range", job{workload: "mixed", args: []string{"-range"}}},
	{"tag", job{workload: "tag"}},
	{"attributes", job{workload: "attributes"}},
	{"acl", job{workload: "acl"}},
	{"select", job{workload: "select", args: []string{"-verify"}}},
	{"head-bucket", job{workload: "head-bucket"}},
	{"create-bucket", job{workload: "create-bucket"}},
	{"delete-bucket", job{workload: "delete-bucket"}},
	{"copy", job{workload: "copy"}},
	{"copy --part.size", job{workload: "copy", args: []string{"-objects=2", "-part.size=5MiB", "-part.concurrent=2"}, change: inParts}},
	{"copy --compose", job{workload: "copy", args: []string{"-compose=3"}}},
	{"append", job{workload: "append"}},
	{"rename", job{workload: "rename"}},
	{"snowball", job{workload: "snowball"}},
	{"snowball --compress", job{workload: "snowball", args: []string{"-compress"}}},
	{"zip", job{workload: "zip", args: []string{"-verify"}}},
	{"fanout", job{workload: "fanout"}},
	{"list --start-after", job{workload: "list", args: []string{"-start-after"}}},
	{"list --delimiter=.", job{workload: "list", args: []string{"-delimiter=."}}},
	{"list --list-version=1", job{workload: "list", args: []string{"-list-version=1"}}},
	{"list --metadata", job{workload: "list", args: []string{"-metadata"}}},
	{"--prefix with odd characters", job{workload: "mixed", change: func(p *bench.Plan) { p.Data.Prefix = "a b/ü+%&'()" }}},
}

// inParts has objects uploaded in two parts, the first one of the smallest size that S3 takes.
func inParts(p *bench.Plan) { p.Data.Sizes.Max, p.Phases[0].Concurrency = 5<<20+4096, 2 }

// serverTable is the document with the table.
const serverTable = "../../docs/reference/servers.md"

// TestServer runs every command against the server and holds the outcome against the server's column in docs/reference/servers.md.
// A server that does something new, or no longer does what it did, fails it: then look, and run it with -update.
func TestServer(t *testing.T) {
	if testing.Short() {
		t.Skip("the rows are about a server, and other tests perform the same operations")
	}
	text, err := os.ReadFile(serverTable)
	if err != nil {
		t.Fatal(err)
	}
	table := parseTable(string(text))
	var mu sync.Mutex
	t.Cleanup(func() { // after all rows
		if *testkit.Update {
			if err := os.WriteFile(serverTable, []byte(table.String()), 0o644); err != nil {
				t.Error(err)
			}
		}
	})
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got := tryOut(t, row.job)
			mu.Lock()
			defer mu.Unlock()
			if *testkit.Update {
				table.set(row.name, serverName, got)
			} else if want := table.get(row.name, serverName); got != want {
				t.Errorf("docs/reference/servers.md says %q, the server %q", want, got)
			}
		})
	}
}

// tryOut makes a run and says how it went: "yes", or what went wrong.
func tryOut(t *testing.T, j job) string {
	store, err := tryOpen(t, newBucket(), j.options)
	if err != nil {
		return "no: " + problem(err)
	}
	if change := j.change; j.workload != "contend" { // whose rows need time
		j.change = func(p *bench.Plan) {
			p.Phases[0].Ops = 8 // not interrupted: a slow server may take longer to copy a part than an interrupted run waits
			if change != nil {
				change(p)
			}
		}
	}
	m, _, err := j.run(context.Background(), t, store)
	classes := map[string]bool{}
	for _, o := range m.ops {
		if o.Failed() {
			classes[op.Class(o.Err)] = true
			t.Logf("%s %q: %s", o.Kind, o.Key, o.Err)
		} else if j.kind != "" && o.Phase == "" && o.Kind != j.kind {
			classes["it is "+string(o.Kind)] = true
		}
	}
	var says []string
	for c := range classes {
		says = append(says, c)
	}
	slices.Sort(says)
	switch {
	case err != nil:
		t.Log(err)
		says = append(says, problem(err))
	case len(m.benchmark()) == 0:
		says = append(says, "no operations")
	}
	if there, _ := preflight.Open(store).Exists(context.Background()); there {
		says = append(says, "bucket left")
	}
	if len(says) == 0 {
		return "yes"
	}
	return "no: " + strings.Join(says, ", ")
}

// problem is the kind of an error, without what differs from run to run.
func problem(err error) string {
	var d *preflight.Diagnosis
	if errors.As(err, &d) && strings.HasPrefix(d.Problem, "cannot ") {
		return fmt.Sprintf("%s (%s)", d.Problem, op.Class(d.Err.Error()))
	}
	if known := (*s3.Error)(nil); errors.As(err, &known) {
		return "run failed: " + known.Class
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	if _, after, found := strings.Cut(text, ": "); found {
		text = after
	}
	return "run failed: " + op.Class(text)
}

// markdown is a table of rows and columns, with text before and after it.
type markdown struct {
	before, after string
	columns       []string
	cells         map[string]map[string]string // by row, column
}

func parseTable(text string) *markdown {
	m := &markdown{cells: map[string]map[string]string{}}
	for l := range strings.Lines(text) {
		line := strings.TrimSpace(l)
		if !strings.HasPrefix(line, "|") || m.after != "" { // the first table
			if m.columns == nil {
				m.before += l
			} else {
				m.after += l
			}
			continue
		}
		var cells []string
		for c := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
			cells = append(cells, strings.TrimSpace(c))
		}
		switch {
		case m.columns == nil:
			m.columns = cells[1:]
		case !strings.HasPrefix(cells[0], "---"):
			for i, c := range cells[1:] {
				m.set(cells[0], m.columns[i], c)
			}
		}
	}
	return m
}

func (m *markdown) get(row, column string) string { return m.cells[row][column] }

func (m *markdown) set(row, column, cell string) {
	if !slices.Contains(m.columns, column) {
		m.columns = append(m.columns, column)
	}
	if m.cells[row] == nil {
		m.cells[row] = map[string]string{}
	}
	m.cells[row][column] = cell
}

func (m *markdown) String() string {
	var b strings.Builder
	b.WriteString(m.before)
	fmt.Fprintf(&b, "| | %s |\n|---|%s\n", strings.Join(m.columns, " | "), strings.Repeat("---|", len(m.columns)))
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s |", r.name)
		for _, c := range m.columns {
			fmt.Fprintf(&b, " %s |", m.get(r.name, c))
		}
		b.WriteString("\n")
	}
	return b.String() + m.after
}
