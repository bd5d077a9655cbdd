package shell

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"warp/internal/clock"
	"warp/pkg/script/convert/draft"
)

// tool is a program that is computed here, with its arguments and streams.
type tool struct {
	*command
	s    *session
	ctx  context.Context
	args []string // without its name
	out  *bufio.Writer
	code int
}

// programs are computed. One that returns false has arguments that it does not know: it is treated as any other program.
var programs map[string]func(t *tool) (ok bool)

func init() { //nolint:gochecknoinits // the table's functions come back to it
	programs = map[string]func(*tool) bool{
		"date":     (*tool).date,
		"hostname": (*tool).hostname,
		"uname":    (*tool).uname,
		"nproc":    func(t *tool) bool { return t.print(strconv.Itoa(runtime.NumCPU())) },
		"seq":      (*tool).seq,
		"basename": (*tool).basename,
		"dirname":  func(t *tool) bool { return len(t.args) == 1 && t.print(path.Dir(t.args[0])) },
		"realpath": (*tool).realpath,
		"readlink": (*tool).realpath,
		"sleep":    (*tool).sleep,
		"cat":      (*tool).cat,
		"tee":      (*tool).tee,
		"mkdir":    (*tool).mkdir,
		"rm":       (*tool).remove,
		"which":    func(t *tool) bool { return len(t.args) == 1 && t.s.Known(t.args[0]) && t.print(t.args[0]) },
		"expr":     (*tool).expr,
		"bc":       (*tool).bc,
		"clear":    func(*tool) bool { return true },
		"sync":     func(*tool) bool { return true },
		"tr":       (*tool).tr,
		"cut":      (*tool).cut,
		"head":     (*tool).head,
		"tail":     (*tool).tail,
		"sort":     (*tool).sort,
		"uniq":     (*tool).uniq,
		"wc":       (*tool).wc,
		"sed":      (*tool).sed,
		"awk":      (*tool).awk,
		"gawk":     (*tool).awk,
		"mawk":     (*tool).awk,
	}
}

// compute computes a program; false: it is not known with these arguments.
func (s *session) compute(ctx context.Context, c *command, do func(*tool) bool) (code int, ok bool) {
	t := &tool{command: c, s: s, ctx: ctx, out: bufio.NewWriter(c.Stdout)}
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

// print prints a line.
func (t *tool) print(line string) bool {
	_, _ = t.out.WriteString(line + "\n") // Flush keeps the error
	return true
}

// fail says what is wrong.
func (t *tool) fail(format string, args ...any) bool {
	fmt.Fprintf(t.Stderr, t.words[0].Text+": "+format+"\n", args...)
	t.code = 1
	return true
}

// hostname returns the name of this machine.
func hostname() string {
	name, err := os.Hostname()
	if err != nil {
		return "localhost"
	}
	return name
}

func (t *tool) hostname() bool {
	name := hostname()
	switch strings.Join(t.args, " ") {
	case "", "-f", "--fqdn", "--long":
		return t.print(name)
	case "-s", "--short":
		short, _, _ := strings.Cut(name, ".")
		return t.print(short)
	}
	return false
}

func (t *tool) uname() bool {
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	switch strings.Join(t.args, " ") {
	case "", "-s":
		return t.print(strings.ToUpper(runtime.GOOS[:1]) + runtime.GOOS[1:])
	case "-n":
		return t.print(hostname())
	case "-m":
		if arch == "" {
			arch = runtime.GOARCH
		}
		return t.print(arch)
	}
	return false
}

// dateForms are the conversions of date as layouts of package time.
var dateForms = map[byte]string{
	'Y': "2006", 'm': "01", 'd': "02", 'H': "15", 'M': "04", 'S': "05", 'y': "06", 'F': "2006-01-02", 'T': "15:04:05", 'R': "15:04",
	'D': "01/02/06", 'b': "Jan", 'h': "Jan", 'B': "January", 'a': "Mon", 'A': "Monday", 'Z': "MST", 'z': "-0700", 'e': "_2", 'I': "03", 'p': "PM",
	'j': "002", 'k': "15", 'c': "Mon Jan _2 15:04:05 2006", 'x': "01/02/06", 'X': "15:04:05",
}

func (t *tool) date() bool {
	now, format := clock.Wall(), "+%a %b %e %H:%M:%S %Z %Y"
	for _, a := range t.args {
		switch {
		case a == "-u" || a == "--utc":
			now = now.UTC()
		case strings.HasPrefix(a, "+"):
			format = a
		case strings.HasPrefix(a, "-I") || strings.HasPrefix(a, "--iso-8601"):
			format = map[string]string{"s": "+%Y-%m-%dT%H:%M:%S%z", "seconds": "+%Y-%m-%dT%H:%M:%S%z"}[strings.TrimLeft(strings.TrimPrefix(a, "-I"), "-iso8601=")]
			if format == "" {
				format = "+%F"
			}
		default:
			return false
		}
	}
	text, ok := formatDate(now, format[1:])
	return ok && t.print(text)
}

// formatDate formats a time as date does; false: a conversion is not known.
func formatDate(now time.Time, format string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		if (format[i] == '-' || format[i] == '_') && i+1 < len(format) {
			i++ // digits without padding are not worth their rules
		}
		switch form, ok := dateForms[format[i]]; {
		case ok:
			b.WriteString(now.Format(form))
		case format[i] == 's':
			b.WriteString(strconv.FormatInt(now.Unix(), 10))
		case format[i] == 'N':
			fmt.Fprintf(&b, "%09d", now.Nanosecond())
		case format[i] == '3' && i+1 < len(format) && format[i+1] == 'N':
			i++
			fmt.Fprintf(&b, "%03d", now.Nanosecond()/1e6)
		case format[i] == 'u':
			b.WriteString(strconv.Itoa((int(now.Weekday())+6)%7 + 1))
		case format[i] == 'n':
			b.WriteByte('\n')
		case format[i] == 't':
			b.WriteByte('\t')
		case format[i] == '%':
			b.WriteByte('%')
		default:
			return "", false
		}
	}
	return b.String(), true
}

