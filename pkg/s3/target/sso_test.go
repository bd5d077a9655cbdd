package target

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// portal is the portal of SSO: it gives the keys of one role for one token. It returns its URL, and how many requests it got.
func portal(t *testing.T, expires time.Time) (url string, asked *int) {
	t.Helper()
	asked = new(int)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked++
		if q := r.URL.Query(); r.URL.Path != "/federation/credentials" || r.Header.Get("X-Amz-Sso_bearer_token") != "SECRETVALUE" || q.Get("account_id") != "12" || q.Get("role_name") != "tester" {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"message":"Session token not found or invalid"}`))
			return
		}
		fmt.Fprintf(w, `{"roleCredentials": {"accessKeyId": "AKO", "secretAccessKey": "SKO", "sessionToken": "TKO", "expiration": %d}}`, expires.UnixMilli())
	}))
	t.Cleanup(s.Close)
	return s.URL, asked
}

// cacheToken writes what "aws sso login" leaves, and returns the file.
func cacheToken(t *testing.T, home, session, text string) (path string) {
	t.Helper()
	sum := sha1.Sum([]byte(session))
	path = filepath.Join(home, ".aws", "sso", "cache", hex.EncodeToString(sum[:])+".json")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o400); err != nil {
		t.Fatal(err)
	}
	return path
}

const (
	ssoSession = "[sso-session work]\nsso_region = eu-central-1\nsso_start_url = https://work.example\n"
	ssoProfile = ssoSession + "[profile sso]\nsso_session = work\nsso_account_id = 12\nsso_role_name = tester\nregion = eu-west-3\n"
)

// TestSSO: keys of profiles with SSO come from the portal for the token in the cache, which stays as it is.
func TestSSO(t *testing.T) {
	in := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(time.RFC3339) }
	token := func(until string) string {
		return `{"startUrl": "https://work.example", "region": "eu-central-1", "accessToken": "SECRETVALUE", "expiresAt": "` + until + `"}`
	}
	expires := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	for name, tc := range map[string]struct {
		config, session, token string // empty token: none is there
		asked                  int    // requests to the portal
		err                    string
	}{
		"session":      {ssoProfile, "work", token(in(time.Hour)), 1, ""},
		"old form":     {"[profile sso]\nsso_start_url = https://old.example\nsso_region = us-east-1\nsso_account_id = 12\nsso_role_name = tester\nregion = eu-west-3\n", "https://old.example", token(in(time.Hour)), 1, ""},
		"expired":      {ssoProfile, "work", token(in(-time.Second)), 0, "cached SSO token is expired, refresh it with `aws sso login`"},
		"missing":      {ssoProfile, "work", "", 0, "(try `aws sso login`)"},
		"of others":    {ssoProfile, "play", token(in(time.Hour)), 0, "(try `aws sso login`)"},
		"no JSON":      {ssoProfile, "work", `{"accessToken": SECRETVALUE`, 0, "parsing cached SSO token"},
		"wrong region": {strings.Replace(ssoProfile, "sso_session = work", "sso_session = work\nsso_region = us-east-1", 1), "work", token(in(time.Hour)), 0, `sso_region "us-east-1" in profile must match sso_region "eu-central-1" in sso-session "work"`},
		"wrong portal": {strings.Replace(ssoProfile, "sso_session = work", "sso_session = work\nsso_start_url = https://play.example", 1), "work", token(in(time.Hour)), 0, `must match sso_start_url "https://work.example"`},
		"wrong role":   {strings.Replace(ssoProfile, "tester", "owner", 1), "work", token(in(time.Hour)), 1, "401 Unauthorized"},
		"no account":   {strings.Replace(ssoProfile, "sso_account_id = 12\n", "", 1), "work", token(in(time.Hour)), 0, "no sso_account_id"},
		"no role":      {strings.Replace(ssoProfile, "sso_role_name = tester\n", "", 1), "work", token(in(time.Hour)), 0, "SSO without sso_role_name"},
	} {
		t.Run(name, func(t *testing.T) {
			url, asked := portal(t, expires)
			home := inHome(t, map[string]string{"AWS_PROFILE": "sso", "AWS_ENDPOINT_URL_SSO": url})
			if err := os.WriteFile(filepath.Join(home, ".aws/config"), []byte(tc.config), 0o600); err != nil {
				t.Fatal(err)
			}
			path := ""
			if tc.token != "" {
				path = cacheToken(t, home, tc.session, tc.token)
			}
			c, err := FindCredentials(t.Context(), Credentials{})
			if *asked != tc.asked {
				t.Errorf("the portal got %d requests, want %d", *asked, tc.asked)
			}
			if files, _ := filepath.Glob(filepath.Join(home, ".aws/sso/cache/*")); path != "" && len(files) != 1 || path == "" && files != nil {
				t.Errorf("in the cache: %q", files)
			}
			if text, _ := os.ReadFile(path); string(text) != tc.token {
				t.Errorf("the cache was changed: %s", text)
			}
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) || !strings.HasPrefix(err.Error(), "credentials of the AWS profile sso: ") || strings.ContainsAny(err.Error(), "\n") || strings.Contains(err.Error(), "SECRETVALUE") {
					t.Errorf("error %v, want %q", err, tc.err)
				}
				return
			}
			if err != nil || c.AccessKey != "AKO" || c.SecretKey != "SKO" || c.SessionToken != "TKO" || c.Source != "AWS profile sso" || c.Region != "eu-west-3" || c.Provider == nil {
				t.Fatalf("%+v from %q, %v", c, c.Source, err)
			}
			if v, err := c.Provider.GetWithContext(nil); err != nil || !v.Expiration.Equal(expires) {
				t.Errorf("they expire at %v, want %v (%v)", v.Expiration, expires, err)
			}
			c.Provider.Expire()
			if _, err := c.Provider.GetWithContext(nil); err != nil || *asked != 2 {
				t.Errorf("renewed by %d requests: %v", *asked, err)
			}
		})
	}
}
