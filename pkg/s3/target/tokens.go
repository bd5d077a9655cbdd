package target

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"warp/internal/clock"
	"warp/internal/input"
)

// Token is a bearer token.
type Token struct {
	Text    string
	Expires time.Time // zero: not known
}

// BearerToken gets the first token of what gives tokens, which is asked for others in time, off any operation. The source is for people.
func BearerToken(ctx context.Context, source string, ask func(ctx context.Context) (Token, error)) (Credentials, error) {
	t := &tokens{ask: ask}
	c, err := retrieveWith(ctx, source, &checkedProvider{Provider: t, bearer: true})
	if c.Bearer = true; !t.ends {
		c.Expires = time.Time{}
	}
	return c, err
}

// rereadToken is how often a token is asked for whose end is not known: it may be replaced at any time.
const rereadToken = time.Minute

// tokens gives bearer tokens in the form of keys.
type tokens struct {
	credentials.Expiry
	ask  func(ctx context.Context) (Token, error)
	ends bool // the end of the last one is known
}

// RetrieveWithCredContext asks for a token.
func (t *tokens) RetrieveWithCredContext(cc *credentials.CredContext) (v credentials.Value, err error) {
	ctx := context.Background()
	if cc != nil {
		ctx = cmp.Or(cc.Context, ctx)
	}
	token, err := t.ask(ctx)
	if err == nil && token.Text == "" {
		err = errors.New("no token")
	}
	if err != nil {
		return v, err
	}
	if t.ends = !token.Expires.IsZero(); !t.ends {
		token.Expires = clock.Wall().Add(rereadToken)
	}
	t.SetExpiration(token.Expires, credentials.DefaultExpiryWindow)
	return credentials.Value{SessionToken: token.Text, Expiration: token.Expires}, nil
}

// Retrieve asks for a token.
func (t *tokens) Retrieve() (credentials.Value, error) { return t.RetrieveWithCredContext(nil) }

// GivenToken returns the credentials of a token that a person gives: itself, or file:NAME, which is read anew once in a while.
func GivenToken(ctx context.Context, text, source string) (Credentials, error) {
	path, isFile := strings.CutPrefix(text, "file:")
	if !isFile {
		return Credentials{SessionToken: Secret(text), Bearer: true, Source: source}, nil
	}
	return BearerToken(ctx, source, func(context.Context) (Token, error) {
		b, err := input.Read(path, input.Short)
		return Token{Text: strings.TrimSpace(string(b))}, err
	})
}
