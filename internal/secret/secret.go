// Package secret lists what is secret: flags whose values are never recorded or printed, and variables of the environment that no
// file of a user may read.
package secret

import (
	"slices"
	"strings"
)

// Credentials are the flags with credentials of the store.
var Credentials = []string{"access-key", "secret-key", "session-token", "sts-web-token", "sas-token", "token"}

// receivers are the flags with addresses that may hold a login.
var receivers = []string{"otlp", "remote-write", "influxdb"}

// redacted stands in place of a secret.
const redacted = "*REDACTED*"

// Flag reports whether the value of a flag is secret.
func Flag(name string) bool {
	return slices.Contains(Credentials, name) || slices.Contains(receivers, name)
}

// settings are the flags NAME=VALUE whose value is not recorded: a variable of a scenario may be a password.
var settings = []string{"set", "var"}

// Redact returns the value of a flag as it may be recorded.
func Redact(flag, value string) string {
	switch {
	case Flag(flag):
		return redacted
	case slices.Contains(settings, flag):
		name, _, _ := strings.Cut(value, "=")
		return name + "=" + redacted
	}
	return value
}

// Redacts reports whether Redact changes the value of a flag.
func Redacts(flag string) bool { return Flag(flag) || slices.Contains(settings, flag) }

// words are what names of secret variables of warp hold.
var words = []string{"KEY", "TOKEN", "PASSWORD", "SECRET", "CREDENTIAL", "OTLP", "REMOTE_WRITE", "INFLUXDB"}

// Variable reports whether a variable of the environment holds a secret of warp, of AWS, of Azure or of Google. Some systems ignore case
// in names.
func Variable(name string) bool {
	name = strings.ToUpper(strings.TrimSpace(name))
	if strings.HasPrefix(name, "AWS_") || strings.HasPrefix(name, "AZURE_") || strings.HasPrefix(name, "GOOGLE_") {
		return true
	}
	flag, own := strings.CutPrefix(name, "WARP_")
	return own && (slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) }) ||
		slices.Contains(settings, strings.ToLower(flag)))
}
