package deploy

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

// stages reads the Containerfile with the parser of BuildKit; lint finds something, if anything is to be found.
func stages(t *testing.T) (all []instructions.Stage) {
	t.Helper()
	f, err := os.Open("../../deploy/container/Containerfile")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tree, err := parser.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range tree.Warnings {
		t.Errorf("the parser warns: %s", w.Short)
	}
	lint := linter.New(&linter.Config{Warn: func(rule, _, _, message string, _ []parser.Range) { t.Errorf("%s: %s", rule, message) }})
	all, _, err = instructions.Parse(tree.AST, lint)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestContainerfile(t *testing.T) {
	all := stages(t)
	if len(all) != 2 || all[0].Name != "build" || all[1].BaseName != "scratch" {
		t.Fatalf("wanted a stage that builds and one from scratch, got %+v", all)
	}
	labels := make(map[string]string)
	var user, dir string
	var entry, command []string
	var ports []string
	for _, c := range all[1].Commands {
		switch c := c.(type) {
		case *instructions.RunCommand:
			t.Error("the last stage has no shell to run anything")
		case *instructions.CopyCommand:
			if c.From != all[0].Name {
				t.Errorf("copied from %q", c.From)
			}
		case *instructions.LabelCommand:
			for _, l := range c.Labels {
				labels[strings.Trim(l.Key, `"`)] = strings.Trim(l.Value, `"`)
			}
		case *instructions.UserCommand:
			user = c.User
		case *instructions.WorkdirCommand:
			dir = c.Path
		case *instructions.ExposeCommand:
			ports = c.Ports
		case *instructions.EntrypointCommand:
			entry = c.CmdLine
			if c.PrependShell {
				t.Error("the entry point needs a shell")
			}
		case *instructions.CmdCommand:
			command = c.CmdLine
			if c.PrependShell {
				t.Error("the command needs a shell")
			}
		}
	}
	if user != "65532:65532" || dir != "/data" || !slices.Equal(ports, []string{"7761"}) ||
		!slices.Equal(entry, []string{"/warp"}) || !slices.Equal(command, []string{"--help"}) {
		t.Errorf("user %s, directory %s, ports %v, entry point %v, command %v", user, dir, ports, entry, command)
	}
	for _, key := range []string{"title", "description", "licenses", "version", "revision", "created", "source"} {
		if _, ok := labels["org.opencontainers.image."+key]; !ok {
			t.Errorf("there is no label %s", key)
		}
	}
	if labels["org.opencontainers.image.licenses"] != "Apache-2.0" {
		t.Errorf("licence %q", labels["org.opencontainers.image.licenses"])
	}
}
