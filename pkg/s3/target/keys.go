package target

import (
	"errors"
	"fmt"
	"strings"
)

// Key is the credentials of one user.
type Key struct {
	Access, Secret Secret
	Token          Secret // of temporary ones; may be empty
}

// maxKeys is the most keys that a file may hold.
const maxKeys = 1000

// ReadKeys reads a file of keys: lines of an access key, a secret key and perhaps a session token, between blanks or else commas; or the
// profiles of a shared AWS credentials file, if its first line is one like [name]. Lines that begin with # are comments. An
// error names the line, and repeats nothing of it.
func ReadKeys(path string, readFile func(string) ([]byte, error)) ([]Key, error) {
	text, err := readFile(path)
	if err != nil {
		return nil, err
	}
	keys, err := parseKeys(strings.TrimPrefix(string(text), "\ufeff"))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return keys, nil
}

// keyParser collects the keys of a file.
type keyParser struct {
	keys    []Key
	lines   map[Secret]int // of access keys
	profile *Key           // the present one; nil: the file has none
	begun   int            // line of its name
}

func parseKeys(text string) ([]Key, error) {
	p := keyParser{lines: map[Secret]int{}}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		add := p.addLine
		switch {
		case line[0] == '[' && (p.profile != nil || len(p.keys) == 0):
			add = p.beginProfile
		case p.profile != nil:
			add = p.setProfile
		}
		if err := add(line, n); err != nil {
			return nil, err
		}
	}
	if err := p.endProfile(); err != nil {
		return nil, err
	}
	if len(p.keys) == 0 {
		return nil, errors.New("it holds no keys")
	}
	return p.keys, nil
}

// addLine adds the key of a line.
func (p *keyParser) addLine(line string, n int) error {
	fields := strings.Fields(line)
	if len(fields) == 1 {
		fields = strings.Split(line, ",")
	}
	if len(fields) != 2 && len(fields) != 3 {
		return wrongLine(n, "%d fields (want ACCESS-KEY SECRET-KEY, or ACCESS-KEY SECRET-KEY SESSION-TOKEN)", len(fields))
	}
	k := Key{Access: Secret(fields[0]), Secret: Secret(fields[1])}
	if len(fields) == 3 {
		k.Token = Secret(fields[2])
	}
	return p.add(k, n)
}

// beginProfile begins a profile, and adds the one before.
func (p *keyParser) beginProfile(line string, n int) error {
	if err := p.endProfile(); err != nil {
		return err
	}
	p.profile, p.begun = &Key{}, n
	if !strings.HasSuffix(line, "]") || len(line) == 2 {
		return wrongLine(n, "invalid profile (want [NAME])")
	}
	return nil
}

// setProfile sets what a line says of the present profile. Other settings, such as its region, do not matter here.
func (p *keyParser) setProfile(line string, n int) error {
	name, value, found := strings.Cut(line, "=")
	if !found {
		return wrongLine(n, "neither [NAME] nor a setting (want NAME = VALUE)")
	}
	to := map[string]*Secret{
		"aws_access_key_id": &p.profile.Access, "aws_secret_access_key": &p.profile.Secret, "aws_session_token": &p.profile.Token,
	}[strings.ToLower(strings.TrimSpace(name))]
	switch {
	case to == nil:
		return nil
	case *to != "":
		return wrongLine(n, "the profile has that setting already")
	}
	*to = Secret(strings.TrimSpace(value))
	return nil
}

// endProfile adds the key of the present profile.
func (p *keyParser) endProfile() error {
	if p.profile == nil {
		return nil
	}
	if p.profile.Access == "" || p.profile.Secret == "" {
		return wrongLine(p.begun, "a profile without keys (want aws_access_key_id and aws_secret_access_key)")
	}
	return p.add(*p.profile, p.begun)
}

// add adds a key.
func (p *keyParser) add(k Key, line int) error {
	for _, part := range []Secret{k.Access, k.Secret, k.Token} {
		if strings.ContainsFunc(string(part), func(r rune) bool { return r <= ' ' || r > '~' }) {
			return wrongLine(line, "a key with a blank, or a character that is not of ASCII")
		}
	}
	switch before := p.lines[k.Access]; {
	case k.Access == "" || k.Secret == "":
		return wrongLine(line, "an empty key")
	case before > 0:
		return wrongLine(line, "the access key of line %d again", before)
	case len(p.keys) == maxKeys:
		return wrongLine(line, "more than %d keys", maxKeys)
	}
	p.keys, p.lines[k.Access] = append(p.keys, k), line
	return nil
}

func wrongLine(n int, format string, args ...any) error {
	return fmt.Errorf("line %d: "+format, append([]any{n}, args...)...)
}
