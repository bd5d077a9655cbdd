//go:build nocloudauth

package target

import (
	"context"
	"errors"
)

// errNoCloudTokens is the error of a binary without the libraries of clouds for their tokens.
var errNoCloudTokens = errors.New("this binary was built without the libraries for tokens of clouds (-tags nocloudauth)")

func googleToken(context.Context) (Token, error) { return Token{}, errNoCloudTokens }
