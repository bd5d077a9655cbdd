package scenarios

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warp/cli/internal/process/processtest"
	"warp/cli/internal/runs"
	"warp/pkg/bench/replay"
	"warp/pkg/bench/work"
)

// TestFlagsOfScenariosReadNothingOutside: whatever flag a scenario sets, no file outside of its directory is opened. The files do not
// exist, so that each attempt is an error that says so.
func TestFlagsOfScenariosReadNothingOutside(t *testing.T) {
	root := t.TempDir()
	dir, outside := filepath.Join(root, "scenarios"), filepath.Join(root, "outside")
	for _, path := range []string{dir, outside} {
		if err := os.Mkdir(path, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	none := filepath.ToSlash(filepath.Join(outside, "none"))
	refused, seen := map[string]bool{}, map[string]bool{}
	for _, info := range append(work.Registry(), replay.Info) {
		env, _ := processtest.Env()
		known := NewPlanFlags(t.Context(), &env, info.Name, nil)
		for _, name := range known.Flags() {
			if seen[name] {
				continue
			}
			seen[name] = true
			for _, value := range []string{
				none, "file(" + none + ")", "file:" + none, "127.0.0.1:1,file:" + none, "../outside/none", "file(../outside/none,2)",
			} {
				p := newScenarioFlags(t.Context(), &env, info.Name, nil, NewAccess(filepath.Join(dir, "x"), &Allowance{}, nil, &env, runs.OpenTraces{}))
				err := p.Set("host", "127.0.0.1:1")
				if err == nil && name != "credentials-file" {
					err = p.Set("signature", "anonymous")
				}
				if err == nil {
					p.files.Named[name] = true
					err = setFlag(p.flags[name], value) // as if Set looked for no files
				}
				if err == nil {
					_, err = p.Plan()
				}
				switch {
				case err == nil:
				case strings.Contains(err.Error(), "no such file") && !strings.Contains(err.Error(), dir+string(filepath.Separator)):
					t.Errorf("%s, --%s=%s was looked for: %v", info.Name, name, value, err)
				case strings.Contains(err.Error(), "outside of the scenario's directory"):
					refused[name] = true
				}
			}
		}
	}
	for _, name := range []string{
		"host", "ca-file", "cert-file", "key-file", "credentials-file", "obj.size", "obj.content", "rate", "concurrent", "trace",
	} {
		if !refused[name] {
			t.Errorf("--%s names files, and was never refused one", name)
		}
	}
}

// TestFilesIn: what is refused at once when a flag is set is what is refused when files are read.
func TestFilesIn(t *testing.T) {
	for value, want := range map[string][]string{
		"rate=file(a,0.1)": {"a"}, "obj.size=file(a,b)": {"a,b"}, "host=x,file:h, file:i": {"h", "i"}, "ca-file=x": {"x"}, "trace=t": {"t"},
		"prefix=x": nil,
	} {
		flag, text, _ := strings.Cut(value, "=")
		if got := filesIn(flag, text); !slices.Equal(got, want) {
			t.Errorf("%s names %q, want %q", value, got, want)
		}
	}
}
