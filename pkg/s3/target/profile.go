package target

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/minio/minio-go/v7/pkg/credentials"
	"gopkg.in/ini.v1"

	"warp/internal/input"
)

// profile is a profile of the shared AWS files.
type profile struct {
	name     string
	settings map[string]string // of both files, in lower case; the credentials file wins
}

func credentialsFile() string { return awsFile("AWS_SHARED_CREDENTIALS_FILE", "credentials") }

func configFile() string { return awsFile("AWS_CONFIG_FILE", "config") }

// awsFile is the path in the variable, or that of an AWS file in the home directory; empty if there is neither.
func awsFile(variable, name string) string {
	if f := os.Getenv(variable); f != "" {
		return f
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".aws", name)
}

// loadProfile reads a profile; nil if it is in neither file.
func loadProfile(name string) (*profile, error) {
	var p *profile
	for _, f := range []struct{ path, section string }{{configFile(), "profile " + name}, {configFile(), name}, {credentialsFile(), name}} {
		section, err := awsSection(f.path, f.section)
		if err != nil {
			return nil, err
		}
		if section == nil {
			continue
		}
		if p == nil {
			p = &profile{name, map[string]string{}}
		}
		for key, value := range section.KeysHash() {
			if key != "credential_process" { // whose quotes are for the shell
				value = unquoted(value)
			}
			p.settings[key] = value
		}
	}
	return p, nil
}

// unquoted returns a value without the quotes around it.
func unquoted(value string) string {
	if n := len(value); n > 1 && value[0] == value[n-1] && (value[0] == '"' || value[0] == '\'') {
		return value[1 : n-1]
	}
	return value
}

// activeProfile returns the profile that AWS_PROFILE asks for, or else the default one; nil if there is none.
func activeProfile() (p *profile, asked bool, err error) {
	name := os.Getenv("AWS_PROFILE")
	asked = name != ""
	p, err = loadProfile(cmp.Or(name, "default"))
	if err == nil && asked && p == nil {
		err = fmt.Errorf("AWS profile %q (AWS_PROFILE) is in neither %s nor %s", name, credentialsFile(), configFile())
	}
	return p, asked, err
}

// awsSection returns a section of an AWS file; nil if there is none.
func awsSection(path, name string) (*ini.Section, error) {
	if path == "" {
		return nil, nil
	}
	text, err := input.Read(path, input.Short)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("AWS file: %w", err)
	}
	file, err := ini.LoadSources(ini.LoadOptions{
		InsensitiveKeys:          true,
		AllowNestedValues:        true,
		SpaceBeforeInlineComment: true,
		PreserveSurroundedQuote:  true,
	}, text)
	if err != nil { // its text would repeat the line, which may hold a secret
		return nil, fmt.Errorf("AWS file %s: it has a line that is neither [section] nor key = value", path)
	}
	section, err := file.GetSection(name)
	if err != nil {
		return nil, nil //nolint:nilerr // it says that there is none
	}
	return section, nil
}

// hasKeys reports whether the profile says how to get keys.
func (p *profile) hasKeys() bool {
	for _, key := range []string{"aws_access_key_id", "aws_secret_access_key", "role_arn", "credential_process", "sso_role_name"} {
		if p.settings[key] != "" {
			return true
		}
	}
	return false
}

// retrieve gets keys by way of the profile.
func (p *profile) retrieve(ctx context.Context) (Credentials, error) {
	provider, err := p.provider(ctx, 0)
	source := "AWS profile " + p.name
	if err != nil {
		return Credentials{}, fmt.Errorf("credentials of the %s: %w", source, err)
	}
	c, err := retrieve(ctx, source, provider)
	if err != nil {
		return c, err
	}
	c.Region, err = c.line("region of the "+source, p.settings["region"])
	return c, err
}

// maxRoles is how many profiles may lead to each other.
const maxRoles = 5

// provider is what gives the keys of the profile. A role is assumed with the keys of another one.
func (p *profile) provider(ctx context.Context, depth int) (credentials.Provider, error) {
	arn, source := p.settings["role_arn"], p.settings["source_profile"]
	switch {
	case arn == "" || depth > 0 && p.settings["aws_access_key_id"] != "":
		if p.settings["sso_session"]+p.settings["sso_start_url"] != "" && !p.hasKeys() {
			return nil, errors.New("SSO without sso_role_name")
		}
		if !p.hasKeys() {
			return nil, errors.New("it holds neither keys, nor role_arn, credential_process or SSO")
		}
		access, secret := p.settings["aws_access_key_id"], p.settings["aws_secret_access_key"]
		if access != "" && secret != "" {
			v := credentials.Value{AccessKeyID: access, SecretAccessKey: secret, SessionToken: p.settings["aws_session_token"]}
			return &credentials.Static{Value: v}, nil
		}
		if p.settings["sso_role_name"] != "" {
			return newSSORole(p.name)
		}
		if command := p.settings["credential_process"]; command != "" && access == "" && secret == "" {
			return &processKeys{command: command, limit: processTimeout}, nil
		}
		return &credentials.FileAWSCredentials{Profile: p.name}, nil
	case source == "":
		return nil, errors.New("it has a role_arn without a source_profile, whose keys assume it")
	case depth == maxRoles:
		return nil, fmt.Errorf("more than %d profiles lead to each other", maxRoles)
	}
	from := p
	if source != p.name {
		var err error
		if from, err = loadProfile(source); err != nil {
			return nil, err
		}
		if from == nil {
			return nil, fmt.Errorf("its source_profile %q does not exist", source)
		}
	}
	base, err := from.provider(ctx, depth+1)
	if err != nil {
		return nil, fmt.Errorf("source_profile %q: %w", source, err)
	}
	region := cmp.Or(p.settings["region"], "us-east-1")
	return &assumedRole{base: credentials.New(base), sts: credentials.STSAssumeRole{
		STSEndpoint: cmp.Or(os.Getenv("AWS_ENDPOINT_URL_STS"), "https://sts."+region+".amazonaws.com"),
		Options: credentials.STSAssumeRoleOptions{
			RoleARN: arn, RoleSessionName: cmp.Or(p.settings["role_session_name"], "warp"), ExternalID: p.settings["external_id"], Location: region,
		},
	}}, nil
}

// assumedRole is a role that the keys of another provider assume, which may expire as well.
type assumedRole struct {
	base *credentials.Credentials
	sts  credentials.STSAssumeRole
}

// RetrieveWithCredContext assumes the role.
func (r *assumedRole) RetrieveWithCredContext(cc *credentials.CredContext) (credentials.Value, error) {
	v, err := r.base.GetWithContext(cc)
	if err != nil {
		return v, err
	}
	o := &r.sts.Options
	o.AccessKey, o.SecretKey, o.SessionToken = v.AccessKeyID, v.SecretAccessKey, v.SessionToken
	return r.sts.RetrieveWithCredContext(cc)
}

// Retrieve assumes the role.
func (r *assumedRole) Retrieve() (credentials.Value, error) { return r.RetrieveWithCredContext(nil) }

// IsExpired reports whether new keys are due.
func (r *assumedRole) IsExpired() bool { return r.sts.IsExpired() }
