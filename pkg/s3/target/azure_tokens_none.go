//go:build nocloudauth

package target

import "context"

func azureToken(context.Context) (Token, error) { return Token{}, errNoCloudTokens }
