package target

import (
	"fmt"
	"strings"
	"testing"
)

// shown is a list of keys as text.
func shown(keys []Key) string {
	var all []string
	for _, k := range keys {
		all = append(all, string(k.Access)+":"+string(k.Secret)+":"+string(k.Token))
	}
	return strings.Join(all, " ")
}

func TestReadKeys(t *testing.T) {
	many := strings.Builder{}
	for i := range maxKeys + 1 {
		fmt.Fprintf(&many, "k%d s\n", i)
	}
	for _, tc := range []struct{ name, text, want string }{
		{"lines", "# of the team\n\na b\n c\td  e \r\nf,g\nh,i,j", "a:b: c:d:e f:g: h:i:j"},
		{"no end of line, byte order mark", "\ufeffa b", "a:b:"},
		{"commas between blanks", "a b,c", "a:b,c:"},
		{"characters of secrets", "AK/+= se+cr/et==:x#y\n", "AK/+=:se+cr/et==:x#y:"},
		{"profiles", "[one]\naws_access_key_id = a\nAWS_SECRET_ACCESS_KEY=b=\nregion = eu-1\n; comment\n[two]\naws_access_key_id=c\naws_secret_access_key = d\naws_session_token = e\n", "a:b=: c:d:e"},

		{"nothing", "# nothing\n", "f: it holds no keys"},
		{"one field", "a b\nsecretvalue\n", "f: line 2: 1 fields (want ACCESS-KEY SECRET-KEY, or ACCESS-KEY SECRET-KEY SESSION-TOKEN)"},
		{"four fields", "a secretvalue c d\n", "f: line 1: 4 fields (want ACCESS-KEY SECRET-KEY, or ACCESS-KEY SECRET-KEY SESSION-TOKEN)"},
		{"heading of a table", "Access key ID,Secret access key\na,b", "f: line 1: 5 fields (want ACCESS-KEY SECRET-KEY, or ACCESS-KEY SECRET-KEY SESSION-TOKEN)"},
		{"empty key", ",secretvalue\n", "f: line 1: an empty key"},
		{"same key", "a b\n\na secretvalue\n", "f: line 3: the access key of line 1 again"},
		{"control character", "a secret\x00value\n", "f: line 1: a key with a blank, or a character that is not of ASCII"},
		{"other letters", "ä secretvalue\n", "f: line 1: a key with a blank, or a character that is not of ASCII"},
		{"too many", many.String(), "f: line 1001: more than 1000 keys"},
		{"profile without secret", "[a]\naws_access_key_id = a\n\n[b]\n", "f: line 1: a profile without keys (want aws_access_key_id and aws_secret_access_key)"},
		{"last profile without keys", "[a]\naws_access_key_id = a\naws_secret_access_key = b\n[b]\nrole_arn = c\n", "f: line 4: a profile without keys (want aws_access_key_id and aws_secret_access_key)"},
		{"profile without end", "[a\n", "f: line 1: invalid profile (want [NAME])"},
		{"second profile without end", "[a]\naws_access_key_id = a\naws_secret_access_key = b\n[b\n", "f: line 4: invalid profile (want [NAME])"},
		{"no setting", "[a]\nsecretvalue\n", "f: line 2: neither [NAME] nor a setting (want NAME = VALUE)"},
		{"setting twice", "[a]\naws_access_key_id = a\naws_access_key_id = b\n", "f: line 3: the profile has that setting already"},
		{"blank in a key", "[a]\naws_access_key_id = a\naws_secret_access_key = secret value\n", "f: line 1: a key with a blank, or a character that is not of ASCII"},
	} {
		keys, err := ReadKeys("f", files(map[string]string{"f": tc.text}))
		got := shown(keys)
		if err != nil {
			got = err.Error()
		}
		if got != tc.want {
			t.Errorf("%s: %s\nwant %s", tc.name, got, tc.want)
		}
	}
	if _, err := ReadKeys("absent", files(nil)); err == nil || !strings.Contains(err.Error(), "absent") {
		t.Errorf("no file: %v", err)
	}
	if text := fmt.Sprintf("%v %+v %#v", Key{"access", "secret", "token"}, Key{"access", "secret", "token"}, Key{"access", "secret", "token"}); strings.Contains(text, "secret") || strings.Contains(text, "token") {
		t.Errorf("printed: %s", text)
	}
}

// FuzzReadKeys: what is read can be written and read again; what is not read is reported by its line alone.
func FuzzReadKeys(f *testing.F) {
	f.Add("a b\nc d e\n")
	f.Add("[a]\naws_access_key_id = a\naws_secret_access_key = b\n")
	f.Add("a,b,c\n#\n")
	f.Fuzz(func(t *testing.T, text string) {
		keys, err := parseKeys(text)
		if err != nil {
			if strings.Contains(err.Error(), "\n") || len(err.Error()) > 120 {
				t.Errorf("%q", err)
			}
			return
		}
		var b strings.Builder
		for _, k := range keys {
			fmt.Fprintf(&b, "[p]\naws_access_key_id=%s\naws_secret_access_key=%s\naws_session_token=%s\n", string(k.Access), string(k.Secret), string(k.Token))
		}
		if again, err := parseKeys(b.String()); err != nil || shown(again) != shown(keys) {
			t.Errorf("%q, %v; want %q", shown(again), err, shown(keys))
		}
	})
}
