package target

import (
	"fmt"
	"strings"
)

// Endpoint is a store that the shared AWS files name.
type Endpoint struct {
	URL    string
	Source string // for people
}

// FindEndpoint returns the store that the profile AWS_PROFILE, or else the default one, names: endpoint_url of s3 in its
// services section, or its own endpoint_url. The variables AWS_ENDPOINT_URL_S3 and AWS_ENDPOINT_URL, which count more, are
// not asked. No URL: none is named.
func FindEndpoint(getenv func(string) string) (Endpoint, error) {
	p, _, err := activeProfile()
	if err != nil || p == nil || ignores(p, getenv) {
		return Endpoint{}, err
	}
	url, err := p.s3Endpoint()
	if err != nil {
		return Endpoint{}, fmt.Errorf("AWS profile %s: %w", p.name, err)
	}
	if url != "" {
		return Endpoint{url, fmt.Sprintf("services section %s of the AWS profile %s", p.settings["services"], p.name)}, nil
	}
	return Endpoint{p.settings["endpoint_url"], "AWS profile " + p.name}, nil
}

// IgnoresEndpoints reports whether the environment or the profile has AWS's tools ignore all endpoints that are configured.
func IgnoresEndpoints(getenv func(string) string) bool {
	p, _, _ := activeProfile() // what is wrong with it is told when it is needed
	return ignores(p, getenv)
}

func ignores(p *profile, getenv func(string) string) bool {
	set := getenv("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS")
	if set == "" && p != nil {
		set = p.settings["ignore_configured_endpoint_urls"]
	}
	return strings.EqualFold(strings.TrimSpace(set), "true")
}

// s3Endpoint returns the endpoint of S3 in the services section that the profile names; empty if there is none.
func (p *profile) s3Endpoint() (string, error) {
	name := p.settings["services"]
	if name == "" {
		return "", nil
	}
	section, err := awsSection(configFile(), "services "+name)
	if err != nil {
		return "", err
	}
	if section == nil {
		return "", fmt.Errorf("its services section %q is not in %s", name, configFile())
	}
	for _, line := range section.Key("s3").NestedValues() {
		if key, value, _ := strings.Cut(line, "="); strings.EqualFold(strings.TrimSpace(key), "endpoint_url") {
			return strings.TrimSpace(value), nil
		}
	}
	return "", nil
}
