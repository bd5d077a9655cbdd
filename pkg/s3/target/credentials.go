package target

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"
	"warp/internal/input"
	"warp/internal/option"
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

// Credentials are keys, and where they were found. Without AccessKey and Bearer requests are anonymous.
type Credentials struct {
	AccessKey, SecretKey, SessionToken Secret
	Bearer                             bool      // SessionToken is a bearer token, and there are no keys
	Region                             string    // that goes with them; empty: not said anywhere
	Source                             string    // for people: "options", "environment", "profile NAME", ...; empty: none found
	Expires                            time.Time // zero: not known
	Provider                           *Provider // renews the keys; nil: they do not expire
	Others                             []Key     // in addition to AccessKey and so on; see ReadKeys
	Trimmed                            []string  // sources of texts that had blanks or line breaks at their ends
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
	ctx, cancel := context.WithTimeout(ctx, processTimeout+findTimeout)
	defer cancel()
	c, err := find(ctx, given)
	if err != nil {
		return Credentials{}, err
	}
	region, err := c.variables("AWS_REGION", "AWS_DEFAULT_REGION")
	c.Region = cmp.Or(given.Region, region, c.Region)
	return c, err
}

// FindRegion returns the region of the environment; empty if it names none.
func FindRegion() (region string, trimmed []string, err error) {
	var c Credentials
	region, err = c.variables("AWS_REGION", "AWS_DEFAULT_REGION")
	return region, c.Trimmed, err
}

// line returns a text that becomes part of a header.
func (c *Credentials) line(source, text string) (string, error) {
	line, trimmed, err := option.Line(text)
	if err != nil {
		return "", fmt.Errorf("%s: %w", source, err)
	}
	if trimmed {
		c.Trimmed = append(c.Trimmed, source)
	}
	return line, nil
}

// variables returns the first of the variables that is set; empty if none is.
func (c *Credentials) variables(names ...string) (string, error) {
	for _, name := range names {
		if text := os.Getenv(name); text != "" {
			return c.line(name, text)
		}
	}
	return "", nil
}

