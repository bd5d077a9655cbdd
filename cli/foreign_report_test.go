package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/pkg/op"
)

// toolTotals is what the operations of a phase are to another tool: a transfer in parts is one of them.
type toolTotals struct {
	phase       string
	kind        op.Kind
	ops         int
	bytes       int64
	first, last time.Time
}

// toolTotals returns the totals of the recorded operations by phase, ordered by start.
func (s *sent) toolTotals() (list []*toolTotals) {
	inParts := map[string]bool{}
	for _, o := range s.ops {
		inParts[o.Phase] = inParts[o.Phase] || o.Kind.IsComposite()
	}
	for _, o := range s.ops {
		if o.Phase == op.PhasePrepare || inParts[o.Phase] && !o.Kind.IsComposite() {
			continue
		}
		i := slices.IndexFunc(list, func(p *toolTotals) bool { return p.phase == o.Phase && p.kind == o.Kind })
		if i < 0 {
			i = len(list)
			list = append(list, &toolTotals{phase: o.Phase, kind: o.Kind, first: o.Start})
		}
		p := list[i]
		p.ops, p.bytes = p.ops+1, p.bytes+o.Bytes
		if o.End.After(p.last) {
			p.last = o.End
		}
	}
	return list
}

// inFormat checks the totals of a run in the format of the tool that it was converted from: all operations, none left out at the ends, and the tool's
// other figures.
func (s *sent) inFormat(t *testing.T, format string) {
	t.Helper()
	out, err := exec.Command("warp", "analyze", "--quiet", "--format="+format, s.recording).Output()
	if err != nil {
		t.Fatal(err)
	}
	text := string(out)
	expect := func(pattern string) {
		t.Helper()
		m := regexp.MustCompile(`(?m)^` + pattern).FindStringIndex(text)
		if m == nil {
			t.Errorf("%s: no line %s in what follows:\n%s", format, pattern, text)
			return
		}
		text = text[m[1]:]
	}
	if format == "s3bench" {
		expect(`Test parameters$\nendpoint\(s\): +\[http://[^ ]+\]$\nbucket: +[a-z0-9-]+$\nobjectNamePrefix: .*$\nobjectSize: +[0-9.]+ MB$\nnumClients: +[24]$\nnumSamples: +(10|4)$\nbatchSize: +1000$`)
		expect(`Total size of data set : [0-9.]+ MB$\nverbose: +false$`)
	}
	for _, p := range s.toolTotals() {
		d := p.last.Sub(p.first).Seconds()
		switch format {
		case "hsbench":
			mode := map[op.Kind]string{op.CreateBucket: "BINIT", op.DeleteBucket: "BDEL", op.Delete: "DEL"}[p.kind]
			if mode == "" {
				mode = string(p.kind)
			}
			expect(fmt.Sprintf(`0,TOTAL,%.2f,%s,%d,`, d, mode, p.ops))
			if strings.HasPrefix(text, "0.00,0.00,0.00") {
				t.Errorf("%s has no rate and no latency", mode)
			}
		case "osb":
			expect(fmt.Sprintf(`Starting script statement: %s .*\.\.\.$`, p.kind))
			if p.kind == op.Put {
				expect(`Naming strategy 'CONSTANT PREFIX' uses seed "[0-9a-f]{64}"$`)
			}
			expect(fmt.Sprintf(`  FINAL  \| %8d ‖ `, p.ops))
		case "s3bench":
			name := map[op.Kind]string{op.Put: "Write", op.MultipartPut: "Write", op.Get: "Read", op.MultipartGet: "Read"}[p.kind]
			expect(fmt.Sprintf(`Results Summary for %s Operation\(s\)$\nTotal Transferred: %.3f MB$\nTotal Throughput: .*$\nOps/sec: .*$\nTotal Duration: +%.3f s$\nNumber of Errors:  0$`,
				name, float64(p.bytes)/(1<<20), d))
			expect(name + ` times Min: `)
		}
	}
}

// A conversion of object-store-bench has its statements again in the report, since the plan says all that they said.
func TestStatements(t *testing.T) {
	t.Parallel()
	statements := []string{
		"PUT 12 OBJECTS MAX 5 CONCURRENT OF SIZE 20 KB", "GET 5 OBJECTS AT RATE 100 PER SECOND WARMUP 200 MS RUNTIME 300 MS", "GET 5 OBJECTS AT RATE 90 PER SECOND MAX 3 CONCURRENT RUNTIME 200 MS",
		"GET MAX 4 CONCURRENT RUNTIME 100 MS", "DELETE",
	}
	host, keys := serveForTest(t)
	stem := filepath.Join(t.TempDir(), "osb")
	run := exec.Command("warp", "run", "--quiet", "--host="+host, "--bucket=statements", "--benchdata="+stem, "--script="+strings.Join(statements, "; "))
	run.Env = append(os.Environ(), keys...)
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command("warp", "analyze", "--quiet", "--format=osb", stem+".csv.zst").Output()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range regexp.MustCompile(`(?m)^Starting script statement: (.*) \.\.\.$`).FindAllStringSubmatch(string(out), -1) {
		got = append(got, m[1])
	}
	if !slices.Equal(got, statements) {
		t.Errorf("statements %q, want %q", got, statements)
	}
	if !strings.HasPrefix(string(out), "Initializing benchmark...\n  implementation : warp / lean \n") {
		t.Errorf("the report begins with %.100q", out)
	}
}
