package testkit

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	link     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading  = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	fence    = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	noAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	document = regexp.MustCompile(`\bdocs/[\w/-]+\.md\b`)
	decision = regexp.MustCompile(`(?i)\bdecisions?\s+(\d+)\b`)
	room     = regexp.MustCompile("(?m)^\\| [^|]+ \\| (`[^|]+`) \\| \\S")
	quoted   = regexp.MustCompile("`([^`]+)`")
)

// TestLinks follows the links between documents, and their anchors.
func TestLinks(t *testing.T) {
	root := filepath.Join("..", "..")
	texts := map[string]string{}
	if err := eachText(root, func(name, text string) { texts[name] = fence.ReplaceAllString(text, "") }); err != nil {
		t.Fatal(err)
	}
	links := 0
	for name, text := range texts {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if path.Ext(name) != ".md" || strings.Contains(m[1], "://") {
				continue
			}
			links++
			file, anchor, anchored := strings.Cut(m[1], "#")
			target := name
			if file != "" {
				target = path.Join(path.Dir(name), file)
			}
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s links to %s: %v", name, m[1], err)
			} else if anchored && !slices.Contains(anchors(texts[target]), anchor) {
				t.Errorf("%s links to %s: no such heading", name, m[1])
			}
		}
		for _, named := range document.FindAllString(text, -1) {
			if _, err := os.Stat(filepath.Join(root, named)); err != nil {
				t.Errorf("%s names %s: %v", name, named, err)
			}
		}
	}
	if links < 200 {
		t.Errorf("only %d links were followed", links)
	}
}

// TestHeads: each page of the guide, the reference and the explanations begins with its title, and says who should read it.
func TestHeads(t *testing.T) {
	head := regexp.MustCompile(`^# [^\n]+\n\n\*[^*]+\*\n`)
	pages := 0
	err := eachText(filepath.Join("..", ".."), func(name, text string) {
		dir, rest, _ := strings.Cut(strings.TrimPrefix(name, "docs/"), "/")
		if path.Ext(name) != ".md" || rest == "" || !strings.HasPrefix(name, "docs/") || dir == "decisions" {
			return
		}
		pages++
		if !head.MatchString(text) {
			t.Errorf("%s does not begin with a title and, in italics, whom it is for", name)
		}
	})
	if err != nil || pages < 40 {
		t.Errorf("%d pages, %v", pages, err)
	}
}

// TestTroubleshooting: the messages that the page quotes are in the code, or wanted by tests.
func TestTroubleshooting(t *testing.T) {
	const page = "docs/guide/troubleshooting.md"
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(page)))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "| message | remedy |")
	table, _, _ = strings.Cut(table, "\n## ")
	missing := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)`").FindAllStringSubmatch(table, -1) {
		for part := range strings.SplitSeq(m[1], "...") {
			missing[strings.TrimSpace(part)] = true
		}
	}
	if len(missing) < 5 {
		t.Fatalf("messages: %v", missing)
	}
	err = eachText(root, func(name, text string) {
		for message := range missing {
			if path.Ext(name) != ".md" && strings.Contains(text, message) {
				delete(missing, message)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for message := range missing {
		t.Errorf("%s quotes %q, which nothing says", page, message)
	}
}

// anchors returns what the headings of a document are linked by.
func anchors(text string) (list []string) {
	seen := map[string]int{}
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		a := strings.ReplaceAll(noAnchor.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")
		if n := seen[a]; n > 0 {
			list = append(list, fmt.Sprintf("%s-%d", a, n))
		} else {
			list = append(list, a)
		}
		seen[a]++
	}
	return list
}

// TestDecisions: each decision that a text refers to exists, and their list has them all.
func TestDecisions(t *testing.T) {
	root := filepath.Join("..", "..")
	files, err := filepath.Glob(filepath.Join(root, "docs", "decisions", "[0-9]*.md"))
	if err != nil || len(files) < 47 {
		t.Fatalf("%d decisions, %v", len(files), err)
	}
	list, err := os.ReadFile(filepath.Join(root, "docs", "decisions", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	numbers := map[string]bool{}
	for _, f := range files {
		number, _, _ := strings.Cut(filepath.Base(f), "-")
		numbers[strings.TrimLeft(number, "0")] = true
		if !strings.Contains(string(list), "("+filepath.Base(f)+")") {
			t.Errorf("docs/decisions/README.md does not list %s", filepath.Base(f))
		}
	}
	err = eachText(root, func(name, text string) {
		for _, m := range decision.FindAllStringSubmatch(text, -1) {
			if !numbers[m[1]] {
				t.Errorf("%s refers to %q, which does not exist", name, m[0])
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestFilesOfArchitecture: the files of code that docs/architecture.md names exist.
func TestFilesOfArchitecture(t *testing.T) {
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]bool{}
	err = eachText(root, func(name, _ string) {
		for tail := name; tail != ""; _, tail, _ = strings.Cut(tail, "/") { // a page may leave out directories
			files[tail] = true
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`([\\w/-]+\\.go)`").FindAllStringSubmatch(string(page), -1)
	for _, m := range named {
		if !files[m[1]] {
			t.Errorf("docs/architecture.md names %s, which does not exist", m[1])
		}
	}
	if len(named) < 30 {
		t.Errorf("docs/architecture.md names only %d files", len(named))
	}
}

// TestArchitecture: docs/architecture.md has a row for each package of this module, and for no other.
func TestArchitecture(t *testing.T) {
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	goList := exec.Command("go", "list", "./...")
	goList.Dir = root
	out, err := goList.Output()
	if err != nil {
		t.Skipf("go list: %v", err)
	}
	var listed []string
	for _, row := range room.FindAllStringSubmatch(string(page), -1) {
		for _, name := range quoted.FindAllStringSubmatch(row[1], -1) {
			listed = append(listed, name[1])
		}
	}
	packages := strings.Fields(string(out))
	for i, p := range packages {
		packages[i] = strings.TrimPrefix(p, "warp/")
		if !slices.Contains(listed, packages[i]) {
			t.Errorf("docs/architecture.md does not list %s", packages[i])
		}
	}
	for i, p := range listed {
		if !slices.Contains(packages, p) || slices.Contains(listed[:i], p) {
			t.Errorf("docs/architecture.md lists %s, which does not exist or is listed twice", p)
		}
	}
}
