//go:build !nocloudauth

package target

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// authority is a service on this machine that gives tokens, of Entra ID and of a machine. It notes what it is asked.
type authority struct {
	*httptest.Server
	asked   []string
	refuses bool
}

func newAuthority(t *testing.T) *authority {
	a := &authority{}
	a.Server = httptest.NewTLSServer(a)
	t.Cleanup(a.Close)
	before := azureTransport
	azureTransport = a.Client()
	t.Cleanup(func() { azureTransport = before })
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		for _, prefix := range []string{"AZURE_", "IDENTITY_", "MSI_", "IMDS_"} {
			if strings.HasPrefix(name, prefix) {
				t.Setenv(name, "")
				_ = os.Unsetenv(name) // the library tells empty variables from missing ones
			}
		}
	}
	t.Setenv("AZURE_AUTHORITY_HOST", a.URL)
	return a
}

func (a *authority) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if strings.HasSuffix(r.URL.Path, "/.well-known/openid-configuration") {
		_, _ = fmt.Fprintf(w, `{"token_endpoint":"%s/tenant/oauth2/v2.0/token","authorization_endpoint":"%s/a","issuer":"%s/tenant/v2.0"}`,
			a.URL, a.URL, a.URL)
		return
	}
	_ = r.ParseForm() // its values are compared
	line := r.Method + " " + r.URL.Path
	for _, name := range []string{"grant_type", "client_id", "client_secret", "client_assertion", "scope", "resource", "api-version"} {
		if v := r.Form.Get(name); v != "" {
			line += " " + name + "=" + v
		}
	}
	if v := r.Header.Get("X-Identity-Header"); v != "" {
		line += " header=" + v
	}
	a.asked = append(a.asked, line)
	if a.refuses {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = fmt.Fprint(w, `{"error":"invalid_client","error_description":"AADSTS7000215: Invalid client secret provided.\r\nTrace ID: 1"}`)
		return
	}
	_, _ = fmt.Fprintf(w, `{"access_token":"TOKEN%d","expires_in":3599,"expires_on":%d,"token_type":"Bearer","resource":"https://storage.azure.com"}`,
		len(a.asked), time.Now().Add(time.Hour).Unix())
}

func TestAzureTokens(t *testing.T) {
	const post = "POST /tenant/oauth2/v2.0/token grant_type=client_credentials client_id=ID "
	for _, tc := range []struct{ name, env, want string }{
		{
			"environment", "AZURE_TENANT_ID=tenant AZURE_CLIENT_ID=ID AZURE_CLIENT_SECRET=SECRET AZURE_TOKEN_CREDENTIALS=EnvironmentCredential",
			post + "client_secret=SECRET scope=https://storage.azure.com/.default openid offline_access profile",
		},
		{
			"workload", "AZURE_TENANT_ID=tenant AZURE_CLIENT_ID=ID AZURE_FEDERATED_TOKEN_FILE=FILE AZURE_TOKEN_CREDENTIALS=WorkloadIdentityCredential",
			post + "client_assertion=FEDERATED scope=https://storage.azure.com/.default openid offline_access profile",
		},
		{
			"App Service", "IDENTITY_ENDPOINT=URL/msi IDENTITY_HEADER=H AZURE_CLIENT_ID=NEW AZURE_TOKEN_CREDENTIALS=ManagedIdentityCredential",
			"GET /msi client_id=NEW resource=https://storage.azure.com api-version=2019-08-01 header=H",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := newAuthority(t)
			file := filepath.Join(t.TempDir(), "token")
			if err := os.WriteFile(file, []byte("FEDERATED"), 0o600); err != nil {
				t.Fatal(err)
			}
			// The library keeps tokens of managed identities by client ID for as long as the process runs.
			fill := strings.NewReplacer("FILE", file, "URL", a.URL, "NEW", a.Listener.Addr().String())
			for v := range strings.FieldsSeq(tc.env) {
				name, value, _ := strings.Cut(v, "=")
				t.Setenv(name, fill.Replace(value))
			}
			keys, err := FindAzureToken(t.Context())
			if err != nil || !keys.Bearer || keys.SessionToken != "TOKEN1" || keys.AccessKey != "" || keys.Provider == nil || keys.Source != "identity of Entra ID" {
				t.Fatalf("%+v, %v", keys, err)
			}
			if got := strings.Join(a.asked, "\n"); got != fill.Replace(tc.want) {
				t.Errorf("asked\n%s\nwant\n%s", got, fill.Replace(tc.want))
			}
		})
	}
}

// TestAzureTokenRefused: the error is one line, and repeats no secret.
func TestAzureTokenRefused(t *testing.T) {
	a := newAuthority(t)
	a.refuses = true
	for name, value := range map[string]string{
		"AZURE_TENANT_ID": "tenant", "AZURE_CLIENT_ID": "ID", "AZURE_CLIENT_SECRET": "SECRET", "AZURE_TOKEN_CREDENTIALS": "EnvironmentCredential",
	} {
		t.Setenv(name, value)
	}
	_, err := FindAzureToken(t.Context())
	const want = "the token was refused (401 Unauthorized): AADSTS7000215: Invalid client secret provided."
	if err == nil || !strings.HasSuffix(err.Error(), want) || strings.Contains(err.Error(), "SECRET") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestNoAzureToken(t *testing.T) {
	newAuthority(t)
	t.Setenv("AZURE_TOKEN_CREDENTIALS", "EnvironmentCredential")
	if _, err := FindAzureToken(t.Context()); !errors.Is(err, ErrNoAzure) {
		t.Error(err)
	}
	t.Setenv("AZURE_TOKEN_CREDENTIALS", "nonsense")
	if _, err := FindAzureToken(t.Context()); err == nil || errors.Is(err, ErrNoAzure) || !strings.Contains(err.Error(), "AZURE_TOKEN_CREDENTIALS") {
		t.Error(err)
	}
}
