package ycsb

import (
	"strings"

	"github.com/magiconair/properties"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
)

// property is the value of a property, and where it stands.
type property struct {
	value string
	at    script.Pos
	in    string // place in a file that a command line names, for errors
}

// settings are properties. The last of equal ones wins.
type settings struct {
	names  []string // in order
	values map[string]property
}

func (s *settings) set(name string, p property) {
	if s.values == nil {
		s.values = map[string]property{}
	}
	if _, ok := s.values[name]; !ok {
		s.names = append(s.names, name)
	}
	s.values[name] = p
}

// parse adds the properties of a file. place makes a property of its value and line.
func (s *settings) parse(text string, place func(value string, line int) property) (line int, err error) {
	loader := properties.Loader{Encoding: properties.ISO_8859_1, DisableExpansion: true}
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n")
	for i := 0; i < len(lines); i++ {
		first := i
		for continued(lines, first, i) {
			i++
		}
		logical := strings.Join(lines[first:i+1], "\n")
		if strings.TrimSpace(logical) == "" {
			continue
		}
		one, err := loader.LoadBytes([]byte(logical))
		if err != nil {
			return first + 1, err
		}
		for _, name := range one.Keys() {
			s.set(name, place(strings.TrimSpace(one.GetString(name, "")), first+1))
		}
	}
	return 0, nil
}

// continued reports whether a line that begins at first goes on after line i.
func continued(lines []string, first, i int) bool {
	begin := strings.TrimLeft(lines[first], " \t\f")
	if i+1 == len(lines) || begin == "" || begin[0] == '#' || begin[0] == '!' {
		return false
	}
	return (len(lines[i])-len(strings.TrimRight(lines[i], `\`)))%2 == 1
}

// read drafts the load and the run of a property file.
func read(d *draft.Draft, text string) {
	y := &converter{Draft: d, load: true, run: true}
	line, err := y.parse(text, func(value string, line int) property {
		return property{value: value, at: script.Pos{Line: line}}
	})
	if err != nil {
		d.Addf(script.Pos{Line: line}, "%w", err)
		return
	}
	y.convert()
	d.Notef("The load and the run of YCSB are two phases here: prepare, and run.")
}
