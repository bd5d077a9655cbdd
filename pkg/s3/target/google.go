package target

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

const (
	googleScheme = "gs://"
	googleHost   = "storage.googleapis.com"
)

// googleNames matches the names of Google's hosts of objects: the global one, hosts of buckets, and hosts of a place.
var googleNames = regexp.MustCompile(`(?i)^([a-z0-9._-]+\.)?(storage|[a-z0-9-]+-storage|storage\.[a-z0-9-]+\.rep)\.googleapis\.com$`)

// HasGoogleScheme reports whether hosts, as a person names them, have Google's scheme.
func HasGoogleScheme(spec string) bool { return strings.HasPrefix(spec, googleScheme) }

// IsGoogle reports whether hosts, as a person names them, are Google's.
func IsGoogle(spec string) bool {
	first, _, _ := strings.Cut(spec, ",")
	u, err := url.Parse(withScheme(first))
	return HasGoogleScheme(spec) || err == nil && googleNames.MatchString(u.Hostname())
}

// Google is where objects of Google Cloud Storage are.
type Google struct {
	Host     string // as ExpandHosts reads it
	Bucket   string // that the host names; empty: it names none
	Emulator string // variable that names the host, which wants no credentials; empty: it is a store
}

// FindGoogle reads hosts of Google: gs://BUCKET, or URLs. Without a URL an emulator may be named by the environment.
func FindGoogle(spec string, getenv func(string) string) (g Google, err error) {
	if spec != "" && !HasGoogleScheme(spec) {
		return Google{Host: spec}, nil
	}
	g.Bucket = strings.TrimSuffix(strings.TrimPrefix(spec, googleScheme), "/")
	switch {
	case strings.Contains(g.Bucket, ","):
		return g, errors.New("several buckets; name one, and more of them by --buckets")
	case strings.Contains(g.Bucket, "/"):
		return g, fmt.Errorf("%q: a path does not belong to gs://BUCKET; name it by --prefix", spec)
	}
	const variable = "STORAGE_EMULATOR_HOST"
	if host := getenv(variable); host != "" {
		g.Host, g.Emulator = strings.TrimSuffix(host, "/"), variable
		if !strings.Contains(host, "://") {
			g.Host = "http://" + g.Host
		}
		return g, nil
	}
	g.Host = "https://" + googleHost
	return g, nil
}

// ErrNoGoogle is the error of credentials that are nowhere.
var ErrNoGoogle = errors.New("no application default credentials")

// FindGoogleToken returns a token of Google's application default credentials: a file (GOOGLE_APPLICATION_CREDENTIALS, or that of
// gcloud), or the metadata server of the machine. Without any it is ErrNoGoogle.
func FindGoogleToken(ctx context.Context, getenv func(string) string) (Credentials, error) {
	ctx, cancel := context.WithTimeout(ctx, findTimeout)
	defer cancel()
	source := "default account of Google"
	if getenv("GOOGLE_APPLICATION_CREDENTIALS") != "" {
		source += " (GOOGLE_APPLICATION_CREDENTIALS)"
	}
	none := false
	c, err := BearerToken(ctx, source, func(ctx context.Context) (Token, error) {
		t, err := googleToken(ctx)
		none = errors.Is(err, ErrNoGoogle)
		return t, err
	})
	if none {
		return c, ErrNoGoogle
	}
	return c, err
}
