//go:build !nocloudauth

package target

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGoogleTokens: each kind of application default credentials gives a token, from servers on loopback.
func TestGoogleTokens(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind := r.FormValue("grant_type")
		switch {
		case strings.HasPrefix(r.URL.Path, "/computeMetadata/v1/instance/service-accounts/default/token"):
			w.Header().Set("Metadata-Flavor", "Google")
			kind = "machine"
		case r.URL.Path == "/refuses":
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprint(w, `{"error":"invalid_grant","error_description":"Invalid JWT Signature.","assertion":"secret"}`)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"access_token":"ya29.%s","expires_in":3599,"token_type":"Bearer"}`, strings.ReplaceAll(kind, ":", "."))
	}))
	defer server.Close()
	t.Setenv("GCE_METADATA_HOST", strings.TrimPrefix(server.URL, "http://"))
	t.Setenv("NO_GCE_CHECK", "")
	t.Setenv("HOME", t.TempDir()) // where gcloud has no file
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	block := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	for name, row := range map[string]struct {
		file map[string]string
		want string // token, or error
	}{
		"service account": {
			map[string]string{
				"type": "service_account", "client_email": "w@p.iam.gserviceaccount.com", "private_key": string(block), "token_uri": server.URL + "/token",
			},
			"ya29.urn.ietf.params.oauth.grant-type.jwt-bearer",
		},
		"refused account": {
			map[string]string{
				"type": "service_account", "client_email": "w@p.iam.gserviceaccount.com", "private_key": string(block), "token_uri": server.URL + "/refuses",
			},
			"(GOOGLE_APPLICATION_CREDENTIALS): the token was refused (400 Bad Request): invalid_grant Invalid JWT Signature.",
		},
		"machine":      {nil, "ya29.machine"},
		"unknown type": {map[string]string{"type": "moon"}, "default account of Google (GOOGLE_APPLICATION_CREDENTIALS)"},
	} {
		t.Run(name, func(t *testing.T) {
			path := ""
			if row.file != nil {
				text, _ := json.Marshal(row.file)
				path = filepath.Join(t.TempDir(), "credentials.json")
				if err := os.WriteFile(path, text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", path)
			c, err := FindGoogleToken(t.Context(), os.Getenv)
			if err != nil && !strings.Contains(err.Error(), row.want) || err == nil && string(c.SessionToken) != row.want {
				t.Errorf("got %q, %v", string(c.SessionToken), err)
			}
			if err == nil && (!c.Bearer || c.Provider == nil) {
				t.Errorf("got %#v", c)
			}
		})
	}
}

func TestNoGoogleMachine(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("APPDATA", t.TempDir())
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", "")
	t.Setenv("NO_GCE_CHECK", "true")
	if _, err := FindGoogleToken(t.Context(), os.Getenv); !errors.Is(err, ErrNoGoogle) {
		t.Errorf("got %v", err)
	}
}

func TestFindGoogle(t *testing.T) {
	emulator := func(host string) func(string) string {
		return func(name string) string { return map[string]string{"STORAGE_EMULATOR_HOST": host}[name] }
	}
	for _, row := range []struct {
		spec, emulator string
		want           Google
	}{
		{"gs://b", "", Google{Host: "https://storage.googleapis.com", Bucket: "b"}},
		{"gs://b/", "", Google{Host: "https://storage.googleapis.com", Bucket: "b"}},
		{"", "", Google{Host: "https://storage.googleapis.com"}},
		{"gs://b", "h:1", Google{Host: "http://h:1", Bucket: "b", Emulator: "STORAGE_EMULATOR_HOST"}},
		{"gs://b", "https://h:1/", Google{Host: "https://h:1", Bucket: "b", Emulator: "STORAGE_EMULATOR_HOST"}},
		{"https://storage.googleapis.com", "h:1", Google{Host: "https://storage.googleapis.com"}},
	} {
		if got, err := FindGoogle(row.spec, emulator(row.emulator)); got != row.want || err != nil {
			t.Errorf("%q: got %+v, %v", row.spec, got, err)
		}
	}
	for _, spec := range []string{"gs://b/p", "gs://b,gs://c"} {
		if _, err := FindGoogle(spec, emulator("")); err == nil {
			t.Errorf("%q was read", spec)
		}
	}
	for host, want := range map[string]bool{
		"storage.googleapis.com": true, "https://b.storage.googleapis.com": true, "us-east1-storage.googleapis.com": true,
		"storage.us-east1.rep.googleapis.com": true, "gs://b": true, "storage.googleapis.com.evil.example": false,
		"evilstorage.googleapis.com": false, "compute.googleapis.com": false, "127.0.0.1:9000": false,
	} {
		if IsGoogle(host) != want {
			t.Errorf("%s: %v", host, !want)
		}
	}
}

func TestOnLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"127.0.0.1:80": true, "localhost": true, "[::1]:80": true, "[::1]": true, "10.0.0.1:80": false, "localhost.example": false,
	} {
		if OnLoopback([]string{host}) != want {
			t.Errorf("%s: %v", host, !want)
		}
	}
}
