package s3_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/target"
)

const (
	// keysLife is how long keys of a stand-in last.
	keysLife = 2 * time.Second
	// keysGrace is how much longer the store takes them: the machine may be slow.
	keysGrace = 10 * time.Second
)

// keysURL names the variable that has this binary print what lies at a URL, and end: it is a credential_process then.
const keysURL = "WARP_TEST_KEYS_URL"

// printKeys is what this binary does as a credential_process.
func printKeys(url string) error {
	r, err := http.Get(url)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	_, err = io.Copy(os.Stdout, r.Body)
	return err
}

// standIn gives keys that expire, as STS, the metadata services and a credential_process do, and is a store that takes those it gave.
type standIn struct {
	t *testing.T

	mu     sync.Mutex
	ends   []time.Time    // of keys number 1, 2, ...
	signed map[int]uint64 // requests, by number of the keys
}

// keys makes new keys, and returns their number and their end.
func (s *standIn) keys() (n int, ends string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	end := time.Now().Add(keysLife).UTC()
	s.ends = append(s.ends, end)
	return len(s.ends), end.Format(time.RFC3339Nano)
}

// text returns keys in JSON, under the names of metadata services or of processes.
func (s *standIn) text(token string) string {
	n, ends := s.keys()
	return fmt.Sprintf(`{"Version": 1, "Code": "Success", "AccessKeyId": "AK%d", "SecretAccessKey": "SK%d", %q: "T%d", "Expiration": %q}`, n, n, token, n, ends)
}

// sts returns keys as STS does.
func (s *standIn) sts(action string) string {
	n, ends := s.keys()
	return fmt.Sprintf(`<%[1]sResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><%[1]sResult><Credentials><AccessKeyId>AK%[2]d</AccessKeyId><SecretAccessKey>SK%[2]d</SecretAccessKey>`+
		`<SessionToken>T%[2]d</SessionToken><Expiration>%[3]s</Expiration></Credentials></%[1]sResult></%[1]sResponse>`, action, n, ends)
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text := ""
	switch action := r.FormValue("Action"); {
	case strings.HasPrefix(r.URL.Path, "/bucket/"):
		s.store(w, r)
	case r.URL.Path == "/latest/api/token":
		text = "imds"
	case r.URL.Path == "/latest/meta-data/iam/security-credentials/":
		text = "role"
	case r.URL.Path == "/latest/meta-data/iam/security-credentials/role", r.URL.Path == "/container":
		text = s.text("Token")
	case r.URL.Path == "/process":
		text = s.text("SessionToken")
	case action == "AssumeRole" && strings.Contains(r.Header.Get("Authorization"), "Credential=AKC/"), action == "AssumeRoleWithWebIdentity" && r.FormValue("WebIdentityToken") == "web-token":
		text = s.sts(action)
	default:
		s.t.Errorf("%s %s", r.Method, r.URL)
		w.WriteHeader(http.StatusForbidden)
	}
	_, _ = io.WriteString(w, text)
}

// store takes requests that are signed with keys which hold.
func (s *standIn) store(w http.ResponseWriter, r *http.Request) {
	n := 0
	if _, err := fmt.Sscanf(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential=AK%d/", &n); err != nil {
		s.t.Errorf("%v in %q", err, r.Header.Get("Authorization"))
	}
	(&sent{Request: r}).signedBy(s.t, fmt.Sprint("AK", n), fmt.Sprint("SK", n))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.signed[n]++; n < 1 || n > len(s.ends) || r.Header.Get("X-Amz-Security-Token") != fmt.Sprint("T", n) || time.Since(s.ends[n-1]) > keysGrace {
		w.WriteHeader(http.StatusForbidden)
	}
}

// renewed reports whether the first keys have ended, and requests have been signed with later ones since.
func (s *standIn) renewed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.signed[1] > 0 && len(s.signed) > 1 && time.Now().After(s.ends[0])
}

// TestKeysExpireInMidRun: keys of each source expire while requests are sent, and no request fails, with either engine.
func TestKeysExpireInMidRun(t *testing.T) {
	type m = map[string]string
	for name, env := range map[string]m{
		"web identity":       {"AWS_WEB_IDENTITY_TOKEN_FILE": "HOME/token", "AWS_ROLE_ARN": "arn:pod", "AWS_ENDPOINT_URL_STS": "URL"},
		"assumed role":       {"AWS_PROFILE": "role", "AWS_ENDPOINT_URL_STS": "URL"},
		"container":          {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "URL/container"},
		"instance":           {"AWS_EC2_METADATA_SERVICE_ENDPOINT": "URL"},
		"credential_process": {"AWS_PROFILE": "process", keysURL: "URL/process"},
		"--sts-web-token":    {},
	} {
		t.Run(name, func(t *testing.T) {
			s := &standIn{t: t, signed: map[int]uint64{}}
			server := httptest.NewServer(s)
			defer server.Close()
			keysEnv(t, env, server.URL)
			c, err := target.FindCredentials(t.Context(), target.Credentials{})
			if len(env) == 0 {
				c, err = target.WebIdentity(t.Context(), server.URL, "file:"+filepath.Join(os.Getenv("HOME"), "token"), nil)
			}
			if err != nil || c.Provider == nil {
				t.Fatalf("%v; they expire: %v", err, c.Provider != nil)
			}
			var wg sync.WaitGroup
			for _, engine := range []string{"lean", "std"} {
				st, err := connect.New(s3.Config{
					Hosts: []string{strings.TrimPrefix(server.URL, "http://")}, Bucket: "bucket", Engine: engine,
					AccessKey: c.AccessKey, SecretKey: c.SecretKey, SessionToken: c.SessionToken, Provider: c.Provider,
				})
				if err != nil {
					t.Fatal(err)
				}
				wg.Go(func() {
					defer st.Close()
					for !s.renewed() && t.Context().Err() == nil {
						if err := ops.Stat(t.Context(), st.Session(0), &s3.Call{Key: "k"}); err != nil {
							t.Errorf("%s: %v", engine, err)
							return
						}
						time.Sleep(10 * time.Millisecond) // keys last, whatever is done
					}
				})
			}
			wg.Wait()
			http.DefaultClient.CloseIdleConnections()
		})
	}
}

// keysEnv makes an environment, and a home directory with shared files.
func keysEnv(t *testing.T, env map[string]string, url string) {
	t.Helper()
	home := t.TempDir()
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "AWS_") {
			t.Setenv(name, "")
		}
	}
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	binary, err := exec.LookPath(os.Args[0])
	if err == nil {
		binary, err = filepath.Abs(binary)
	}
	if err == nil {
		err = os.Mkdir(filepath.Join(home, ".aws"), 0o700)
	}
	for path, text := range map[string]string{
		"token":            "web-token",
		".aws/credentials": "[ci]\naws_access_key_id=AKC\naws_secret_access_key=SKC\n",
		".aws/config":      "[profile role]\nrole_arn=arn:r\nsource_profile=ci\n[profile process]\ncredential_process = " + binary + " keys\n",
	} {
		if err == nil {
			err = os.WriteFile(filepath.Join(home, path), []byte(text), 0o600)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range env {
		t.Setenv(name, strings.NewReplacer("HOME/", home+"/", "URL", url).Replace(value))
	}
}
