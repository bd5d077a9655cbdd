//go:build !nocloudauth

package target

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
)

// googleScope is what tokens permit: buckets too.
const googleScope = "https://www.googleapis.com/auth/devstorage.full_control"

// googleToken asks for a token. Files are read anew each time, and nothing is kept: who asks keeps the token as long as it lives.
func googleToken(ctx context.Context) (Token, error) {
	if noMachine() {
		return Token{}, ErrNoGoogle
	}
	ctx = context.WithValue(ctx, oauth2.HTTPClient, &http.Client{Timeout: findTimeout, CheckRedirect: SameOrigin})
	found, err := google.FindDefaultCredentials(ctx, googleScope)
	if err != nil {
		if strings.Contains(err.Error(), "could not find default credentials") {
			return Token{}, ErrNoGoogle
		}
		return Token{}, err
	}
	t, err := found.TokenSource.Token()
	if err != nil {
		return Token{}, plainOAuth(err)
	}
	return Token{Text: t.AccessToken, Expires: t.Expiry}, nil
}

// noMachine reports whether there is no file of credentials, and a variable that Google's libraries have in common says that the
// machine has none either. To look there takes seconds elsewhere.
func noMachine() bool {
	if os.Getenv("GOOGLE_APPLICATION_CREDENTIALS") != "" || !strings.EqualFold(os.Getenv("NO_GCE_CHECK"), "true") {
		return false
	}
	dir := os.Getenv("APPDATA")
	if runtime.GOOS != "windows" {
		home, _ := os.UserHomeDir() // without one there is no such file
		dir = filepath.Join(home, ".config")
	}
	_, err := os.Stat(filepath.Join(dir, "gcloud", "application_default_credentials.json"))
	return err != nil
}

// plainOAuth returns the error of a token that was refused, without what the response repeats of the request.
func plainOAuth(err error) error {
	var refused *oauth2.RetrieveError
	if !errors.As(err, &refused) {
		return err
	}
	text := "the token was refused"
	if refused.Response != nil {
		text += fmt.Sprintf(" (%s)", refused.Response.Status)
	}
	var said struct {
		Error       string
		Description string `json:"error_description"`
	}
	if json.Unmarshal(refused.Body, &said) == nil && said.Error != "" { // the library reads it for some flows only
		text += ": " + strings.TrimSpace(said.Error+" "+said.Description)
	}
	return errors.New(text)
}
