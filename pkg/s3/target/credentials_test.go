package target

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// inHome makes an environment without variables of AWS, and a home directory with shared files.
func inHome(t *testing.T, env map[string]string) (home string) {
	t.Helper()
	home = t.TempDir()
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "AWS_") {
			t.Setenv(name, "")
		}
	}
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	for name, text := range map[string]string{
		".aws/credentials": "; mine\n[default]\naws_access_key_id = AKD\naws_secret_access_key=SKD+/= # old\n\n" +
			"[ci]\nAWS_ACCESS_KEY_ID=AKC\naws_secret_access_key=SKC\naws_session_token=TKC\n[half]\naws_access_key_id=AKH\n",
		".aws/config": "[default]\nregion = eu-west-1\ns3 =\n  max_concurrent_requests = 20\n" +
			"[profile ci]\nregion=ap-south-1\n[profile empty]\nregion=x\n[profile cfg]\naws_access_key_id=AKF\naws_secret_access_key=SKF\n" +
			"[profile process]\ncredential_process = cat " + filepath.Join(home, "process.json") + "\n" +
			"[profile role]\nrole_arn=arn:r\nsource_profile=ci\nregion=eu-north-1\n[profile alone]\nrole_arn=arn:r\n" +
			"[profile orphan]\nrole_arn=arn:r\nsource_profile=nobody\n[profile circle]\nrole_arn=arn:r\nsource_profile=circle\n",
		"process.json": `{"Version": 1, "AccessKeyId": "AKP", "SecretAccessKey": "SKP"}`,
		"broken":       "[default\n",
		"junk":         "[default]\nSECRETVALUE\n",
		"token":        "web-token",
		"let-me":       "let me",
	} {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, value := range env {
		t.Setenv(name, strings.ReplaceAll(value, "HOME/", home+"/"))
	}
	return home
}

