package s3

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// Credentials are keys, and where they were found. Without AccessKey requests are anonymous.
type Credentials struct {
	AccessKey, SecretKey, SessionToken Secret
	Region                             string // that goes with them; empty: not said anywhere
	Source                             string // for people: "options", "environment", "profile NAME in FILE"; empty: none found
}

// FindCredentials finds the keys to use: those given (options and their variables), else AWS_ACCESS_KEY_ID and its
// companions, else the profile AWS_PROFILE (or "default") in the shared AWS files below home, which may be empty.
// Finding none is not an error. The region is that of AWS_REGION or AWS_DEFAULT_REGION; the region of a profile counts
// only for keys from it, because a profile says nothing about a server with other keys.
func FindCredentials(given Credentials, getenv func(string) string, readFile func(string) ([]byte, error), home string) (Credentials, error) {
	s := surroundings{getenv, readFile, home}
	c, err := s.keys(given)
	if err != nil {
		return Credentials{}, err
	}
	for _, name := range []string{"AWS_DEFAULT_REGION", "AWS_REGION"} {
		if r := getenv(name); r != "" {
			c.Region = r
		}
	}
	if given.Region != "" {
		c.Region = given.Region
	}
	return c, nil
}

// surroundings are the parts of the process in which credentials are looked for.
type surroundings struct {
	getenv   func(string) string
	readFile func(string) ([]byte, error)
	home     string
}

func (s surroundings) keys(given Credentials) (Credentials, error) {
	if given.AccessKey != "" || given.SecretKey != "" || given.SessionToken != "" {
		given.Source = "options"
		return given, given.complete("--access-key", "--secret-key")
	}
	c := Credentials{
		AccessKey:    Secret(s.getenv("AWS_ACCESS_KEY_ID")),
		SecretKey:    Secret(s.getenv("AWS_SECRET_ACCESS_KEY")),
		SessionToken: Secret(s.getenv("AWS_SESSION_TOKEN")),
		Source:       "environment",
	}
	if c.AccessKey != "" || c.SecretKey != "" {
		return c, c.complete("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
	}
	return s.profileKeys()
}

func (c Credentials) complete(access, secret string) error {
	switch {
	case c.AccessKey == "" && c.SecretKey == "":
		return fmt.Errorf("a session token is given without keys; give %s and %s as well", access, secret)
	case c.AccessKey == "":
		return fmt.Errorf("%s is given without %s; give both or neither", secret, access)
	case c.SecretKey == "":
		return fmt.Errorf("%s is given without %s; give both or neither", access, secret)
	}
	return nil
}

// profile is the profile to use, and whether somebody asked for it by name.
func (s surroundings) profile() (name string, asked bool) {
	if p := s.getenv("AWS_PROFILE"); p != "" {
		return p, true
	}
	return "default", false
}

func (s surroundings) configFile() string {
	return s.file("AWS_CONFIG_FILE", "config")
}

// file is the path in the variable, or that of an AWS file in the home directory; empty if there is neither.
func (s surroundings) file(variable, name string) string {
	if f := s.getenv(variable); f != "" {
		return f
	}
	if s.home == "" {
		return ""
	}
	return filepath.Join(s.home, ".aws", name)
}

func configSection(profile string) string {
	if profile == "default" {
		return profile
	}
	return "profile " + profile
}

// section reads one section of a file; nil if file or section do not exist.
func (s surroundings) section(file, name string) (map[string]string, error) {
	if file == "" {
		return nil, nil
	}
	text, err := s.readFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("AWS file: %w", err)
	}
	sections, err := parseINI(string(text))
	if err != nil {
		return nil, fmt.Errorf("AWS file %s: %w", file, err)
	}
	return sections[name], nil
}

func (s surroundings) profileKeys() (Credentials, error) {
	profile, asked := s.profile()
	places := []struct{ file, section string }{
		{s.file("AWS_SHARED_CREDENTIALS_FILE", "credentials"), profile},
		{s.configFile(), configSection(profile)},
	}
	known := false
	for _, p := range places {
		settings, err := s.section(p.file, p.section)
		if err != nil {
			return Credentials{}, err
		}
		known = known || settings != nil
		c := Credentials{
			AccessKey:    Secret(settings["aws_access_key_id"]),
			SecretKey:    Secret(settings["aws_secret_access_key"]),
			SessionToken: Secret(settings["aws_session_token"]),
			Region:       s.profileRegion(profile),
			Source:       fmt.Sprintf("profile %s in %s", profile, p.file),
		}
		if c.AccessKey != "" || c.SecretKey != "" {
			if err := c.complete("aws_access_key_id", "aws_secret_access_key"); err != nil {
				return Credentials{}, fmt.Errorf("%s: %w", c.Source, err)
			}
			return c, nil
		}
	}
	switch {
	case !asked:
		return Credentials{}, nil
	case known:
		return Credentials{}, fmt.Errorf("AWS profile %q holds no keys (roles and SSO are not followed); "+
			"export keys with: aws configure export-credentials --profile %s --format env", profile, profile)
	}
	return Credentials{}, fmt.Errorf("AWS profile %q (AWS_PROFILE) is in neither %s nor %s", profile, places[0].file, places[1].file)
}

func (s surroundings) profileRegion(profile string) string {
	settings, err := s.section(s.configFile(), configSection(profile))
	if err != nil {
		return "" // a broken file matters only where keys are looked for in it
	}
	return settings["region"]
}
