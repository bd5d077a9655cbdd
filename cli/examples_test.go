package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warp/cli/internal/process"
	"warp/cli/internal/runs"
	"warp/cli/internal/scenarios"
	"warp/internal/responder"
	"warp/internal/testkit"
	"warp/pkg/bench"
	"warp/pkg/distributed/agent"
	"warp/pkg/op"
	"warp/pkg/recording"
	"warp/pkg/script"
)

// exampleFiles returns the scenarios in examples/.
func exampleFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../examples/*.warp.yaml")
	if err != nil || len(files) < 12 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	return files
}

// TestExamplesAreCanonical: each example begins with what it answers, is in canonical form, and is in the index.
func TestExamplesAreCanonical(t *testing.T) {
	index, err := os.ReadFile("../examples/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range exampleFiles(t) {
		name := filepath.Base(path)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := script.Parse(name, text)
		if err != nil {
			t.Error(err)
			continue
		}
		if f.Format() != string(text) {
			t.Errorf("%s is not in canonical form; \"warp script fmt --write\" writes it", name)
		}
		first, _, _ := strings.Cut(string(text), "\n")
		if !strings.HasPrefix(first, "# ") || !strings.HasSuffix(first, "?") && !strings.HasSuffix(first, ")") {
			t.Errorf("%s begins with %q, not with the question that it answers", name, first)
		}
		if !strings.Contains(string(index), "("+name+")") {
			t.Errorf("examples/README.md does not name %s", name)
		}
	}
}

// TestExplainExamples: what each example would do at its full size.
func TestExplainExamples(t *testing.T) {
	testkit.SkipSerial(t)
	t.Parallel()
	env, out := testEnv(append([]string{"run", "--explain", "--seed=1"}, exampleFiles(t)...)...)
	var errs bytes.Buffer
	env.Stderr = &errs
	if code := Main(env); code != process.ExitOK {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	testkit.Golden(t, "testdata/examples.txt", strings.ReplaceAll(out.String(), `\`, "/"))
}

// TestExamples runs each example at its small size, alone and with two clients, and checks what was sent. Two clients share
// a responder, which costs less than the embedded server; soaking, they too use that one, and there are more seeds. A short test leaves
// out warp alone: a client performs the same run.
func TestExamples(t *testing.T) {
	t.Parallel()
	host, keys := serveForTest(t)
	r, err := responder.New(responder.Options{Keep: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	hosts, seeds := []string{host, r.Host()}, 1
	if testkit.Soaking() {
		hosts[1], seeds = host, 10
	}
	first := 0
	if testing.Short() {
		first = 1
	}
	known := map[string]bool{}
	for i, path := range exampleFiles(t) {
		name := strings.TrimSuffix(filepath.Base(path), ".warp.yaml")
		known[name] = true
		if !testkit.InTurn(t, i) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range seeds {
				for i, host := range hosts[first:] {
					r := scenarioTest{host: host, keys: keys, path: path, args: []string{"--small"}, seed: seed + 1, clients: (first + i) * 2}
					s := r.run(t)
					s.check(t)
					for _, check := range exampleChecks[name] {
						check(t, s)
					}
				}
			}
		})
	}
	for name := range exampleChecks {
		if !known[name] {
			t.Errorf("there is no example %s", name)
		}
	}
}

// scenarioTest is a run of a scenario.
type scenarioTest struct {
	host    string
	keys    []string // as variables
	path    string
	args    []string
	seed    int
	clients int // 0: warp itself
}

// run runs the scenario, and returns what was sent.
func (r *scenarioTest) run(t *testing.T) *sent {
	t.Helper()
	stem := filepath.Join(t.TempDir(), "run")
	bucket := fmt.Sprintf("%s-%d-%d", strings.TrimSuffix(filepath.Base(r.path), ".warp.yaml"), r.seed, r.clients)
	args := append([]string{"run", "--quiet", "--host=" + r.host, "--bucket=" + bucket, fmt.Sprintf("--seed=%d", r.seed), "--benchdata=" + stem}, r.args...)
	if r.clients > 0 {
		args = append(args, "--warp-client="+strings.Join(startAgents(t, r.clients), ","))
	}
	cmd := exec.Command("warp", append(args, r.path)...)
	cmd.Env = append(os.Environ(), r.keys...)
	out, err := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code != process.ExitOK && code != process.ExitGate && code != process.ExitUnknown { // a small run has too few samples for some rules
		t.Fatalf("%d clients: exit code %d, %v\n%s", r.clients, code, err, out)
	}
	path := stem + ".csv.zst"
	return &sent{plan: r.plan(t), ops: readRecording(t, path), clients: max(1, r.clients), recording: path}
}

// plan returns the plan of the run.
func (r *scenarioTest) plan(t *testing.T) *bench.Plan {
	t.Helper()
	env, _ := testEnv()
	text, err := os.ReadFile(r.path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := script.Parse(r.path, text)
	if err != nil {
		t.Fatal(err)
	}
	uses := scenarios.NewAccess(r.path, &scenarios.Allowance{}, nil, &env, runs.OpenTraces{})
	uses.UseSmall(&file.Small)
	file.Target = script.Target{} // needs credentials, and changes nothing that is checked
	resolved, err := file.Resolve(scenarios.ScenarioOptions(t.Context(), &env, nil, uses))
	if err != nil {
		t.Fatal(err)
	}
	return resolved.Plan
}

// startAgents starts clients in this process, and returns their addresses.
func startAgents(t *testing.T, n int) (addrs []string) {
	t.Helper()
	for range n {
		a, err := agent.New(agent.Options{Listen: "127.0.0.1:0", Dir: t.TempDir(), Version: process.Version()})
		if err == nil {
			err = a.Listen(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- a.Serve(t.Context()) }() // until the test ends
		t.Cleanup(func() {
			if err := <-done; err != nil {
				t.Errorf("client: %v", err)
			}
		})
		addrs = append(addrs, a.Addr().String())
	}
	return addrs
}

// readRecording returns the operations of a recording, ordered by start.
func readRecording(t *testing.T, path string) (ops []op.Op) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := recording.NewReader(f, path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for r.Scan() {
		ops = append(ops, *r.Op())
	}
	if r.Err() != nil || r.Unreadable() > 0 {
		t.Fatalf("%s: %v, %v", path, r.Err(), r.Warnings())
	}
	slices.SortStableFunc(ops, func(a, b op.Op) int { return cmp.Or(a.Start.Compare(b.Start), a.End.Compare(b.End)) })
	return ops
}
