package target

import (
	"net/http"
	"net/url"
	"os"

	"github.com/minio/minio-go/v7/pkg/credentials"
)

// ssoRole is the role of a profile with SSO: its keys come from the portal for the token that "aws sso login" has left
// below the home directory. The token is only read; that tool renews it.
type ssoRole struct {
	credentials.FileAWSCredentials
	portal *url.URL // instead of Amazon's
}

// newSSORole returns the role of a profile. AWS_ENDPOINT_URL_SSO names a portal other than Amazon's.
func newSSORole(profile string) (credentials.Provider, error) {
	role := &ssoRole{FileAWSCredentials: credentials.FileAWSCredentials{Profile: profile}}
	text := os.Getenv("AWS_ENDPOINT_URL_SSO")
	if text == "" {
		return &role.FileAWSCredentials, nil
	}
	var err error
	role.portal, err = url.Parse(text)
	return role, err
}

// RetrieveWithCredContext gets keys.
func (r *ssoRole) RetrieveWithCredContext(cc *credentials.CredContext) (credentials.Value, error) {
	there := credentials.CredContext{Client: &http.Client{Timeout: findTimeout, Transport: toPortal{r.portal}, CheckRedirect: SameOrigin}}
	if cc != nil {
		there.Context, there.Endpoint = cc.Context, cc.Endpoint
	}
	return r.FileAWSCredentials.RetrieveWithCredContext(&there)
}

// Retrieve gets keys.
func (r *ssoRole) Retrieve() (credentials.Value, error) { return r.RetrieveWithCredContext(nil) }

// toPortal sends requests to a portal.
type toPortal struct{ *url.URL }

// RoundTrip sends a request.
func (p toPortal) RoundTrip(r *http.Request) (*http.Response, error) {
	there := r.Clone(r.Context())
	there.URL.Scheme, there.URL.Host, there.Host = p.Scheme, p.Host, p.Host
	return http.DefaultTransport.RoundTrip(there)
}
