package runinfo

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warp/internal/secret"
	"warp/pkg/compare"
	"warp/pkg/recording"
	"warp/pkg/s3"
)

// Run is one run that a recording is of.
type Run struct {
	Name         string
	Config, Plan json.RawMessage // nil where the recording states none
	CommandLine  string
	Store        s3.Description
}

// RunsOf returns the runs that recordings are of, at least one. A merged recording is of several.
func RunsOf(inputs []recording.Input, headers []recording.Header) (runs []Run) {
	for i, h := range headers {
		var merged struct {
			Merged []struct {
				Name        string          `json:"name"`
				Config      json.RawMessage `json:"config"`
				CommandLine string          `json:"commandline"`
			} `json:"merged"`
		}
		if json.Unmarshal(h.Config, &merged) == nil && len(merged.Merged) > 0 {
			for _, part := range merged.Merged {
				runs = append(runs, NewRun(part.Name, part.Config, part.CommandLine))
			}
			continue
		}
		runs = append(runs, NewRun(inputs[i].Name, h.Config, h.CommandLine))
	}
	if runs == nil {
		runs = append(runs, Run{})
	}
	return runs
}

// NewRun returns a run with what its recording states; text is the configuration at its head.
func NewRun(name string, text json.RawMessage, commandLine string) Run {
	r := Run{Name: name, CommandLine: commandLine}
	var c struct {
		Plan  json.RawMessage `json:"plan"`
		Store s3.Description  `json:"store"`
	}
	if json.Unmarshal(text, &c) == nil {
		r.Config, r.Plan, r.Store = text, c.Plan, c.Store
	}
	return r
}

// Differences returns the parameters that differ between two runs: their plans', or, where one states none, as a recording
// of MinIO warp, the flags on their command lines. ok is false if neither can be compared.
func Differences(before, after Run) (list []compare.Difference, ok bool) {
	b, a := before.parameters(), after.parameters()
	plans := b != nil && a != nil
	if !plans {
		b, a = flagsOf(before.CommandLine), flagsOf(after.CommandLine)
	}
	if b == nil || a == nil {
		return nil, false
	}
	list, err := compare.DiffParams(b, a)
	if plans {
		withFlags(list, before, after)
	}
	for i := range list {
		if d := &list[i]; !plans && d.Path != "command" {
			d.Name, d.Was, d.Is = "--"+d.Path, d.Before, d.After
		}
	}
	return list, err == nil
}

// builtIn stands for the address of the built-in server, which differs from run to run and means nothing.
const builtIn = `["the built-in server"]`

// parameters are all that may matter to the figures of a run: its plan, and what carried it out where. The room that the
// store had is no parameter, but what happened to be free then, nor is the id of the run. Nil if the recording does not tell.
func (r Run) parameters() json.RawMessage {
	var c struct {
		Embedded    bool                       `json:"embedded"`
		Version     json.RawMessage            `json:"version"`
		Engine      json.RawMessage            `json:"engine"`
		Environment json.RawMessage            `json:"environment"`
		Store       json.RawMessage            `json:"store"`
		Plan        map[string]json.RawMessage `json:"plan"`
	}
	if json.Unmarshal(r.Config, &c) != nil || c.Plan == nil {
		return nil
	}
	delete(c.Plan, "room")
	delete(c.Plan, "run_id")
	var target map[string]json.RawMessage
	if c.Embedded && json.Unmarshal(c.Plan["target"], &target) == nil && target != nil {
		target["hosts"] = json.RawMessage(builtIn)
		c.Plan["target"], _ = json.Marshal(target)
	}
	for name, value := range map[string]json.RawMessage{
		"warp": c.Version, "engine": c.Engine, "environment": c.Environment, "store": c.Store,
	} {
		if value != nil {
			c.Plan[name] = value
		}
	}
	text, _ := json.Marshal(c.Plan) // it was just decoded
	return text
}

// maxDifferences is how many parameters are named in a warning.
const maxDifferences = 4

// OtherParameters warns of runs that did not do the same as the first, which they are to be taken together with.
func OtherParameters(runs []Run) (warnings []string) {
	for _, r := range runs[1:] {
		all, _ := Differences(runs[0], r)
		var list []string
		for _, d := range compare.Joined(all) {
			if !d.Minor && ofLoad(d.Path) {
				list = append(list, fmt.Sprintf("%s: %s instead of %s", d.Name, cmp.Or(d.Is, "nothing"), cmp.Or(d.Was, "nothing")))
			}
		}
		if len(list) == 0 {
			continue
		}
		if more := len(list) - maxDifferences; more > 0 {
			list = append(list[:maxDifferences], fmt.Sprintf("and %d more", more))
		}
		warnings = append(warnings, fmt.Sprintf("%s was run with other parameters than %s: %s", r.Name, runs[0].Name, strings.Join(list, ", ")))
	}
	return warnings
}

// ofLoad reports whether a parameter says what a run did, rather than where: that clients have machines and hosts of their
// own is usual.
func ofLoad(path string) bool {
	part, _, nested := strings.Cut(path, ".")
	if nested && slices.Contains([]string{"target", "environment"}, part) {
		return false
	}
	return !slices.Contains([]string{"host", "bucket", "engine", "warp", "syncstart", "keep_data", "overwrite_kept", "force", "noclear"}, path)
}

// meaningless are flags that change nothing of what is measured, of this warp and of MinIO warp (https://github.com/minio/warp).
var meaningless = []string{
	"credentials-file", "stress", "requests", "quiet", "q",
	"json", "no-color", "debug", "benchdata", "full", "web", "serve", "autocompletion",
	"http", "http-token-file", "http-linger", "max-errors", "fail-if", "ui", "summary-md", "junit",
}

// flagsOf are the command and the flags of a recorded command line, as a JSON object of texts; nil if there is no command.
func flagsOf(line string) json.RawMessage {
	words := wordsOf(line)
	if len(words) < 2 {
		return nil
	}
	flags := map[string]string{"command": words[1]}
	for i := 2; i < len(words); i++ {
		name, isFlag := strings.CutPrefix(words[i], "-")
		if !isFlag {
			continue
		}
		name, value, hasValue := strings.Cut(strings.TrimPrefix(name, "-"), "=")
		if !hasValue {
			value = "true"
			if i+1 < len(words) && !strings.HasPrefix(words[i+1], "-") {
				i++
				value = words[i]
			}
		}
		if !slices.Contains(meaningless, name) && !secret.Flag(name) && !strings.HasPrefix(name, "analyze.") {
			flags[name] = value
		}
	}
	text, _ := json.Marshal(flags)
	return text
}

// wordsOf splits a command line at white space. Words that hold some are quoted as Go does it, as Redact writes them.
func wordsOf(line string) (words []string) {
	for {
		line = strings.TrimLeft(line, " \t\r\n")
		if line == "" {
			return words
		}
		if quoted, err := strconv.QuotedPrefix(line); err == nil {
			word, _ := strconv.Unquote(quoted)
			words, line = append(words, word), line[len(quoted):]
			continue
		}
		end := strings.IndexAny(line, " \t\r\n")
		if end < 0 {
			end = len(line)
		}
		words, line = append(words, line[:end]), line[end:]
	}
}
