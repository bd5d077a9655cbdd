package metrics

import (
	"errors"
	"net/http"
	"net/url"

	"warp/internal/option"
)

// Form is the protocol of a receiver.
type Form string

// The forms.
const (
	OTLP        Form = "otlp"         // OpenTelemetry, protobuf over HTTP
	RemoteWrite Form = "remote-write" // Prometheus remote write 1.0
	InfluxDB    Form = "influxdb"     // InfluxDB 2 line protocol
)

// Receiver is where metrics are sent.
type Receiver struct {
	form   Form
	url    string
	shown  string // the URL without secrets
	header http.Header
	tags   map[string]string // of InfluxDB
}

// NewReceiver parses an address. A user and a password in it are sent as such, a user alone is a token. InfluxDB is addressed as MinIO warp
// does it: http://TOKEN@HOST:PORT/BUCKET/ORG?TAG=VALUE.
func NewReceiver(form Form, address string) (*Receiver, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("want a URL such as " + examples[form]) // without the address, which may hold a secret
	}
	r := &Receiver{form: form, header: make(http.Header), tags: make(map[string]string)}
	if user := u.User; user != nil {
		password, both := user.Password()
		switch {
		case form == InfluxDB && both:
			return nil, errors.New("a password is not sent to InfluxDB (want the token alone: " + examples[form] + ")")
		case form == InfluxDB:
			r.header.Set("Authorization", "Token "+user.Username())
		case both:
			req := http.Request{Header: r.header}
			req.SetBasicAuth(user.Username(), password)
		default:
			r.header.Set("Authorization", "Bearer "+user.Username())
		}
	}
	if option.CheckLine(r.header.Get("Authorization")) != nil {
		return nil, errors.New("the user or the password holds a control character (want one line of text)")
	}
	u.User = nil
	shown := *u
	shown.RawQuery, shown.Fragment = "", "" // which may hold a secret too
	r.shown = shown.String()
	switch {
	case form == InfluxDB:
		err = r.influx(u)
	case u.Path == "" || u.Path == "/":
		u.Path = paths[form]
	}
	for name, value := range contents[form] {
		r.header.Set(name, value)
	}
	r.url = u.String()
	return r, err
}

var (
	examples = map[Form]string{
		OTLP:        "http://localhost:4318",
		RemoteWrite: "http://localhost:9090/api/v1/write",
		InfluxDB:    "http://TOKEN@localhost:8086/BUCKET/ORG?TAG=VALUE",
	}
	paths    = map[Form]string{OTLP: "/v1/metrics", RemoteWrite: "/api/v1/write"}
	contents = map[Form]map[string]string{
		OTLP:        {"Content-Type": "application/x-protobuf"},
		RemoteWrite: {"Content-Type": "application/x-protobuf", "Content-Encoding": "snappy", "X-Prometheus-Remote-Write-Version": "0.1.0"},
		InfluxDB:    {"Content-Type": "text/plain; charset=utf-8"},
	}
)
