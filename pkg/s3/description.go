package s3

import "strings"

// Description is the store that a run measured, and how it was asked. It holds no secret. The zero value is S3.
type Description struct {
	Dialect string `json:"dialect"`               // as --store names it
	Name    string `json:"name"`                  // for people
	API     string `json:"api,omitempty"`         // of a store that has several
	Version string `json:"api_version,omitempty"` // of the API
	Auth    string `json:"auth,omitempty"`        // what proves who asks
}

// String is the store for people: "Azure Blob Storage (2023-11-03), SharedKey".
func (d *Description) String() string {
	if d.Dialect == "" {
		return "S3"
	}
	text := d.Name
	if api := strings.TrimSpace(d.API + " " + d.Version); api != "" {
		text += " (" + api + ")"
	}
	if d.Auth != "" {
		text += ", " + d.Auth
	}
	return text
}
