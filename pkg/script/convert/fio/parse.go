package fio

import (
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
)

// section is a job with its options, and with the options of [global] above it.
type section struct {
	name   string
	at     script.Pos
	values draft.Settings
}

// parser collects the jobs of files and command lines.
type parser struct {
	*draft.Draft
	getenv   func(name string) string
	readFile func(name string) (string, error) // nil: files can't be read
	only     []string                          // sections to read, if any
	global   draft.Settings
	jobs     []section
	current  draft.Settings // nil before the first section
	output   draft.Output
	included int
	options  int
	fixed    script.Pos // place of a file in another one, for all that it says
}

var (
	variable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)
	keyword  = regexp.MustCompile(`\$(pagesize|mb_memory|ncpus)\b`)
	product  = regexp.MustCompile(`^[0-9 ()+*/.-]{1,100}$`)
)

// Limits of job files: files that they include, jobs, and options of all sections.
const (
	maxIncluded = 100
	maxJobs     = 1000
	maxOptions  = 10_000
)

// file reads a job file. An included one has no sections.
func (p *parser) file(text string, included bool) {
	for n, line := range strings.Split(text, "\n") {
		if len(p.jobs) > maxJobs || p.options > maxOptions {
			return
		}
		at := script.Pos{Line: n + 1, Column: len(line) - len(strings.TrimLeft(line, " \t")) + 1}
		if !p.fixed.IsZero() {
			at = p.fixed
		}
		line = strings.TrimSpace(line)
		name, section := strings.CutPrefix(line, "[")
		file, include := strings.CutPrefix(line, "include ")
		switch {
		case line == "" || line[0] == ';' || line[0] == '#':
		case section && included:
			p.Addf(at, "a section in an included file")
		case section:
			name, _, closed := strings.Cut(name, "]")
			if !closed || name == "" {
				p.Addf(at, "invalid section %q (want [NAME])", line)
			}
			p.begin(name, at)
		case include:
			p.include(strings.TrimSpace(file), at)
		case p.current == nil && !included:
			p.Addf(at, "an option before the first section (want [global] or [NAME])")
		default:
			key, value, assigned := strings.Cut(line, "=")
			if !assigned {
				value = "1"
			}
			p.set(strings.TrimSpace(key), strings.TrimSpace(value), at)
		}
	}
}

func (p *parser) include(name string, at script.Pos) {
	if p.included++; p.readFile == nil || p.included > maxIncluded {
		p.Addf(at, "include %s: other files are not read (want its lines here)", name)
		return
	}
	text, err := p.readFile(name)
	if err != nil {
		p.Addf(at, "include %s: %w", name, err)
		return
	}
	before := p.fixed
	p.fixed = at
	p.file(text, true)
	p.fixed = before
}

// begin begins a job, or more options for all jobs below.
func (p *parser) begin(name string, at script.Pos) {
	if p.global == nil {
		p.global = draft.Settings{}
	}
	if name == "global" {
		p.current = p.global
		return
	}
	p.current = maps.Clone(p.global)
	if len(p.only) > 0 && !slices.Contains(p.only, name) {
		return
	}
	if len(p.jobs) == maxJobs {
		p.Addf(at, "too many jobs (want at most %d)", maxJobs)
	}
	p.jobs = append(p.jobs, section{name, at, p.current})
}

// set sets an option of the current section.
func (p *parser) set(key, value string, at script.Pos) {
	if p.current == nil {
		p.begin("global", at)
	}
	if to, ok := aliases[key]; ok {
		key = to
	}
	if p.options++; p.options > maxOptions {
		p.Addf(at, "too many options (want at most %d)", maxOptions)
		return
	}
	p.current[key] = draft.Word{Text: p.expand(value, at), At: at}
}

