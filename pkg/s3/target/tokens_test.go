package target

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"
)

func TestBearerToken(t *testing.T) {
	ends := time.Now().Add(time.Hour)
	given := []Token{{"first", ends}, {"second", time.Now().Add(time.Hour)}}
	asked := 0
	ask := func(context.Context) (Token, error) {
		asked++
		return given[asked-1], nil
	}
	c, err := BearerToken(t.Context(), "test", ask)
	if err != nil || c.SessionToken != "first" || !c.Bearer || c.AccessKey != "" || c.Provider == nil || !c.Expires.Equal(ends) {
		t.Fatalf("got %#v, %v", c, err)
	}
	endless := func(context.Context) (Token, error) { return Token{Text: "endless"}, nil }
	if c, err := BearerToken(t.Context(), "test", endless); err != nil || c.Provider == nil || !c.Expires.IsZero() {
		t.Errorf("a token whose end is not known: %v, until %v", err, c.Expires)
	}
	v, err := c.Provider.GetWithContext(&credentials.CredContext{Context: t.Context()})
	if err != nil || v.SessionToken != "first" || asked != 1 {
		t.Errorf("a token that lives: got %v, asked %d times", err, asked)
	}
	c.Provider.Expire()
	if v, err = c.Provider.GetWithContext(&credentials.CredContext{Context: t.Context()}); err != nil || v.SessionToken != "second" {
		t.Errorf("a token that is due: %v", err)
	}
}

func TestBearerTokenErrors(t *testing.T) {
	for name, row := range map[string]struct {
		token Token
		err   error
		want  string
	}{
		"refused": {Token{}, errors.New("not\nfor you"), "credentials of the test: not for you"},
		"empty":   {Token{}, nil, "credentials of the test: no token"},
		"header":  {Token{Text: "a\nX-Evil: b"}, nil, "credentials of the test: session token: "},
	} {
		_, err := BearerToken(t.Context(), "test", func(context.Context) (Token, error) { return row.token, row.err })
		if err == nil || !strings.HasPrefix(err.Error(), row.want) || strings.Contains(err.Error(), "Evil") {
			t.Errorf("%s: got %v, want %s", name, err, row.want)
		}
	}
}

func TestGivenToken(t *testing.T) {
	c, err := GivenToken(t.Context(), "text", "--token")
	if err != nil || c.SessionToken != "text" || c.Provider != nil {
		t.Errorf("a text: %v", err)
	}
	path := filepath.Join(t.TempDir(), "token")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("old\n")
	if c, err = GivenToken(t.Context(), "file:"+path, "--token"); err != nil || c.SessionToken != "old" {
		t.Fatalf("a file: %v", err)
	}
	write("new\n")
	c.Provider.Expire()
	if v, err := c.Provider.GetWithContext(&credentials.CredContext{Context: t.Context()}); err != nil || v.SessionToken != "new" || time.Until(v.Expiration) > rereadToken {
		t.Errorf("a file that was replaced: %v", err)
	}
	if _, err := GivenToken(t.Context(), "file:"+path+".gone", "--token"); err == nil {
		t.Error("a file that is not there")
	}
}