// number returns a whole number; 0 if it is none.
func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// padded writes a number with at least as many digits.
func padded(n, digits int) string { return fmt.Sprintf("%0*d", digits, n) }

func (t *tool) seq() bool {
	args, separator, width := t.args, "\n", false
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && (args[0][1] < '0' || args[0][1] > '9') {
		switch {
		case args[0] == "-w":
			width = true
		case args[0] == "-s" && len(args) > 1:
			separator, args = args[1], args[1:]
		case args[0][1] == 's':
			separator = args[0][2:]
		default:
			return false
		}
		args = args[1:]
	}
	first, step, last := 1.0, 1.0, 0.0
	digits := 0
	for i, a := range args {
		x, err := strconv.ParseFloat(a, 64)
		if err != nil {
			return false
		}
		if _, fraction, ok := strings.Cut(a, "."); ok {
			digits = max(digits, len(fraction))
		}
		switch {
		case i == len(args)-1:
			last = x
		case i == 0:
			first = x
		default:
			step = x
		}
	}
	if len(args) == 0 || len(args) > 3 || step == 0 || math.Abs((last-first)/step) > maxRange {
		return false
	}
	var list []string
	for i := 0; (first+float64(i)*step-last)*step <= 1e-9; i++ {
		list = append(list, strconv.FormatFloat(first+float64(i)*step, 'f', digits, 64))
	}
	if width && len(list) > 0 {
		n := max(len(list[0]), len(list[len(list)-1]))
		for i := range list {
			list[i] = strings.Repeat("0", n-len(list[i])) + list[i]
		}
	}
	return len(list) == 0 || t.print(strings.Join(list, separator))
}

func (t *tool) basename() bool {
	if len(t.args) == 0 || len(t.args) > 2 || strings.HasPrefix(t.args[0], "-") {
		return false
	}
	name := path.Base(t.args[0])
	if len(t.args) == 2 && name != t.args[1] {
		name = strings.TrimSuffix(name, t.args[1])
	}
	return t.print(name)
}

func (t *tool) realpath() bool {
	args := slices.DeleteFunc(slices.Clone(t.args), func(a string) bool { return strings.HasPrefix(a, "-") })
	return len(args) == 1 && t.print(t.s.files.path(t.Dir, args[0]))
}

func (t *tool) sleep() bool {
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

// input is what the program reads: files, or its input.
func (t *tool) input(files []string) (string, bool) {
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
	return b.String(), true
}

// lacks complains about a file that a check cannot read where its contents matter, by their mark.
func (t *tool) lacks(name string, err error) {
	if _, toFile := t.Stdout.(*output); t.s.Check && !toFile && t.Stdout != io.Writer(t.s.out) {
		_, _ = t.out.WriteString(t.s.unknowns.mark(unknown{output: fmt.Sprintf("%s %s: %v", t.words[0].Text, name, reason(err)), at: t.words[0].At}))
	}
}

// cat passes on streams as they come.
func (t *tool) cat() bool {
	if len(t.args) > 0 && t.args[0] != "-" && strings.HasPrefix(t.args[0], "-") {
		return false
	}
	if len(t.args) == 0 && t.Stdin != nil {
		_, _ = io.Copy(t.Stdout, t.Stdin)
		return true
	}
	text, ok := t.input(t.args)
	_, _ = t.out.WriteString(text)
	return ok
}

func (t *tool) tee() bool {
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
func (t *tool) mkdir() bool {
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
func (t *tool) remove() bool {
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

// arithmetic computes an expression of whole numbers.
func (t *tool) arithmetic(text string) bool {
	expr, err := syntax.NewParser().Arithmetic(strings.NewReader(text))
	if err != nil || len(t.s.unknowns.in(text)) > 0 || strings.ContainsAny(text, ".=") {
		return false
	}
	n, err := expand.Arithm(&expand.Config{}, expr)
	return err == nil && t.print(strconv.Itoa(n))
}

func (t *tool) expr() bool { return t.arithmetic(strings.Join(t.args, " ")) }

func (t *tool) bc() bool {
	text, ok := t.input(nil)
	return ok && t.arithmetic(text)
}
