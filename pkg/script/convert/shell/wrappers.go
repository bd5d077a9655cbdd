package shell

import (
	"context"
	"io"
	"strings"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
)

// prefix is a program whose arguments are another command.
type prefix struct {
	values   string // its options that have a value behind them
	operands int    // arguments before the command
}

// prefixes are seen through.
var prefixes = map[string]*prefix{
	"sudo":        {values: "-u -g -h -p -C -U --user --group"},
	"doas":        {values: "-u"},
	"env":         {values: "-u -C --unset --chdir"},
	"nice":        {values: "-n --adjustment"},
	"ionice":      {values: "-c -n --class --classdata"},
	"nohup":       {},
	"setsid":      {},
	"stdbuf":      {values: "-i -o -e"},
	"timeout":     {values: "-s -k --signal --kill-after", operands: 1},
	"time":        {values: "-f -o --format --output"},
	"numactl":     {values: "-N -m -C -i -p --cpunodebind --membind --physcpubind --interleave --preferred"},
	"taskset":     {operands: 1},
	"chrt":        {operands: 1},
	"unbuffer":    {},
	"exec":        {},
	"systemd-run": {values: "-p -u --property --unit"},
}

// rest returns the command behind the prefix.
func (p *prefix) rest(c *command) []draft.Word {
	words := c.words[1:]
	for len(words) > 0 {
		text := words[0].Text
		name, _, assigned := strings.Cut(text, "=")
		switch {
		case text == "--":
			return words[1:]
		case strings.HasPrefix(text, "-") && len(text) > 1:
			if contains(p.values, name) && !assigned && len(words) > 1 {
				words = words[1:]
			}
		case assigned && syntax.ValidName(name):
			c.env = append(c.env, text)
		case p.operands > 0:
			return words[min(p.operands, len(words)):]
		default:
			return words
		}
		words = words[1:]
	}
	return nil
}

func contains(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if w == word {
			return true
		}
	}
	return false
}

// wrappers run programs elsewhere: in containers, or on nodes of a scheduler.
var wrappers = []string{"docker", "podman", "nerdctl", "kubectl", "oc", "srun", "mpirun", "mpiexec", "chroot", "ip"}

// imageName returns the name of a program or of an image, as in minio/warp:latest.
func imageName(word string) string {
	name, _, _ := strings.Cut(programName(word), ":")
	return name
}

// remotes are programs that run a command on other machines, with their options that have a value.
var remotes = map[string]string{
	"ssh":          "-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w",
	"clush":        "-w -x -g -X -f -l -o -t -u -R -O -m -p",
	"pdsh":         "-w -x -l -t -u -f -R -g -X -M",
	"pssh":         "-h -H -l -p -o -e -t -O -x -X",
	"parallel-ssh": "-h -H -l -p -o -e -t -O -x -X",
	"dsh":          "-m -g -r -f -n",
}

// follows reports whether the arguments of a program may be another command.
func follows(program string) bool {
	for _, w := range wrappers {
		if w == program {
			return true
		}
	}
	for _, w := range shells {
		if w == program {
			return true
		}
	}
	return prefixes[program] != nil || remotes[program] != "" || program == "java"
}

// remote runs the command for other machines here.
func (s *session) remote(ctx context.Context, c *command, values string) error {
	words, machines := c.words[1:], []string(nil)
	list := "-w"
	if program := programName(c.words[0].Text); strings.HasSuffix(program, "ssh") && program != "ssh" {
		list = "-H"
	} else if program == "dsh" {
		list = "-m"
	}
	for len(words) > 0 && strings.HasPrefix(words[0].Text, "-") {
		option, value := words[0].Text, ""
		if words = words[1:]; contains(values, option) && len(words) > 0 {
			value, words = words[0].Text, words[1:]
		} else if len(option) > 2 && contains(values, option[:2]) {
			option, value = option[:2], option[2:]
		}
		if option == list || option == "-w" {
			machines = append(machines, expandHosts(value)...)
		}
	}
	if programName(c.words[0].Text) == "ssh" && len(words) > 0 {
		_, host, found := strings.Cut(words[0].Text, "@")
		if !found {
			host = words[0].Text
		}
		machines, words = []string{host}, words[1:]
	}
	if len(words) == 0 {
		return s.other(ctx, c)
	}
	text := words[0].Text
	for _, w := range words[1:] {
		text += " " + w.Text
	}
	if len(machines) == 0 {
		machines = []string{otherMachines}
	}
	return s.nested(ctx, c, &running{machines: machines}, words[0].At, text)
}