// expand replaces variables that are known, and words about the machine with the arithmetic around them.
func (p *parser) expand(value string, at script.Pos) string {
	value = variable.ReplaceAllStringFunc(value, func(v string) string {
		if known := p.getenv(v[2 : len(v)-1]); known != "" {
			return known
		}
		return v
	})
	if !keyword.MatchString(value) {
		return value
	}
	value = keyword.ReplaceAllStringFunc(value, func(word string) string {
		switch word {
		case "$pagesize":
			return "4096"
		case "$ncpus":
			return strconv.Itoa(runtime.NumCPU())
		}
		p.Addf(at, "%s is not known (want a number)", word)
		return "0"
	})
	if !product.MatchString(value) {
		return value
	}
	result, err := types.Eval(token.NewFileSet(), nil, token.NoPos, value)
	if err != nil || result.Value == nil || result.Value.Kind() != constant.Int {
		p.Addf(at, "invalid value %q (want a number)", value)
		return value
	}
	return result.Value.ExactString()
}

// readCommand reads a command line: options of the command and of all jobs, jobs that begin with --name, and job files.
func readCommand(d *draft.Draft, c *draft.Command) {
	p := &parser{Draft: d, getenv: c.Getenv, readFile: c.ReadFile}
	if p.getenv == nil {
		p.getenv = func(string) string { return "" }
	}
	var files []draft.Word
	for i := 0; i < len(c.Args); i++ {
		word := c.Args[i]
		name, value, assigned := strings.Cut(strings.TrimLeft(word.Text, "-"), "=")
		if !strings.HasPrefix(word.Text, "-") || word.Text == "-" {
			files = append(files, word)
			continue
		}
		takes, program := programOptions[name]
		if !assigned && (takes || !program && !slices.Contains(switches, name)) && i+1 < len(c.Args) {
			i++
			value, assigned = c.Args[i].Text, true
		}
		if !assigned {
			value = "1"
		}
		switch {
		case name == "name":
			p.begin(value, word.At)
		case program:
			p.program(name, value, word.At)
		default:
			p.set(name, value, word.At)
		}
	}
	for _, f := range files {
		p.jobFile(f, len(files) == 1)
	}
	p.convert()
	if p.output.Path != "" {
		p.Output(p.output)
		p.Notef("--output: the report in the file is warp's.")
	}
}

// jobFile reads a job file of a command line. If it is the only one, places are in it.
func (p *parser) jobFile(f draft.Word, only bool) {
	if p.readFile == nil {
		p.Addf(f.At, "%s: other files are not read (want the job file itself)", f.Text)
		return
	}
	text, err := p.readFile(f.Text)
	if err != nil {
		p.Addf(f.At, "%s: %w", f.Text, err)
		return
	}
	if p.fixed = f.At; only && len(p.jobs) == 0 && len(p.List) == 0 {
		p.Enter(f.Text, text)
		p.fixed, p.output.At = script.Pos{}, script.Pos{}
		for name, value := range p.global {
			p.global[name] = draft.Word{Text: value.Text}
		}
	}
	p.current = p.global
	p.file(text, false)
}

// program takes an option of the command that is not of a job.
func (p *parser) program(name, value string, at script.Pos) {
	switch name {
	case "section":
		p.only = append(p.only, value)
	case "client":
		p.Notef("--client=%s: start warp client on these machines, and add --warp-client; without it this machine does everything.", value)
	case "output":
		p.output.Path, p.output.At = value, at
	case "output-format":
		p.output.JSON = strings.HasPrefix(value, "json")
	case "parse-only", "showcmd":
		p.Addf(at, "--%s runs nothing (want warp run --explain)", name)
	case "server", "remote-config", "trigger", "trigger-file":
		p.Addf(at, "--%s cannot be converted: it runs no jobs of its own", name)
	}
}

// switches are options of jobs that are on without a value.
var switches = []string{
	"time_based", "norandommap", "stonewall", "wait_for_previous", "zero_buffers", "refill_buffers", "scramble_buffers", "verify_only",
	"do_verify", "group_reporting", "new_group", "thread", "direct", "buffered", "invalidate", "randrepeat", "unique_filename",
	"create_serialize",
	"create_on_open", "create_only", "overwrite", "unlink", "exitall", "exitall_on_error", "fsync_on_close", "end_fsync", "disable_lat",
	"disable_clat", "disable_slat", "disable_bw_measurement", "per_job_logs", "stats", "unified_rw_reporting", "fill_device", "atomic",
	"allrandepeat", "softrandommap", "serialize_overlap", "error_dump", "lockmem_all", "nowait", "gtod_reduce",
}
