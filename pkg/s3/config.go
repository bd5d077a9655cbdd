package s3

import (
	"time"

	"warp/pkg/s3/lean"
)

// Header is a header of a request.
type Header = lean.Header

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

// Config says how to reach a store. It is plain data; its JSON holds no secret.
type Config struct {
	Hosts        []string                         `json:"hosts"` // host:port, expanded; see ExpandHosts
	AccessKey    Secret                           `json:"access_key,omitempty"`
	SecretKey    Secret                           `json:"secret_key,omitempty"`
	SessionToken Secret                           `json:"session_token,omitempty"`
	TLS          bool                             `json:"tls,omitempty"`
	Insecure     bool                             `json:"insecure,omitempty"` // do not verify the host's certificate
	Region       string                           `json:"region,omitempty"`
	Lookup       string                           `json:"lookup,omitempty"`      // "path", "host" or empty (by the name of the host)
	Signature    string                           `json:"signature,omitempty"`   // "S3V4" (default), "S3V2", "anonymous"
	HostSelect   string                           `json:"host_select,omitempty"` // "weighed" (default) or "roundrobin"
	Bucket       string                           `json:"bucket"`
	Encrypt      bool                             `json:"encrypt,omitempty"`      // SSE-C with a random key for the run; TLS only
	Engine       string                           `json:"engine,omitempty"`       // "lean", "sdk", or "auto" (default): lean unless an option needs the SDK
	Headers      []Header                         `json:"headers,omitempty"`      // sent with every Put, and signed: storage class, tags, metadata
	Names        map[string]string                `json:"names,omitempty"`        // by host: the host[:port] that it is asked as, where that is not the host itself; see ResolveHosts
	LocalAddr    string                           `json:"local_addr,omitempty"`   // IP address to connect from; empty: the system chooses
	NoKeepAlive  bool                             `json:"no_keepalive,omitempty"` // a new connection for every request
	Concurrency  int                              `json:"-"`                      // threads that will use the store; 0: not known
	Expect       bool                             `json:"expect,omitempty"`       // ask the server before the body of a Put is sent (Expect: 100-continue)
	DialTimeout  time.Duration                    `json:"dial_timeout,omitempty"` // longest wait for a connection, and again for its TLS handshake; 0: 10 seconds
	Timeout      time.Duration                    `json:"timeout,omitempty"`      // longest wait for an answer's head; 0: 2 minutes
	IdleTimeout  time.Duration                    `json:"idle_timeout,omitempty"` // longest silence in the middle of a body; 0: 2 minutes
	Retries      int                              `json:"retries,omitempty"`      // how often a failed request is sent again; each one is counted
	Debug        func(format string, args ...any) `json:"-"`                      // takes one line per request; nil: none
}
