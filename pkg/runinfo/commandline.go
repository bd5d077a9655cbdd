package runinfo

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// meaningless are flags that change nothing of what is measured, of this warp and of MinIO warp (https://github.com/minio/warp).
var meaningless = []string{
	"access-key", "secret-key", "session-token", "quiet", "q", "json", "no-color", "debug", "benchdata", "full", "web", "serve", "autocompletion", "influxdb", "max-errors", "fail-if",
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
		if !slices.Contains(meaningless, name) && !strings.HasPrefix(name, "analyze.") {
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
