package flags

import (
	"github.com/urfave/cli/v3"

	"warp/internal/option"
	"warp/pkg/generator"
	"warp/pkg/s3"
)

// Compat says whose requests and files a command makes where this warp's differ.
type Compat struct {
	tool            string
	whole, unsigned bool // see RequestFlags
}

// CompatRequests is the usage of --compat where requests are sent.
const CompatRequests = "`TOOL` send the requests of another tool: minio (MinIO warp)"

// compatMinIO stands for MinIO warp.
const compatMinIO = "minio"

// minioPartSize is the size above which MinIO warp uploads objects in parts, and of these parts.
const minioPartSize = 16 << 20

// Flags are those about the tool, below a heading of help.
func (c *Compat) Flags(category, usage string) []cli.Flag {
	return Categorize(category, []cli.Flag{&Choice{Values: Offered(compatMinIO), StringFlag: cli.StringFlag{
		Name:        "compat",
		Destination: &c.tool,
		Usage:       usage,
	}}})
}

// RequestFlags are flags of MinIO warp about its requests. They change nothing unless its requests are wanted.
func (c *Compat) RequestFlags() []cli.Flag {
	return Categorize(CatUploads, []cli.Flag{
		&cli.BoolFlag{Name: "disable-multipart", Destination: &c.whole, Hidden: true},
		&cli.BoolFlag{Name: "disable-sha256-payload", Destination: &c.unsigned, Hidden: true},
	})
}

// Check returns an error for an unknown tool.
func (c *Compat) Check() error {
	if c.tool == "" {
		return nil
	}
	return option.OneOf("compat", c.tool, compatMinIO)
}

// MinIO reports whether requests and files are like MinIO warp's.
func (c *Compat) MinIO() bool { return c.tool == compatMinIO }

// Presets are the flags that make requests of a benchmark like MinIO warp's, with their values.
func (c *Compat) Presets(benchmark string) map[string]string {
	switch {
	case !c.MinIO():
		return nil
	case benchmark == "get":
		return map[string]string{"access": generator.Independent}
	case benchmark == "list":
		return map[string]string{"fetch-owner": "true"}
	case benchmark == "delete":
		return map[string]string{"list-deleted": "true"}
	case benchmark == "multipart":
		return map[string]string{"parts": "200"}
	case benchmark == "multipart-put":
		return map[string]string{"parts": "100"}
	case benchmark == "append":
		return map[string]string{"head": "true", "checksum": "CRC64NVME"}
	}
	return nil
}

// Apply makes the requests to a target like MinIO warp's, as far as no flag of the user says otherwise. ahead says that uploads are
// signed before their contents are known.
func (c *Compat) Apply(t *s3.Config, seed uint64, ahead bool, isSet func(flag string) bool) {
	if !c.MinIO() {
		return
	}
	u := &t.Uploads
	if !c.whole && !isSet(partPut) {
		u.PartSize = minioPartSize
	}
	u.FixRandom(&t.Headers, seed)
	if ahead || t.Signature != "" && t.Signature != "S3V4" {
		return
	}
	if !t.TLS && !c.unsigned && !isSet("payload") {
		u.Payload = s3.PayloadStreaming
	}
	if u.Checksum != "" && u.Payload != s3.PayloadSigned && !isSet("checksum-trailer") {
		u.Trailer, u.Named = true, true
	}
}
