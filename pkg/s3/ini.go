package s3

import (
	"fmt"
	"strings"
)

// parseINI reads the format of the shared AWS files: [section] lines and key = value lines. Names of keys are not case
// sensitive. Indented lines are nested settings, which nothing here asks for. Values are never part of an error.
func parseINI(text string) (map[string]map[string]string, error) {
	sections := map[string]map[string]string{}
	var current map[string]string
	n := 0
	for line := range strings.Lines(text) {
		n++
		nested := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
		line, _, _ = strings.Cut(line, " #")
		line = strings.TrimSpace(line)
		if line == "" || nested || line[0] == '#' || line[0] == ';' {
			continue
		}
		if line[0] == '[' {
			name, rest, closed := strings.Cut(line[1:], "]")
			if !closed || strings.TrimSpace(rest) != "" {
				return nil, fmt.Errorf("line %d: a section is written [name]", n)
			}
			name = strings.Join(strings.Fields(name), " ")
			if sections[name] == nil {
				sections[name] = map[string]string{}
			}
			current = sections[name]
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok {
			return nil, fmt.Errorf("line %d: neither [section] nor key = value", n)
		}
		if current == nil {
			return nil, fmt.Errorf("line %d: a setting before the first [section]", n)
		}
		current[strings.ToLower(strings.TrimSpace(key))] = strings.TrimSpace(value)
	}
	return sections, nil
}
