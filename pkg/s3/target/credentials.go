package target

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"
	"gopkg.in/ini.v1"
)

// Secret is a text that is never printed, logged or encoded.
type Secret string

const redacted = "*REDACTED*"

// String hides the secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return redacted
}

// GoString hides the secret.
func (s Secret) GoString() string { return s.String() }

// MarshalText hides the secret.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Provider gives keys that expire, and new ones in time. It is safe for concurrent use.
type Provider = credentials.Credentials

// Credentials are keys, and where they were found. Without AccessKey requests are anonymous.
type Credentials struct {
	AccessKey, SecretKey, SessionToken Secret
	Region                             string    // that goes with them; empty: not said anywhere
	Source                             string    // for people: "options", "environment", "profile NAME", ...; empty: none found
	Provider                           *Provider // renews the keys; nil: they do not expire
	Others                             []Key     // beside AccessKey and so on; see ReadKeys
}

const (
	findTimeout = 15 * time.Second
	ec2Timeout  = 2 * time.Second // where nothing says that this machine is one of EC2
)

// FindCredentials finds the keys to use: those given (options and their variables), else AWS_ACCESS_KEY_ID and its
// companions, the profile AWS_PROFILE, the web identity of a pod (AWS_WEB_IDENTITY_TOKEN_FILE), the default profile, the role of
// a container, that of an EC2 instance. Profiles may hold keys, a credential_process, SSO, or a role to assume.
// Finding none is not an error. The region is that of AWS_REGION or AWS_DEFAULT_REGION; the region of a profile counts
// only for keys from it, because a profile says nothing about a server with other keys.
func FindCredentials(ctx context.Context, given Credentials) (Credentials, error) {
	ctx, cancel := context.WithTimeout(ctx, findTimeout)
	defer cancel()
	c, err := find(ctx, given)
	if err != nil {
		return Credentials{}, err
	}
	c.Region = cmp.Or(given.Region, os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"), c.Region)
	return c, nil
}

// WebIdentity exchanges a web identity token (a JWT, or file:NAME, which is read again whenever the keys expire) for keys, at the
// STS of a server.
func WebIdentity(ctx context.Context, endpoint, token string, secure *tls.Config) (Credentials, error) {
	ctx, cancel := context.WithTimeout(ctx, findTimeout)
	defer cancel()
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = secure
	return retrieve(ctx, "web identity token (--sts-web-token)", &credentials.STSWebIdentity{
		Client:      &http.Client{Transport: transport, Timeout: findTimeout},
		STSEndpoint: endpoint,
		GetWebIDTokenExpiry: func() (*credentials.WebIdentityToken, error) {
			text := token
			if path, ok := strings.CutPrefix(token, "file:"); ok {
				b, err := os.ReadFile(path)
				if err != nil {
					return nil, err
				}
				text = strings.TrimSpace(string(b))
			}
			return &credentials.WebIdentityToken{Token: text}, nil
		},
	})
}

func find(ctx context.Context, given Credentials) (Credentials, error) {
	if given.AccessKey != "" || given.SecretKey != "" || given.SessionToken != "" {
		given.Source = "options"
		return given, given.complete("--access-key", "--secret-key")
	}
	c := Credentials{
		AccessKey:    Secret(os.Getenv("AWS_ACCESS_KEY_ID")),
		SecretKey:    Secret(os.Getenv("AWS_SECRET_ACCESS_KEY")),
		SessionToken: Secret(os.Getenv("AWS_SESSION_TOKEN")),
		Source:       "environment",
	}
	if c.AccessKey != "" || c.SecretKey != "" {
		return c, c.complete("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
	}
	name, asked := os.LookupEnv("AWS_PROFILE")
	if asked = asked && name != ""; !asked {
		name = "default"
	}
	p, err := loadProfile(name)
	if err != nil {
		return Credentials{}, err
	}
	switch role := roleProvider(); {
	case asked && p == nil:
		return Credentials{}, fmt.Errorf("AWS profile %q (AWS_PROFILE) is in neither %s nor %s", name, credentialsFile(), configFile())
	case !asked && role != nil && role.web:
		return retrieve(ctx, role.source, role.provider)
	case p != nil && (asked || p.hasKeys()):
		return p.retrieve(ctx)
	case role != nil:
		return retrieve(ctx, role.source, role.provider)
	}
	return ec2(ctx)
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

// retrieve gets the first keys of a provider.
func retrieve(ctx context.Context, source string, p credentials.Provider) (Credentials, error) {
	provider := credentials.New(p)
	v, err := provider.GetWithContext(&credentials.CredContext{Client: &http.Client{Timeout: findTimeout}, Context: ctx})
	if err == nil && (v.AccessKeyID == "" || v.SecretAccessKey == "") {
		err = errors.New("no keys")
	}
	if e := (*url.Error)(nil); errors.As(err, &e) {
		err = e.Err // its URL may hold a token
	}
	if err != nil {
		return Credentials{}, fmt.Errorf("credentials of the %s: %s", source, strings.Join(strings.Fields(err.Error()), " "))
	}
	c := Credentials{AccessKey: Secret(v.AccessKeyID), SecretKey: Secret(v.SecretAccessKey), SessionToken: Secret(v.SessionToken), Source: source}
	if !v.Expiration.IsZero() {
		c.Provider = provider
	}
	return c, nil
}

// role is what the environment says about the role of a pod or container.
type role struct {
	web      bool // by web identity
	source   string
	provider *credentials.IAM
}

// roleProvider is the role that the environment names; nil if there is none.
func roleProvider() *role {
	switch {
	case os.Getenv("AWS_WEB_IDENTITY_TOKEN_FILE") != "":
		return &role{true, "role " + os.Getenv("AWS_ROLE_ARN") + " (AWS_WEB_IDENTITY_TOKEN_FILE)", &credentials.IAM{Endpoint: os.Getenv("AWS_ENDPOINT_URL_STS")}}
	case os.Getenv("AWS_CONTAINER_CREDENTIALS_FULL_URI") != "", os.Getenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") != "":
		return &role{false, "container's role", &credentials.IAM{}}
	}
	return nil
}

// ec2 asks for the role of the machine, as if it were one of EC2. If it is not, nothing is found.
func ec2(ctx context.Context) (Credentials, error) {
	endpoint := os.Getenv("AWS_EC2_METADATA_SERVICE_ENDPOINT")
	if strings.EqualFold(os.Getenv("AWS_EC2_METADATA_DISABLED"), "true") {
		return Credentials{}, nil
	}
	if endpoint == "" {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, ec2Timeout)
		defer cancel()
	}
	c, err := retrieve(ctx, "instance's role", &credentials.IAM{Endpoint: endpoint})
	if err != nil && endpoint == "" {
		return Credentials{}, nil
	}
	return c, err
}

// profile is a profile of the shared AWS files.
type profile struct {
	name     string
	settings map[string]string // of both files, in lower case; those of the credentials file count
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
		if f.path == "" {
			continue
		}
		text, err := os.ReadFile(f.path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("AWS file: %w", err)
		}
		file, err := ini.LoadSources(ini.LoadOptions{InsensitiveKeys: true}, text)
		if err != nil { // its text would repeat the line, which may hold a secret
			return nil, fmt.Errorf("AWS file %s: it has a line that is neither [section] nor key = value", f.path)
		}
		section, err := file.GetSection(f.section)
		if err != nil {
			continue
		}
		if p == nil {
			p = &profile{name, map[string]string{}}
		}
		for key, value := range section.KeysHash() {
			p.settings[key] = value
		}
	}
	return p, nil
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
	c.Region = p.settings["region"]
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
			return &credentials.Static{Value: credentials.Value{AccessKeyID: access, SecretAccessKey: secret, SessionToken: p.settings["aws_session_token"]}}, nil
		}
		if p.settings["sso_role_name"] != "" {
			return newSSORole(p.name)
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
