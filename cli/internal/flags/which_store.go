package flags

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"warp/internal/embedded"
	"warp/internal/option"
	"warp/pkg/s3"
	"warp/pkg/s3/target"
	"warp/pkg/units"
)

// CheckHost refuses an empty --host, which is rather a variable of a shell that was not set than a wish for the embedded server.
func CheckHost(hosts string) error {
	if strings.TrimSpace(hosts) == "" {
		return errors.New("want one or more hosts; without --host, the embedded server is measured")
	}
	return nil
}

// named returns the store that flags, environment or the AWS profile name. Without a URL, none does.
func (t *Target) named() (target.Endpoint, error) {
	if t.Host != "" || t.Recorded {
		return target.Endpoint{URL: t.Host}, nil
	}
	if t.env.Empty("WARP_HOST") {
		return target.Endpoint{}, errors.New("WARP_HOST: invalid value \"\" (want one or more hosts; unset it to measure the embedded server)")
	}
	if t.store == s3.StoreAzure || t.store == s3.StoreGCS {
		return target.Endpoint{}, nil
	}
	found, err := target.FindEndpoint(t.env.Getenv)
	if err == nil && found.URL != "" {
		t.env.Notice(fmt.Sprintf("Host: %s, by the %s.", found.URL, found.Source))
	}
	return found, err
}

// CheckStore is an error if nothing names a store, but keys say that one is meant. It tells of variables that were meant to name one.
func (t *Target) CheckStore(c *s3.Config) error {
	t.env.WarnUnread()
	if len(c.Hosts) > 0 {
		return nil
	}
	given := t.givenKeys()
	if profile := os.Getenv("AWS_PROFILE"); profile != "" {
		given = append(given, "AWS_PROFILE")
	}
	if len(given) == 0 || t.Host != "" { // what is wrong with hosts is said already
		return nil
	}
	return option.Errorf("host", "missing value: keys are given by %s (set --host, WARP_HOST or endpoint_url of the AWS profile; "+
		"without keys, the embedded server is measured)", strings.Join(given, ", "))
}

// givenKeys returns which flags and variables of ours give keys.
func (t *Target) givenKeys() (names []string) {
	for _, k := range []struct{ flag, value string }{
		{"credentials-file", t.keyFile},
		{"access-key", t.access},
		{"secret-key", t.secret},
		{"session-token", t.session},
		{"sts-web-token", t.WebToken},
		{"sas-token", t.sas},
		{"token", t.token},
	} {
		if k.value != "" {
			names = append(names, t.env.Origin(k.flag, k.value))
		}
	}
	return names
}

// checkTexts checks what becomes part of headers.
func (t *Target) checkTexts() (errs []error) {
	for _, f := range []struct {
		flag  string
		value *string
	}{
		{"access-key", &t.access},
		{"secret-key", &t.secret},
		{"session-token", &t.session},
		{"sas-token", &t.sas},
		{"token", &t.token},
		{"sts-web-token", &t.WebToken},
		{"region", &t.Region},
	} {
		if err := t.env.Line(t.env.Origin(f.flag, *f.value), f.value); err != nil {
			errs = append(errs, err)
			*f.value = units.Line(*f.value) // reported once
		}
	}
	return errs
}

// warnTrimmed tells of texts that were taken without what they had at their ends.
func (t *Target) warnTrimmed(sources []string) {
	for _, source := range sources {
		t.env.Notice(option.TrimmedText(source))
	}
}

// embeddedErrors returns which options the embedded server cannot honour.
func (t *Target) embeddedErrors(c *s3.Config) (errs []error) {
	if t.Recorded {
		return nil
	}
	if !embedded.Built {
		errs = append(errs, option.Errorf("host", "missing value: %w", embedded.ErrNotBuilt))
	}
	if t.keyFile != "" {
		errs = append(errs, option.Errorf("credentials-file", "the embedded server has one key; name a server with --host"))
	}
	if t.http2 {
		errs = append(errs, option.Errorf("http2", "the embedded server has no TLS; name a server with --host"))
	}
	if t.encrypt {
		errs = append(errs, option.Errorf("encrypt", "the embedded server has no TLS and ignores SSE-C; name a server with --host"))
	}
	if c.Uploads.Encryption != "" {
		errs = append(errs, option.Errorf("sse-s3, sse-kms", "the embedded server does not encrypt; name a server with --host"))
	}
	if t.Lookup == "host" {
		errs = append(errs, option.Errorf("lookup",
			"the embedded server has an IP address, which a bucket cannot be part of; use --lookup=path, or name a server with --host"))
	}
	return errs
}
