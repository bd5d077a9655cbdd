package target

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"

	"warp/internal/input"
	"warp/internal/option"
)

// roleToken is a token with which a pod or a container asks for keys. The library of the providers reads it, as it is.
type roleToken struct {
	variable string
	file     bool // the variable names a file, which is read again whenever the keys expire
}

// check returns an error for a token that is no line of text, and notes one with blanks at its ends.
func (t *roleToken) check(c *Credentials) error {
	text, source := os.Getenv(t.variable), t.variable
	if t.file {
		if info, err := os.Stat(text); err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
			return nil // it can be read only once
		}
		b, err := input.Read(text, input.Short)
		if err != nil {
			return fmt.Errorf("%s: %w", t.variable, err)
		}
		text, source = string(b), "the file of "+t.variable
	}
	_, err := c.line(source, text)
	return err
}

// containerToken returns the token of a container's role: the file counts only for a complete address.
func containerToken() *roleToken {
	const name = "AWS_CONTAINER_AUTHORIZATION_TOKEN"
	if os.Getenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") == "" && os.Getenv(name+"_FILE") != "" {
		return &roleToken{name + "_FILE", true}
	}
	return &roleToken{variable: name}
}

// oneLine sends tokens, and what else is asked for a role, without blanks and line breaks at their ends.
type oneLine struct{}

// RoundTrip sends a request.
func (oneLine) RoundTrip(r *http.Request) (*http.Response, error) {
	there := r.Clone(r.Context())
	if text := there.Header.Get("Authorization"); text != "" {
		line, _, err := option.Line(text)
		if err != nil {
			return nil, fmt.Errorf("the token: %w", err)
		}
		there.Header.Set("Authorization", line)
	}
	if r.Body != nil && there.Header.Get("Content-Type") == "application/x-www-form-urlencoded" {
		if err := trimForm(there); err != nil {
			return nil, err
		}
	}
	return http.DefaultTransport.RoundTrip(there)
}

// trimForm trims the values of a form.
func trimForm(r *http.Request) error {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	form, err := url.ParseQuery(string(text))
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(form)) {
		line, _, err := option.Line(form.Get(name))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		form.Set(name, line)
	}
	text = []byte(form.Encode())
	r.ContentLength = int64(len(text))
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
	r.Body, err = r.GetBody()
	return err
}
