package target

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestEndpoint: the store that the shared files name, with the precedence of AWS's own tools.
func TestEndpoint(t *testing.T) {
	const config = "[default]\nregion = x\n" +
		"[profile own]\nendpoint_url = http://own:9000\n" +
		"[profile services]\nservices = lab\nendpoint_url = http://own:9000\n" +
		"[services lab]\ndynamodb =\n  endpoint_url = http://tables:8000\ns3 =\n  max_concurrent_requests = 2\n  endpoint_url = http://lab:9000\nsqs =\n  endpoint_url = http://queues:1\n" +
		"[profile other]\nservices = tables\nendpoint_url = http://own:9000\n[services tables]\ndynamodb =\n  endpoint_url = http://tables:8000\n" +
		"[profile nested]\ns3 =\n  endpoint_url = http://of-a-plugin:1\n" +
		"[profile gone]\nservices = nowhere\n" +
		"[profile ignored]\nendpoint_url = http://own:9000\nignore_configured_endpoint_urls = true\n"
	for name, tc := range map[string]struct{ profile, ignore, want, source, err string }{
		"default":                {"", "", "", "", ""},
		"of the profile":         {"own", "", "http://own:9000", "AWS profile own", ""},
		"of its services":        {"services", "", "http://lab:9000", "services section lab of the AWS profile services", ""},
		"of other services":      {"other", "", "http://own:9000", "AWS profile other", ""},
		"nested in a profile":    {"nested", "", "", "", ""},
		"services that are gone": {"gone", "", "", "", `its services section "nowhere" is not in`},
		"ignored by the profile": {"ignored", "", "", "", ""},
		"ignored by a variable":  {"own", "TRUE", "", "", ""},
		"no more ignored":        {"ignored", "false", "http://own:9000", "AWS profile ignored", ""},
		"no such profile":        {"none", "", "", "", `"none" (AWS_PROFILE) is in neither`},
	} {
		t.Run(name, func(t *testing.T) {
			home := inHome(t, map[string]string{"AWS_PROFILE": tc.profile, "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": tc.ignore})
			if err := os.WriteFile(filepath.Join(home, ".aws", "config"), []byte(config), 0o600); err != nil {
				t.Fatal(err)
			}
			found, err := FindEndpoint(os.Getenv)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Fatalf("%v, want %q", err, tc.err)
				}
				return
			}
			if err != nil || found.URL != tc.want || tc.want != "" && found.Source != tc.source {
				t.Errorf("%+v, %v (want %q of %q)", found, err, tc.want, tc.source)
			}
			if ignored := IgnoresEndpoints(os.Getenv); ignored != strings.Contains(name, "ignored by") {
				t.Errorf("ignored: %v", ignored)
			}
		})
	}
}

