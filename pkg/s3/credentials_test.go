package s3

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

var awsFiles = map[string]string{
	filepath.Join("/home/u", ".aws", "credentials"): "; mine\n[default]\naws_access_key_id = AKD\naws_secret_access_key=SKD+/= # old\n\n" +
		"[ci]\nAWS_ACCESS_KEY_ID=AKC\naws_secret_access_key=SKC\naws_session_token=TKC\n[half]\naws_access_key_id=AKH\n",
	filepath.Join("/home/u", ".aws", "config"): "[default]\nregion = eu-west-1\ns3 =\n  max_concurrent_requests = 20\n" +
		"[profile ci]\nregion=ap-south-1\n[profile sso]\nsso_start_url=https://x\n[profile cfg]\naws_access_key_id=AKF\naws_secret_access_key=SKF\n",
	"/broken": "[default\n",
	"/stray":  "aws_secret_access_key = SECRETVALUE\n",
	"/junk":   "[default]\nSECRETVALUE\n",
}

func find(given Credentials, env map[string]string) (Credentials, error) {
	return FindCredentials(given, func(k string) string { return env[k] }, files(awsFiles), "/home/u")
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
		{"default profile", Credentials{}, nil, "AKD SKD+/= ", "profile default", ""},
		{"named profile", Credentials{}, m{"AWS_PROFILE": "ci"}, "AKC SKC TKC", "profile ci", ""},
		{"profile in config", Credentials{}, m{"AWS_PROFILE": "cfg"}, "AKF SKF ", "profile cfg", ""},
		{"half profile", Credentials{}, m{"AWS_PROFILE": "half"}, "", "", "aws_access_key_id is given without aws_secret_access_key"},
		{"no keys in profile", Credentials{}, m{"AWS_PROFILE": "sso"}, "", "", "export-credentials"},
		{"unknown profile", Credentials{}, m{"AWS_PROFILE": "none"}, "", "", "is in neither"},
		{"other file", Credentials{}, m{"AWS_SHARED_CREDENTIALS_FILE": "/gone", "AWS_CONFIG_FILE": "/gone"}, "  ", "", ""},
		{"broken file", Credentials{}, m{"AWS_SHARED_CREDENTIALS_FILE": "/broken"}, "", "", "line 1"},
		{"stray setting", Credentials{}, m{"AWS_SHARED_CREDENTIALS_FILE": "/stray"}, "", "", "line 1"},
		{"junk", Credentials{}, m{"AWS_SHARED_CREDENTIALS_FILE": "/junk"}, "", "", "line 2"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			k, err := find(tc.given, tc.env)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Fatalf("error %v, want %q", err, tc.err)
				}
				if strings.Contains(err.Error(), "SECRETVALUE") {
					t.Errorf("a secret is in the error: %v", err)
				}
				return
			}
			got := fmt.Sprintf("%s %s %s", string(k.AccessKey), string(k.SecretKey), string(k.SessionToken))
			if err != nil || got != tc.want || !strings.HasPrefix(k.Source, tc.source) || tc.source == "" && k.Source != "" {
				t.Errorf("%q from %q, %v; want %q from %q", got, k.Source, err, tc.want, tc.source)
			}
		})
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

func TestNoHome(t *testing.T) {
	if k, err := FindCredentials(Credentials{}, func(string) string { return "" }, files(nil), ""); err != nil || k != (Credentials{}) {
		t.Errorf("%v, %v; want anonymous", k, err)
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
		{Credentials{}, m{"AWS_CONFIG_FILE": "/gone"}, ""},
		{Credentials{}, m{"AWS_CONFIG_FILE": "/broken"}, ""},
		{own, nil, ""},
		{own, m{"AWS_REGION": "r"}, "r"},
		{Credentials{AccessKey: "A", SecretKey: "S", Region: "g"}, m{"AWS_REGION": "r"}, "g"},
	}
	for _, tc := range tests {
		if got, err := find(tc.given, tc.env); got.Region != tc.want || err != nil {
			t.Errorf("%v: %q, %v; want %q", tc.env, got.Region, err, tc.want)
		}
	}
}

func FuzzParseINI(f *testing.F) {
	for _, text := range awsFiles {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		sections, err := parseINI(text)
		if err != nil {
			return
		}
		for name, s := range sections {
			for k, v := range s {
				if strings.ContainsAny(name+k+v, "\n") || k != strings.ToLower(k) {
					t.Errorf("[%q] %q = %q", name, k, v)
				}
			}
		}
	})
}