func TestCredentials(t *testing.T) {
	type m = map[string]string
	tests := []struct {
		name   string
		given  Credentials
		env    m
		want   string // access secret token
		source string
		err    string
	}{
		{"given", Credentials{AccessKey: "A", SecretKey: "S"}, m{"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "y"}, "A S ", "options", ""},
		{"given half", Credentials{AccessKey: "A"}, nil, "", "", "--access-key is given without --secret-key"},
		{"given other half", Credentials{SecretKey: "SECRETVALUE"}, nil, "", "", "--secret-key is given without --access-key"},
		{"token alone", Credentials{SessionToken: "SECRETVALUE"}, nil, "", "", "without keys"},
		{"environment", Credentials{}, m{"AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "S", "AWS_SESSION_TOKEN": "T"}, "A S T", "environment", ""},
		{"environment half", Credentials{}, m{"AWS_SECRET_ACCESS_KEY": "SECRETVALUE"}, "", "", "AWS_SECRET_ACCESS_KEY is given without AWS_ACCESS_KEY_ID"},
		{"default profile", Credentials{}, nil, "AKD SKD+/= ", "AWS profile default", ""},
		{"named profile", Credentials{}, m{"AWS_PROFILE": "ci"}, "AKC SKC TKC", "AWS profile ci", ""},
		{"profile in config", Credentials{}, m{"AWS_PROFILE": "cfg"}, "AKF SKF ", "AWS profile cfg", ""},
		{"process", Credentials{}, m{"AWS_PROFILE": "process"}, "AKP SKP ", "AWS profile process", ""},
		{"half profile", Credentials{}, m{"AWS_PROFILE": "half"}, "", "", "aws_access_key_id and aws_secret_access_key must both be set"},
		{"no keys in profile", Credentials{}, m{"AWS_PROFILE": "empty"}, "", "", `AWS profile empty: it holds neither keys`},
		{"unknown profile", Credentials{}, m{"AWS_PROFILE": "none"}, "", "", "is in neither"},
		{"role without a source", Credentials{}, m{"AWS_PROFILE": "alone"}, "", "", "without a source_profile"},
		{"role of nobody", Credentials{}, m{"AWS_PROFILE": "orphan"}, "", "", `source_profile "nobody" does not exist`},
		{"circle", Credentials{}, m{"AWS_PROFILE": "circle"}, "", "", "lead to each other"},
		{"other file", Credentials{}, m{"AWS_SHARED_CREDENTIALS_FILE": "HOME/gone", "AWS_CONFIG_FILE": "HOME/gone"}, "  ", "", ""},
		{"broken file", Credentials{}, m{"AWS_SHARED_CREDENTIALS_FILE": "HOME/broken"}, "", "", "broken: it has a line"},
		{"junk", Credentials{}, m{"AWS_SHARED_CREDENTIALS_FILE": "HOME/junk"}, "", "", "junk: it has a line"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			inHome(t, tc.env)
			k, err := FindCredentials(t.Context(), tc.given)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) || strings.Contains(err.Error(), "\n") {
					t.Fatalf("error %v, want %q", err, tc.err)
				}
				if strings.Contains(err.Error(), "SECRETVALUE") {
					t.Errorf("a secret is in the error: %v", err)
				}
				return
			}
			got := fmt.Sprintf("%s %s %s", string(k.AccessKey), string(k.SecretKey), string(k.SessionToken))
			if err != nil || got != tc.want || k.Source != tc.source || k.Provider != nil {
				t.Errorf("%q from %q, %v; want %q from %q", got, k.Source, err, tc.want, tc.source)
			}
		})
	}
}

// amazon is what AWS offers to those that ask for a role: STS, and the metadata of instances and containers.
func amazon(t *testing.T, expires time.Time) (url string) {
	t.Helper()
	keys := `"AccessKeyId": "AKR", "SecretAccessKey": "SKR", "Token": "TKR", "Expiration": "` + expires.Format(time.RFC3339) + `"`
	sts := func(action string) string {
		return fmt.Sprintf(`<%[1]sResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><%[1]sResult><Credentials><AccessKeyId>AKR</AccessKeyId>`+
			`<SecretAccessKey>SKR</SecretAccessKey><SessionToken>TKR</SessionToken><Expiration>%s</Expiration></Credentials></%[1]sResult></%[1]sResponse>`,
			action, expires.Format(time.RFC3339))
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := ""
		switch _ = r.ParseForm(); {
		case r.URL.Path == "/latest/api/token":
			text = "imds"
		case r.URL.Path == "/latest/meta-data/iam/security-credentials/" && r.Header.Get("X-Aws-Ec2-Metadata-Token") == "imds":
			text = "the-role"
		case r.URL.Path == "/latest/meta-data/iam/security-credentials/the-role":
			text = `{"Code": "Success", ` + keys + "}"
		case r.URL.Path == "/container" && r.Header.Get("Authorization") == "let me":
			text = "{" + keys + "}"
		case r.Form.Get("Action") == "AssumeRoleWithWebIdentity" && r.Form.Get("WebIdentityToken") == "web-token" && r.Form.Get("RoleArn") == "arn:pod":
			text = sts("AssumeRoleWithWebIdentity")
		case r.Form.Get("Action") == "AssumeRoleWithWebIdentity" && r.Form.Get("WebIdentityToken") == "user-token" && r.Form.Get("RoleArn") == "":
			text = sts("AssumeRoleWithWebIdentity")
		case r.Form.Get("Action") == "AssumeRole" && r.Form.Get("RoleArn") == "arn:r" && strings.Contains(r.Header.Get("Authorization"), "Credential=AKC/"):
			text = sts("AssumeRole")
		default:
			w.WriteHeader(http.StatusForbidden)
			text = `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Code>AccessDenied</Code><Message>no</Message></Error></ErrorResponse>`
		}
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestRoles: the keys of pods, containers, instances and assumed roles are found, and expire.
func TestRoles(t *testing.T) {
	type m = map[string]string
	expires := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	for name, tc := range map[string]struct {
		env         m
		source, err string
	}{
		"pod":               {m{"AWS_WEB_IDENTITY_TOKEN_FILE": "HOME/token", "AWS_ROLE_ARN": "arn:pod", "AWS_ENDPOINT_URL_STS": "URL"}, "role arn:pod (AWS_WEB_IDENTITY_TOKEN_FILE)", ""},
		"pod of others":     {m{"AWS_WEB_IDENTITY_TOKEN_FILE": "HOME/token", "AWS_ROLE_ARN": "arn:x", "AWS_ENDPOINT_URL_STS": "URL"}, "", "credentials of the role arn:x"},
		"pod without token": {m{"AWS_WEB_IDENTITY_TOKEN_FILE": "HOME/none", "AWS_ENDPOINT_URL_STS": "URL"}, "", "no such file"},
		"container":         {m{"AWS_CONTAINER_CREDENTIALS_FULL_URI": "URL/container", "AWS_CONTAINER_AUTHORIZATION_TOKEN": "let me"}, "container's role", ""},
		"pod identity":      {m{"AWS_CONTAINER_CREDENTIALS_FULL_URI": "URL/container", "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": "HOME/let-me"}, "container's role", ""},
		"container refused": {m{"AWS_CONTAINER_CREDENTIALS_FULL_URI": "URL/container"}, "", "credentials of the container's role: 403 Forbidden"},
		"instance":          {m{"AWS_EC2_METADATA_DISABLED": "", "AWS_EC2_METADATA_SERVICE_ENDPOINT": "URL"}, "instance's role", ""},
		"no instance":       {m{"AWS_EC2_METADATA_DISABLED": "", "AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://127.0.0.1:1"}, "", "credentials of the instance's role"},
		"assumed":           {m{"AWS_PROFILE": "role", "AWS_ENDPOINT_URL_STS": "URL"}, "AWS profile role", ""},
	} {
		t.Run(name, func(t *testing.T) {
			url := amazon(t, expires)
			for k, v := range tc.env {
				tc.env[k] = strings.ReplaceAll(v, "URL", url)
			}
			home := inHome(t, tc.env)
			if tc.env["AWS_PROFILE"] == "" { // no keys in files
				if err := os.Remove(filepath.Join(home, ".aws/credentials")); err != nil {
					t.Fatal(err)
				}
			}
			c, err := FindCredentials(t.Context(), Credentials{})
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) || strings.Contains(err.Error(), "\n") {
					t.Errorf("error %v, want %q", err, tc.err)
				}
				return
			}
			if err != nil || c.AccessKey != "AKR" || c.SecretKey != "SKR" || c.SessionToken != "TKR" || c.Source != tc.source || c.Provider == nil {
				t.Fatalf("%+v from %q, %v", c, c.Source, err)
			}
			if v, err := c.Provider.GetWithContext(nil); err != nil || !v.Expiration.Equal(expires) {
				t.Errorf("they expire at %v, want %v (%v)", v.Expiration, expires, err)
			}
		})
	}
}

// TestWebIdentity exchanges a token at the STS of a server, from a file too.
func TestWebIdentity(t *testing.T) {
	expires := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	url := amazon(t, expires)
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("user-token\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := WebIdentity(t.Context(), "http://127.0.0.1:1", "user-token", nil)
	if err == nil || strings.Contains(err.Error(), "user-token") || !strings.Contains(err.Error(), "refused") {
		t.Errorf("unreachable: %v", err)
	}
	for token, want := range map[string]string{
		"user-token": "", "file:" + file: "",
		"other":          "credentials of the web identity token (--sts-web-token)",
		"file:/none/yet": "no such file",
	} {
		c, err := WebIdentity(t.Context(), url, token, nil)
		switch {
		case want != "":
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "user-token") {
				t.Errorf("%s: error %v, want %q", token, err, want)
			}
		case err != nil || c.AccessKey != "AKR" || c.SessionToken != "TKR" || c.Provider == nil:
			t.Errorf("%s: %v, %v", token, c, err)
		}
	}
}

func TestKeysAreNotPrinted(t *testing.T) {
	k := Credentials{AccessKey: "SECRETVALUE", SecretKey: "SECRETVALUE", SessionToken: "SECRETVALUE"}
	for _, f := range []string{"%v", "%+v", "%s", "%q", "%#v"} {
		if s := fmt.Sprintf(f, k); strings.Contains(s, "SECRETVALUE") {
			t.Errorf("%s prints %s", f, s)
		}
	}
}

func TestRegion(t *testing.T) {
	type m = map[string]string
	own := Credentials{AccessKey: "A", SecretKey: "S"}
	tests := []struct {
		given Credentials
		env   m
		want  string
	}{
		{Credentials{}, nil, "eu-west-1"},
		{Credentials{}, m{"AWS_PROFILE": "ci"}, "ap-south-1"},
		{Credentials{}, m{"AWS_DEFAULT_REGION": "d"}, "d"},
		{Credentials{}, m{"AWS_DEFAULT_REGION": "d", "AWS_REGION": "r"}, "r"},
		{Credentials{}, m{"AWS_CONFIG_FILE": "HOME/gone"}, ""},
		{own, nil, ""},
		{own, m{"AWS_REGION": "r"}, "r"},
		{Credentials{AccessKey: "A", SecretKey: "S", Region: "g"}, m{"AWS_REGION": "r"}, "g"},
	}
	for _, tc := range tests {
		inHome(t, tc.env)
		got, err := FindCredentials(t.Context(), tc.given)
		if got.Region != tc.want || err != nil {
			t.Errorf("%v: %q, %v; want %q", tc.env, got.Region, err, tc.want)
		}
		for name := range tc.env {
			t.Setenv(name, "")
		}
	}
}