// otherMachines stands for machines that the command line does not name.
const otherMachines = "other machines"

// maxHosts is how many machines are named.
const maxHosts = 1000

// expandHosts returns the machines of a list as in n[1-3,7],gw.
func expandHosts(text string) (list []string) {
	depth, from := 0, 0
	for i := 0; i <= len(text); i++ {
		switch {
		case i == len(text) || depth == 0 && (text[i] == ',' || text[i] == ' '):
			if i > from {
				list = append(list, expandHost(text[from:i])...)
			}
			from = i + 1
		case text[i] == '[':
			depth++
		case text[i] == ']':
			depth--
		}
	}
	return list[:min(len(list), maxHosts)]
}

func expandHost(text string) (list []string) {
	head, rest, ok := strings.Cut(text, "[")
	inside, tail, closed := strings.Cut(rest, "]")
	if !ok || !closed {
		return []string{text}
	}
	for part := range strings.SplitSeq(inside, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		for n := number(first); n <= number(last) && len(list) < maxHosts; n++ {
			digits := padded(n, len(first))
			for _, end := range expandHost(tail) {
				list = append(list, head+digits+end)
			}
		}
	}
	return list
}

// nested runs a script within an argument, which begins at a place in the script.
func (s *session) nested(ctx context.Context, c *command, u *running, at script.Pos, text string) error {
	file, wrong := parse(text)
	if wrong != nil {
		s.complain(at, "%s", wrong.Text)
		return nil
	}
	u.unit = &unit{text: text, outer: script.Pos{Line: at.Line, Column: at.Column + 1}} // behind its quote
	u.name = c.in.name
	return s.inner(ctx, c, u, file)
}

// inner runs another script with what surrounds a command.
func (s *session) inner(ctx context.Context, c *command, u *running, file *syntax.File) error {
	u.file, u.dir, u.stdin, u.stdout, u.stderr = file, c.Dir, c.Stdin, c.Stdout, c.Stderr
	if u.depth = c.in.depth + 1; u.depth > maxDepth {
		s.complain(c.words[0].At, "more than %d scripts within scripts", maxDepth)
		return nil
	}
	if u.machines == nil {
		u.machines = c.in.machines
	}
	code, err := s.runUnit(ctx, u)
	if err != nil {
		return err
	}
	return exitStatus(code)
}

// subscript runs bash -c TEXT, or a file.
func (s *session) subscript(ctx context.Context, c *command) error {
	words, options, isText := c.words[1:], []string(nil), false
	for len(words) > 0 && strings.HasPrefix(words[0].Text, "-") && len(words[0].Text) > 1 {
		for _, letter := range words[0].Text[1:] {
			switch letter {
			case 'c':
				isText = true
			case 'e', 'u', 'x':
				options = append(options, "-"+string(letter))
			}
		}
		words = words[1:]
	}
	switch {
	case len(words) == 0 && c.Stdin != nil && !isText:
		text, err := io.ReadAll(io.LimitReader(c.Stdin, draft.MaxText))
		if err != nil {
			return err
		}
		return s.nested(ctx, c, &running{options: options, env: c.Env}, c.words[0].At, string(text))
	case len(words) == 0:
		return nil
	case isText:
		u := &running{options: options, env: c.Env}
		for i, w := range words[1:] {
			if i > 0 { // the first is $0
				u.params = append(u.params, w.Text)
			}
		}
		return s.nested(ctx, c, u, words[0].At, words[0].Text)
	}
	return s.scriptFile(ctx, c, words, options)
}

// scriptFile runs another script: its file and arguments.
func (s *session) scriptFile(ctx context.Context, c *command, words []draft.Word, options []string) error {
	f, err := s.files.read(s.files.path(c.Dir, words[0].Text))
	if err != nil {
		s.leaveOut(words[0].At, words[0].Text)
		return s.leftOut(c, words[0].At, words[0].Text)
	}
	text, err := io.ReadAll(io.LimitReader(f, draft.MaxText))
	if err = closed(f, err); err != nil {
		return interp.ExitStatus(1)
	}
	file, wrong := parse(string(text))
	if wrong != nil {
		s.complain(words[0].At, "%s:%d:%d: %s", words[0].Text, wrong.Pos.Line, wrong.Pos.Column, wrong.Text)
		return nil
	}
	u := &running{unit: &unit{text: string(text), outer: words[0].At, elsewhere: true}, name: words[0].Text, options: options, env: c.Env}
	for _, w := range words[1:] {
		u.params = append(u.params, w.Text)
	}
	return s.inner(ctx, c, u, file)
}
