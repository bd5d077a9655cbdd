package target

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestRoleTokens: a token of a role is sent as one line, wherever it comes from; one that would break a header or a form is refused by name.
func TestRoleTokens(t *testing.T) {
	const web, variable, file = "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_AUTHORIZATION_TOKEN", "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"
	for name, c := range map[string]struct{ variable, text, trimmed, err string }{
		"web":                    {web, "web-token", "", ""},
		"web, line break":        {web, "web-token\r\n", "the file of " + web, ""},
		"web, byte order mark":   {web, "\ufeffweb-token", "", ""},
		"web, two lines":         {web, "web-token\nX: y", "", web + ": it holds the control character U+000A"},
		"web, blank":             {web, " \n", "", web + ": it holds nothing but blanks"},
		"web, no file":           {web, "", "", web + ": open "},
		"container":              {variable, "let me", "", ""},
		"container, line break":  {variable, "let me\n", variable, ""},
		"container, two lines":   {variable, "let me\r\nX: y", "", variable + ": it holds the control character U+000D"},
		"file":                   {file, "let me", "", ""},
		"file, line break":       {file, " let me\n\n", "the file of " + file, ""},
		"file, byte order mark":  {file, "\ufefflet me", "", ""},
		"file, escape character": {file, "let\x1bme", "", file + ": it holds the control character U+001B"},
		"file, none":             {file, "", "", file + ": open "},
	} {
		t.Run(name, func(t *testing.T) {
			expires := time.Now().Add(time.Hour)
			url := amazon(t, expires)
			env := map[string]string{"AWS_CONTAINER_CREDENTIALS_FULL_URI": url + "/container", c.variable: c.text}
			if c.variable == web {
				env = map[string]string{"AWS_ROLE_ARN": "arn:pod\n", "AWS_ENDPOINT_URL_STS": url}
			}
			path := filepath.Join(t.TempDir(), "token")
			if c.variable != variable {
				env[c.variable] = path
			}
			if c.text != "" {
				if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			home := inHome(t, env)
			if err := os.Remove(filepath.Join(home, ".aws/credentials")); err != nil {
				t.Fatal(err)
			}
			got, err := FindCredentials(t.Context(), Credentials{})
			switch {
			case c.err != "":
				if err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "let") || strings.Contains(err.Error(), "web-token") {
					t.Errorf("%v, want %q and no token", err, c.err)
				}
			case err != nil || got.AccessKey != "AKR" || strings.Contains(got.Source, "\n"):
				t.Errorf("%+v from %q, %v", got, got.Source, err)
			case slices.Contains(got.Trimmed, c.trimmed) != (c.trimmed != ""):
				t.Errorf("notices about %q, want %q", got.Trimmed, c.trimmed)
			}
		})
	}
}
