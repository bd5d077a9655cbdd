//go:build !nocloudauth

package target

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
)

// azureScope is what tokens are for: the blobs that the identity may use, in all accounts.
const azureScope = "https://storage.azure.com/.default"

// azureTransport sends requests for tokens.
var azureTransport policy.Transporter = &http.Client{Timeout: findTimeout, CheckRedirect: SameOrigin}

// azureToken asks for a token of the identity that the environment names, else of the machine, else of the user. Files are read anew each
// time, and nothing is kept: who asks keeps the token as long as it lives.
func azureToken(ctx context.Context) (Token, error) {
	identity, err := azidentity.NewDefaultAzureCredential(&azidentity.DefaultAzureCredentialOptions{
		ClientOptions: azcore.ClientOptions{
			Transport: azureTransport,
			Retry:     policy.RetryOptions{MaxRetries: 2, RetryDelay: 200 * time.Millisecond, MaxRetryDelay: time.Second},
			Telemetry: policy.TelemetryOptions{Disabled: true},
		},
		DisableInstanceDiscovery: os.Getenv("AZURE_AUTHORITY_HOST") != "", // which need not be known to the world
	})
	if err != nil {
		return Token{}, plainIdentity(err)
	}
	t, err := identity.GetToken(ctx, policy.TokenRequestOptions{Scopes: []string{azureScope}})
	if err != nil {
		return Token{}, plainIdentity(err)
	}
	return Token{Text: t.Token, Expires: t.ExpiresOn}, nil
}

// plainIdentity returns the error of a token in one line: what the service says, without what its library adds.
func plainIdentity(err error) error {
	var refused *azidentity.AuthenticationFailedError
	if !errors.As(err, &refused) || refused.RawResponse == nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		if strings.HasPrefix(first, "DefaultAzureCredential: failed to acquire a token") {
			return ErrNoAzure
		}
		return errors.New(first)
	}
	text := fmt.Sprintf("the token was refused (%s)", refused.RawResponse.Status)
	body, _ := io.ReadAll(io.LimitReader(refused.RawResponse.Body, maxWords*10)) // the status says enough
	var said struct {
		Description string `json:"error_description"`
	}
	if json.Unmarshal(body, &said) == nil && said.Description != "" {
		first, _, _ := strings.Cut(said.Description, "\n")
		text += ": " + strings.TrimSpace(first)
	}
	return errors.New(text)
}
