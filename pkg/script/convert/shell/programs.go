package shell

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/internal/clock"
	"warp/pkg/script/convert/draft"
)

// computed is a program that is computed in a session.
type computed struct {
	tool
	*command
	s   *session
	ctx context.Context
}

// programs are computed. One that returns false has arguments that it does not know: it is treated as any other program.
var programs map[string]func(c *computed) (ok bool)

func init() {
	text := func(do func(*tool) bool) func(*computed) bool { return func(c *computed) bool { return do(&c.tool) } }
	programs = map[string]func(*computed) bool{
		"realpath": (*computed).realpath,
		"readlink": (*computed).realpath,
		"which":    func(c *computed) bool { return len(c.args) == 1 && c.s.Known(c.args[0]) && c.print(c.args[0]) },
		"sleep":    (*computed).sleep,
		"cat":      (*computed).cat,
		"tee":      (*computed).tee,
		"mkdir":    (*computed).mkdir,
		"rm":       (*computed).remove,
		"clear":    func(*computed) bool { return true },
		"sync":     func(*computed) bool { return true },
		"date":     text((*tool).date),
		"hostname": text((*tool).hostname),
		"uname":    text((*tool).uname),
		"nproc":    text((*tool).nproc),
		"seq":      text((*tool).seq),
		"basename": text((*tool).basename),
		"dirname":  text((*tool).dirname),
		"expr":     text((*tool).expr),
		"bc":       text((*tool).bc),
		"tr":       text((*tool).tr),
		"cut":      text((*tool).cut),
		"head":     text((*tool).head),
		"tail":     text((*tool).tail),
		"sort":     text((*tool).sort),
		"uniq":     text((*tool).uniq),
		"wc":       text((*tool).wc),
		"sed":      text((*tool).sed),
		"awk":      text((*tool).awk),
		"gawk":     text((*tool).awk),
		"mawk":     text((*tool).awk),
	}
}

// compute computes a program; false: it is not known with these arguments.
func (s *session) compute(ctx context.Context, c *command, do func(*computed) bool) (code int, ok bool) {
	t := &computed{
		tool: tool{name: c.words[0].Text, out: bufio.NewWriter(c.Stdout), stderr: c.Stderr, unknowns: s.unknowns}, command: c, s: s, ctx: ctx,
	}
	t.read = t.input
	for _, w := range c.words[1:] {
		t.args = append(t.args, w.Text)
	}
	if !do(t) {
		return 0, false
	}
	if err := t.out.Flush(); err != nil && t.code == 0 {
		t.code = 1
	}
	return t.code, true
}

// input is what the program reads: files, or its input.
func (t *computed) input(files []string) string {
	var b bytes.Buffer
	if len(files) == 0 {
		files = []string{"-"}
	}
	for _, name := range files {
		if name == "-" {
			if t.Stdin != nil {
				_, _ = io.Copy(&b, io.LimitReader(t.Stdin, maxMemory))
			}
			continue
		}
		f, err := t.s.openFile(t.command, name, os.O_RDONLY, 0)
		if err != nil {
			t.fail("%v", err)
			t.lacks(name, err)
			continue
		}
		_, err = io.Copy(&b, io.LimitReader(f, draft.MaxText))
		if closed(f, err) != nil {
			t.fail("%v", err)
		}
	}
	return b.String()
}

// lacks complains about a file that a check cannot read where its contents matter, by their mark.
func (t *computed) lacks(name string, err error) {
	if _, toFile := t.Stdout.(*output); t.s.Check && !toFile && t.Stdout != io.Writer(t.s.out) {
		what := fmt.Sprintf("%s %s: %v", t.words[0].Text, name, reason(err))
		_, _ = t.out.WriteString(t.s.unknowns.mark(unknown{output: what, at: t.words[0].At}))
	}
}

// cat passes on streams as they come.
func (t *computed) cat() bool {
	if len(t.args) > 0 && t.args[0] != "-" && strings.HasPrefix(t.args[0], "-") {
		return false
	}
	if len(t.args) == 0 && t.Stdin != nil {
		_, _ = io.Copy(t.Stdout, t.Stdin)
		return true
	}
	_, _ = t.out.WriteString(t.input(t.args))
	return true
}

func (t *computed) tee() bool {
	flag := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	to := []io.Writer{t.Stdout}
	for _, name := range t.args {
		if name == "-a" || name == "--append" {
			flag = flag&^os.O_TRUNC | os.O_APPEND
			continue
		}
		if strings.HasPrefix(name, "-") {
			continue
		}
		f, err := t.s.openFile(t.command, name, flag, 0o666)
		if err != nil {
			t.fail("%s: %v", name, reason(err))
			continue
		}
		if o, ok := f.(*output); ok && o.refused != nil {
			t.s.complain(t.words[0].At, "%v", o.refused)
		}
		defer func() { _ = f.Close() }() // what it lacks was said by Write
		to = append(to, f)
	}
	if t.Stdin != nil {
		if _, err := io.Copy(io.MultiWriter(to...), t.Stdin); err != nil {
			t.fail("%v", err)
		}
	}
	return true
}

// mkdir makes directories where the script may write.
func (t *computed) mkdir() bool {
	for _, name := range t.args {
		dir := t.s.files.path(t.Dir, name)
		switch {
		case strings.HasPrefix(name, "-"):
		case len(t.s.unknowns.in(name)) > 0 || t.s.files.access(dir, true) != nil:
			t.s.leaveOut(t.words[0].At, "mkdir "+t.s.unknowns.shown(name))
		case t.s.Check:
			t.s.files.made(dir)
		default:
			if err := os.MkdirAll(dir, 0o777); err != nil {
				t.fail("%s: %v", name, reason(err))
			}
		}
	}
	return true
}

// made notes directories that a check would have made.
func (t *fileTable) made(dir string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for ; !slices.Contains(t.dirs, dir) && filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		t.dirs = append(t.dirs, dir)
	}
}

// remove forgets files in memory; others stay, and that is said.
func (t *computed) remove() bool {
	files := slices.DeleteFunc(slices.Clone(t.args), func(a string) bool { return strings.HasPrefix(a, "-") })
	t.s.files.mu.Lock()
	defer t.s.files.mu.Unlock()
	for _, name := range files {
		if _, ok := t.s.files.memory[t.s.files.path(t.Dir, name)]; !ok {
			return false
		}
	}
	for _, name := range files {
		delete(t.s.files.memory, t.s.files.path(t.Dir, name))
	}
	return true
}

func (t *computed) sleep() bool {
	var total time.Duration
	for _, a := range t.args {
		if a == "infinity" || a == "inf" {
			total = math.MaxInt64
			continue
		}
		unit := time.Second
		switch strings.TrimLeft(a, "0123456789.") {
		case "m":
			unit = time.Minute
		case "h":
			unit = time.Hour
		case "d":
			unit = 24 * time.Hour
		}
		x, err := strconv.ParseFloat(strings.TrimRight(a, "smhd"), 64)
		if err != nil || x < 0 || x > 1e6 {
			return len(t.s.unknowns.in(a)) > 0 && t.s.Check
		}
		total += time.Duration(x * float64(unit))
	}
	if !t.s.Check {
		clock.Pause(t.ctx, total)
	}
	return true
}

func (t *computed) realpath() bool {
	args := slices.DeleteFunc(slices.Clone(t.args), func(a string) bool { return strings.HasPrefix(a, "-") })
	return len(args) == 1 && t.print(t.s.files.path(t.Dir, args[0]))
}
