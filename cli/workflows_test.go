package cli

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"warp/cli/internal/process"
)

// workflow is what a workflow file in examples/ci has run.
type workflow struct {
	env     map[string]string
	lines   []string
	results []string // patterns of files that the job keeps
}

// installs are lines that fetch and build warp, which is built already.
var installs = []string{
	"go install -trimpath -ldflags=-s .",
	`git clone --depth=1 "$WARP_REPOSITORY" warp`,
	"(cd warp && go install -trimpath -ldflags=-s .)",
}

// TestWorkflows runs the lines of the workflow files in examples/ci with few operations, and checks that they leave what the job keeps.
func TestWorkflows(t *testing.T) {
	t.Parallel()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("runners of these services have a shell, and this machine has none")
	}
	known := map[string]func(*testing.T, []byte) workflow{"github.yml": github, "gitlab.yml": gitlab}
	files, err := filepath.Glob("../examples/ci/*")
	if err != nil || len(files) != len(known) {
		t.Fatalf("%q, %v: want %d files that this test knows", files, err, len(known))
	}
	for _, path := range files {
		name := filepath.Base(path)
		for _, page := range []string{"../examples/README.md", "../docs/guide/ci.md"} {
			text, err := os.ReadFile(page)
			if err != nil || !strings.Contains(string(text), "ci/"+name+")") || strings.Contains(string(text), "```yaml") {
				t.Errorf("%s does not link to %s, or has a copy of it: %v", page, name, err)
			}
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			known[name](t, text).perform(t, shell)
		})
	}
}

// perform runs the lines as the runner of the service does.
func (w workflow) perform(t *testing.T, shell string) {
	s := newDocSession(t)
	env := append(s.env, "WARP_HOST="+s.host, s.keys[0], s.keys[1], "GITHUB_STEP_SUMMARY="+filepath.Join(s.dir, "summary.md"))
	for _, name := range slices.Sorted(maps.Keys(w.env)) {
		if value := w.env[name]; !strings.Contains(value, "${{") { // a variable or secret of the project
			env = append(env, name+"="+value)
		}
	}
	if _, ok := w.env["WARP_DURATION"]; !ok {
		t.Error("the length of a run is not in the environment")
	}
	env = append(env, "WARP_DURATION=0", "WARP_OPS=1000") // as many on any machine
	ran := 0
	for _, line := range w.lines {
		if slices.Contains(installs, line) {
			continue
		}
		cmd := exec.Command(shell, "-e", "-c", line)
		cmd.Dir, cmd.Env = s.dir, env
		out, err := cmd.CombinedOutput()
		broken := []int{process.ExitGate, process.ExitUnknown} // rules may be, by few operations on a busy machine
		if err != nil && !slices.Contains(broken, cmd.ProcessState.ExitCode()) {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
		ran++
	}
	if ran < 1 {
		t.Error("nothing but the installation is run")
	}
	for _, pattern := range w.results {
		if list, err := filepath.Glob(filepath.Join(s.dir, pattern)); err != nil || len(list) == 0 {
			t.Errorf("the job keeps %s, which does not exist (%v)", pattern, err)
		}
	}
}

// github reads a workflow of GitHub.
func github(t *testing.T, text []byte) (w workflow) {
	var file struct {
		Jobs map[string]struct {
			Env   map[string]string
			Steps []struct {
				Run, Uses string
				With      map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(text, &file); err != nil || len(file.Jobs) != 1 {
		t.Fatalf("%d jobs, %v", len(file.Jobs), err)
	}
	for _, job := range file.Jobs {
		w.env = job.Env
		for _, s := range job.Steps {
			if s.Run != "" {
				w.lines = append(w.lines, s.Run)
			}
			w.results = append(w.results, strings.Fields(s.With["path"])...)
		}
	}
	w.results = append(w.results, "summary.md")
	return w
}

// gitlab reads a job of GitLab.
func gitlab(t *testing.T, text []byte) (w workflow) {
	var file struct {
		Benchmark struct {
			Image        string
			Variables    map[string]string
			BeforeScript []string `yaml:"before_script"`
			Script       []string
			Artifacts    struct {
				Paths   []string
				Reports struct{ JUnit string }
			}
		}
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	job := &file.Benchmark
	mod, err := os.ReadFile("../go.mod")
	if _, version, _ := strings.Cut(job.Image, ":"); err != nil || !strings.Contains(string(mod), "\ngo "+version) {
		t.Errorf("image %s has another Go than go.mod (%v)", job.Image, err)
	}
	return workflow{job.Variables, append(job.BeforeScript, job.Script...), append(job.Artifacts.Paths, job.Artifacts.Reports.JUnit)}
}
