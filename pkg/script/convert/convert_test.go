package convert

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/testkit"
	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
)

// sourceOf maps files in testdata to the tool that they are of.
func sourceOf(t *testing.T, name string) *draft.Source {
	t.Helper()
	tool, _, _ := strings.Cut(strings.TrimSuffix(name, filepath.Ext(name)), "-")
	switch tool {
	case "osb":
		tool = "object-store-bench"
	case "sai3":
		tool = "sai3-bench"
	}
	s, err := Lookup(tool)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// examples calls do with each file in testdata.
func examples(t *testing.T, do func(t *testing.T, s *draft.Source, name, text string)) {
	files, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range files {
		if f.IsDir() || strings.HasSuffix(f.Name(), ".warp.yaml") {
			continue
		}
		n++
		t.Run(f.Name(), func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata", f.Name()))
			if err != nil {
				t.Fatal(err)
			}
			do(t, sourceOf(t, f.Name()), f.Name(), string(text))
		})
	}
	if n < 15 {
		t.Errorf("only %d examples", n)
	}
}

// TestGolden converts each example, whose result must be a scenario.
func TestGolden(t *testing.T) {
	examples(t, func(t *testing.T, s *draft.Source, name, text string) {
		job, err := s.Convert(name, text, draft.Given{Vars: map[string]string{"Size": "10MiB"}})
		if err != nil {
			t.Fatal(err)
		}
		testkit.Golden(t, filepath.Join("testdata", name+".warp.yaml"), job.Conversion().Format())
		if _, err := script.Parse(name, []byte(job.File.Format())); err != nil {
			t.Error(err)
		}
	})
}

// TestDetect: each example is recognized as what it is, and a scenario as none of them.
func TestDetect(t *testing.T) {
	examples(t, func(t *testing.T, s *draft.Source, name, text string) {
		found, ok := Detect(text)
		if strings.HasPrefix(strings.TrimSpace(text), "-") {
			if ok {
				t.Errorf("options alone are taken for %s", found.Name)
			}
			return
		}
		if !ok || found != s {
			t.Errorf("found %v %v", found, ok)
		}
		scenario, err := os.ReadFile(filepath.Join("testdata", name+".warp.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		if found, ok := Detect(string(scenario)); ok {
			t.Errorf("the scenario is taken for %s", found.Name)
		}
	})
}

// TestDrafts: a draft is what its text would be parsed into, but for its places. A run resolves the draft itself.
func TestDrafts(t *testing.T) {
	examples(t, func(t *testing.T, s *draft.Source, name, text string) {
		job, err := s.Convert(name, text, draft.Given{Vars: map[string]string{"Size": "10MiB"}})
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := script.Parse(name, []byte(job.File.Format()))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := contents(t, job.File), contents(t, parsed); got != want {
			t.Errorf("drafted %s\nparsed  %s", got, want)
		}
	})
}

// contents returns what a scenario says, without its notes, as JSON.
func contents(t *testing.T, f *script.File) string {
	t.Helper()
	text, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		t.Fatal(err)
	}
	text, err = json.Marshal(withoutNotes(tree))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// withoutNotes leaves out places, comments and what is empty.
func withoutNotes(tree any) any {
	switch tree := tree.(type) {
	case map[string]any:
		for _, key := range []string{"Head", "Line", "Pos", "Foot", "Sections"} {
			delete(tree, key)
		}
		for key, value := range tree {
			if tree[key] = withoutNotes(value); tree[key] == nil {
				delete(tree, key)
			}
		}
		if len(tree) == 0 {
			return nil
		}
	case []any:
		for i := range tree {
			tree[i] = withoutNotes(tree[i])
		}
	case string:
		if tree == "" {
			return nil
		}
	}
	return tree
}

// TestScenariosAreNoScripts: a scenario may hold what reads as a command line.
func TestScenariosAreNoScripts(t *testing.T) {
	for text, want := range map[string]bool{
		"# compare:\n\nwarp: 1\nname: |\n  warp get\n":    false,
		"---\nwarp: 1\nname: |\n  hsbench -m p\n":         false,
		"cat > a.yaml <<E\nwarp: 1\nE\nwarp run a.yaml\n": true,
	} {
		if got := RunsPrograms(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