// WebIdentity exchanges a web identity token (a JWT, or file:NAME, which is read again whenever the keys expire) for keys, at the
// STS of a server.
func WebIdentity(ctx context.Context, endpoint, token string, secure *tls.Config) (Credentials, error) {
	ctx, cancel := context.WithTimeout(ctx, findTimeout)
	defer cancel()
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = secure
	return retrieve(ctx, "web identity token (--sts-web-token)", &credentials.STSWebIdentity{
		Client:      &http.Client{Transport: transport, Timeout: findTimeout, CheckRedirect: SameOrigin},
		STSEndpoint: endpoint,
		GetWebIDTokenExpiry: func() (*credentials.WebIdentityToken, error) {
			text := token
			if path, ok := strings.CutPrefix(token, "file:"); ok {
				b, err := input.Read(path, input.Short)
				if err != nil {
					return nil, err
				}
				text = strings.TrimSpace(string(b))
			}
			if err := option.CheckLine(text); err != nil {
				return nil, err
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
	c, err := environmentKeys()
	if err != nil {
		return Credentials{}, err
	}
	if c.AccessKey != "" || c.SecretKey != "" {
		return c, c.complete("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
	}
	p, asked, err := activeProfile()
	if err != nil {
		return Credentials{}, err
	}
	switch role := roleProvider(); {
	case !asked && role != nil && role.web:
		return role.retrieve(ctx)
	case p != nil && (asked || p.hasKeys()):
		return p.retrieve(ctx)
	case role != nil:
		return role.retrieve(ctx)
	}
	return ec2(ctx)
}

// environmentKeys returns the keys that the environment holds.
func environmentKeys() (Credentials, error) {
	c := Credentials{Source: "environment"}
	var errs []error
	for _, v := range []struct {
		name string
		to   *Secret
	}{{"AWS_ACCESS_KEY_ID", &c.AccessKey}, {"AWS_SECRET_ACCESS_KEY", &c.SecretKey}, {"AWS_SESSION_TOKEN", &c.SessionToken}} {
		text, err := c.variables(v.name)
		*v.to, errs = Secret(text), append(errs, err)
	}
	return c, errors.Join(errs...)
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
	return retrieveWith(ctx, source, &checkedProvider{Provider: p})
}

// retrieveWith is retrieve for a provider that is checked.
func retrieveWith(ctx context.Context, source string, checked *checkedProvider) (Credentials, error) {
	checked.source = "credentials of the " + source
	provider := credentials.New(checked)
	client := &http.Client{Timeout: findTimeout, CheckRedirect: SameOrigin}
	v, err := provider.GetWithContext(&credentials.CredContext{Client: client, Context: ctx})
	if err == nil && !checked.bearer && (v.AccessKeyID == "" || v.SecretAccessKey == "") {
		err = errors.New("no keys")
	}
	if e := (*url.Error)(nil); errors.As(err, &e) {
		err = e.Err // its URL may hold a token
	}
	if err != nil {
		return Credentials{}, fmt.Errorf("credentials of the %s: %s", source, strings.Join(strings.Fields(err.Error()), " "))
	}
	c := Credentials{
		AccessKey:    Secret(v.AccessKeyID),
		SecretKey:    Secret(v.SecretAccessKey),
		SessionToken: Secret(v.SessionToken),
		Source:       source,
		Trimmed:      checked.trimmed,
		Expires:      v.Expiration,
	}
	if !v.Expiration.IsZero() {
		c.Provider = provider
	}
	return c, nil
}

// checkedProvider checks that no key can break a header, renewed keys too.
type checkedProvider struct {
	credentials.Provider
	source  string
	token   *roleToken // with which the provider asks; nil: none
	bearer  bool       // it gives bearer tokens, and no keys
	trimmed []string   // sources, of the first keys
	asked   bool
}

// RetrieveWithCredContext gets keys.
func (p *checkedProvider) RetrieveWithCredContext(cc *credentials.CredContext) (credentials.Value, error) {
	var c Credentials
	if p.token != nil {
		if err := p.token.check(&c); err != nil {
			return credentials.Value{}, err
		}
	}
	v, err := p.Provider.RetrieveWithCredContext(cc)
	if err != nil {
		return v, err
	}
	for _, part := range []struct {
		name string
		text *string
	}{{"access key", &v.AccessKeyID}, {"secret key", &v.SecretAccessKey}, {"session token", &v.SessionToken}} {
		line, trimmed, err := option.Line(*part.text)
		if err != nil {
			return credentials.Value{}, fmt.Errorf("%s: %w", part.name, err)
		}
		if *part.text = line; trimmed {
			c.Trimmed = append(c.Trimmed, part.name+" in the "+p.source)
		}
	}
	if !p.asked {
		p.asked, p.trimmed = true, c.Trimmed
	}
	return v, nil
}

// Retrieve gets keys.
func (p *checkedProvider) Retrieve() (credentials.Value, error) {
	return p.RetrieveWithCredContext(nil)
}

// role is what the environment says about the role of a pod or container.
type role struct {
	web      bool // by web identity
	source   string
	endpoint string
	token    *roleToken
}

// retrieve gets the first keys.
func (r *role) retrieve(ctx context.Context) (Credentials, error) {
	client := &http.Client{Timeout: findTimeout, CheckRedirect: SameOrigin, Transport: oneLine{}}
	return retrieveWith(ctx, r.source, &checkedProvider{Provider: &credentials.IAM{Endpoint: r.endpoint, Client: client}, token: r.token})
}

// roleProvider is the role that the environment names; nil if there is none.
func roleProvider() *role {
	switch {
	case os.Getenv("AWS_WEB_IDENTITY_TOKEN_FILE") != "":
		return &role{
			web:      true,
			source:   "role " + strings.TrimSpace(os.Getenv("AWS_ROLE_ARN")) + " (AWS_WEB_IDENTITY_TOKEN_FILE)",
			endpoint: os.Getenv("AWS_ENDPOINT_URL_STS"),
			token:    &roleToken{"AWS_WEB_IDENTITY_TOKEN_FILE", true},
		}
	case os.Getenv("AWS_CONTAINER_CREDENTIALS_FULL_URI") != "", os.Getenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") != "":
		return &role{source: "container's role", token: containerToken()}
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
