package flags

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"warp/pkg/s3"
)

// TestCompat: what the plan has by --compat=minio, by scheme, signature and flags of the user.
func TestCompat(t *testing.T) {
	signed := s3.Uploads{PartSize: 16 << 20, Payload: s3.PayloadStreaming}
	for name, c := range map[string]struct {
		compat Compat
		target s3.Config
		ahead  bool
		given  []string
		want   s3.Uploads
	}{
		"none":           {target: s3.Config{Uploads: s3.Uploads{Checksum: "CRC32"}}, want: s3.Uploads{Checksum: "CRC32"}},
		"HTTP":           {compat: Compat{tool: "minio"}, want: signed},
		"TLS":            {compat: Compat{tool: "minio"}, target: s3.Config{TLS: true}, want: s3.Uploads{PartSize: 16 << 20}},
		"unsigned":       {compat: Compat{tool: "minio", unsigned: true}, want: s3.Uploads{PartSize: 16 << 20}},
		"whole":          {compat: Compat{tool: "minio", whole: true}, want: s3.Uploads{Payload: s3.PayloadStreaming}},
		"V2":             {compat: Compat{tool: "minio"}, target: s3.Config{Signature: "S3V2"}, want: s3.Uploads{PartSize: 16 << 20}},
		"anonymous":      {compat: Compat{tool: "minio"}, target: s3.Config{Signature: "anonymous"}, want: s3.Uploads{PartSize: 16 << 20}},
		"forms":          {compat: Compat{tool: "minio"}, ahead: true, want: s3.Uploads{PartSize: 16 << 20}},
		"own payload":    {compat: Compat{tool: "minio"}, given: []string{"payload"}, target: s3.Config{Uploads: s3.Uploads{Payload: "unsigned"}}, want: s3.Uploads{PartSize: 16 << 20, Payload: "unsigned"}},
		"own parts":      {compat: Compat{tool: "minio", whole: true}, given: []string{"part.put"}, target: s3.Config{Uploads: s3.Uploads{PartSize: 5}}, want: s3.Uploads{PartSize: 5, Payload: s3.PayloadStreaming}},
		"checksum":       {compat: Compat{tool: "minio"}, target: s3.Config{Uploads: s3.Uploads{Checksum: "CRC32"}}, want: s3.Uploads{PartSize: 16 << 20, Payload: s3.PayloadStreaming, Checksum: "CRC32", Trailer: true, Named: true}},
		"own header":     {compat: Compat{tool: "minio"}, given: []string{"checksum-trailer"}, target: s3.Config{Uploads: s3.Uploads{Checksum: "CRC32"}}, want: s3.Uploads{PartSize: 16 << 20, Payload: s3.PayloadStreaming, Checksum: "CRC32"}},
		"signed, header": {compat: Compat{tool: "minio"}, given: []string{"payload"}, target: s3.Config{Uploads: s3.Uploads{Checksum: "CRC32", Payload: "signed"}}, want: s3.Uploads{PartSize: 16 << 20, Payload: "signed", Checksum: "CRC32"}},
	} {
		c.compat.Apply(&c.target, 1, c.ahead, func(flag string) bool { return slices.Contains(c.given, flag) })
		if got := c.target.Uploads; !equalUploads(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	random := s3.Config{Uploads: s3.Uploads{Random: []s3.RandomHeader{{Name: "X-Amz-Meta-a", Parts: []s3.RandomPart{{Text: "b", Length: 20}}}}}}
	other := random
	minio := Compat{tool: "minio"}
	minio.Apply(&random, 1, true, func(string) bool { return false })
	minio.Apply(&other, 2, true, func(string) bool { return false })
	if len(random.Uploads.Random) > 0 || len(random.Headers) != 1 || len(random.Headers[0].Value) != 21 || !strings.HasPrefix(random.Headers[0].Value, "b") ||
		random.Headers[0].Value == other.Headers[0].Value {
		t.Errorf("%+v, and %+v", random, other)
	}
	if want := []string{"checksum", "head"}; !slices.Equal(slices.Sorted(maps.Keys(minio.Presets("append"))), want) || (&Compat{}).Presets("append") != nil {
		t.Errorf("%v", minio.Presets("append"))
	}
}

// equalUploads compares uploads without random headers.
func equalUploads(a, b s3.Uploads) bool {
	return a.Checksum == b.Checksum && a.Trailer == b.Trailer && a.Named == b.Named && a.Payload == b.Payload && a.PartSize == b.PartSize && a.Random == nil
}