// TestProcess: credential_process runs in a shell, with paths in quotes and without arguments; what goes wrong is said, without secrets.
func TestProcess(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the programs are scripts of sh")
	}
	const keys = `{"Version": 1, "AccessKeyId": "AKP", "SecretAccessKey": "SKP", "SessionToken": "TKP"}`
	for name, tc := range map[string]struct{ program, command, err string }{
		"without arguments": {"echo '" + keys + "'", "PATH", ""},
		"in quotes":         {"echo '" + keys + "'", `"PATH" an argument`, ""},
		"in quotes alone":   {"echo '" + keys + "'", `"PATH"`, ""},
		"of a shell":        {"echo '" + keys + "'", `X=1; test $X = 1 && "PATH"`, ""},
		"that fails":        {"echo SECRETVALUE; echo 'mfa token expired;' >&2; printf 'run \033login\n' >&2; exit 3", "PATH", "credential_process: exit status 3: mfa token expired; run login"},
		"without JSON":      {"echo SECRETVALUE", "PATH", "credential_process: its output is not the JSON that AWS specifies"},
		"another version":   {`echo '{"Version": 2, "SecretAccessKey": "SECRETVALUE"}'`, "PATH", "version 2 (want 1)"},
		"without keys":      {`echo '{"Version": 1}'`, "PATH", "no keys"},
		"a bad time":        {`echo '{"Version": 1, "AccessKeyId": "A", "SecretAccessKey": "SECRETVALUE", "Expiration": "x"}'`, "PATH", "its Expiration is no time"},
		"that is gone":      {"", "/no/such/program", "credential_process: exit status 127"},
	} {
		t.Run(name, func(t *testing.T) {
			home := inHome(t, map[string]string{"AWS_PROFILE": "p"})
			path := filepath.Join(home, "get-keys")
			command := tc.command
			if strings.HasPrefix(command, `"`) || strings.HasPrefix(command, "X") {
				path = filepath.Join(home, "my bin", "get-keys")
			}
			command = strings.ReplaceAll(command, "PATH", path)
			for file, text := range map[string]string{path: "#!/bin/sh\n" + tc.program + "\n", filepath.Join(home, ".aws", "config"): "[profile p]\ncredential_process = " + command + "\n"} {
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			c, err := FindCredentials(t.Context(), Credentials{})
			if tc.err == "" {
				if err != nil || c.AccessKey+c.SecretKey+c.SessionToken != "AKPSKPTKP" || c.Provider != nil {
					t.Errorf("%v, %v", err, c.Source)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tc.err) || strings.ContainsAny(err.Error(), "\x1b\n") || strings.Contains(err.Error(), "SECRETVALUE") {
				t.Errorf("%v, want %q", err, tc.err)
			}
		})
	}
	slow := &processKeys{command: "echo please wait >&2; sleep 600", limit: 500 * time.Millisecond}
	if _, err := slow.Retrieve(); err == nil || !strings.HasPrefix(err.Error(), "credential_process: no keys after 500ms") {
		t.Errorf("a program that hangs: %v", err)
	}
}

// TestTextOfCredentials: what reaches a header is trimmed, and refused with a control character in it, whatever the source.
func TestTextOfCredentials(t *testing.T) {
	type m = map[string]string
	for name, tc := range map[string]struct {
		env     m
		files   m      // below the home directory
		want    string // access secret token region
		trimmed string
		err     string
	}{
		"environment": {
			m{"AWS_ACCESS_KEY_ID": "A\n", "AWS_SECRET_ACCESS_KEY": "S", "AWS_SESSION_TOKEN": " T\r\n", "AWS_REGION": "r\n"},
			nil,
			"A S T r", "AWS_ACCESS_KEY_ID, AWS_SESSION_TOKEN, AWS_REGION", "",
		},
		"line break in the environment": {
			m{"AWS_ACCESS_KEY_ID": "SECRETVALUE\nX: y", "AWS_SECRET_ACCESS_KEY": "S"}, nil, "", "", "AWS_ACCESS_KEY_ID: it holds the control character U+000A after 11 bytes",
		},
		"region": {m{"AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "S", "AWS_DEFAULT_REGION": "a\rb"}, nil, "", "", "AWS_DEFAULT_REGION: it holds"},
		"only blanks": {
			m{"AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "\n"}, nil, "", "", "AWS_SECRET_ACCESS_KEY: it holds nothing but blanks",
		},
		"program": {
			m{"AWS_PROFILE": "process"},
			m{"process.json": `{"Version": 1, "AccessKeyId": "AKP\n", "SecretAccessKey": "SKP", "SessionToken": "T"}`},
			"AKP SKP T ", "access key in the credentials of the AWS profile process", "",
		},
		"line break from a program": {
			m{"AWS_PROFILE": "process"},
			m{"process.json": `{"Version": 1, "AccessKeyId": "AKP", "SecretAccessKey": "SECRETVALUE\nx"}`},
			"", "", "credentials of the AWS profile process: secret key: it holds the control character U+000A",
		},
	} {
		t.Run(name, func(t *testing.T) {
			home := inHome(t, tc.env)
			for path, text := range tc.files {
				if err := os.WriteFile(filepath.Join(home, path), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			c, err := FindCredentials(t.Context(), Credentials{})
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) || strings.Contains(err.Error(), "SECRETVALUE") {
					t.Fatalf("%v, want %q", err, tc.err)
				}
				return
			}
			got := string(c.AccessKey + " " + c.SecretKey + " " + c.SessionToken + " " + Secret(c.Region))
			if trimmed := strings.Join(c.Trimmed, ", "); err != nil || got != tc.want || trimmed != tc.trimmed {
				t.Errorf("%q, trimmed %q, %v (want %q, %q)", got, trimmed, err, tc.want, tc.trimmed)
			}
		})
	}
}
