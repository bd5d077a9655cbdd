//go:build unix

package s3_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// spelled are responses by their spelling: as S3 has them unless there is another one.
type spelled map[string]request

func (s spelled) by(cfg *s3.Config) request {
	if r, ok := s[spelling(cfg)]; ok {
		return r
	}
	return s[s3.StoreS3]
}

// described is what Google's JSON interface says of an object.
func described(size int) request {
	return request{response: small(fmt.Sprintf("{\n  \"generation\": \"1795594363038512\",\n  \"size\": \"%d\"\n}\n", size), "Content-Type: application/json\r\n")}
}

// BenchmarkStoreCost measures what an operation costs the client with each kind of store and each way to prove who asks, compared
// with S3, by each engine.
func BenchmarkStoreCost(b *testing.B) {
	const etag = "ETag: \"0123456789abcdef0123456789abcdef\"\r\n"
	for _, row := range []struct {
		kind string
		size int
		says spelled
	}{
		{"get", 4 << 10, nil},
		{"put", 4 << 10, nil},
		{"stat", 4 << 10, spelled{s3.StoreS3: {response: etag + "Content-Length: 4096\r\n\r\n"}, s3.StoreGCS: described(4 << 10)}},
		{"delete", 4 << 10, spelled{s3.StoreS3: {status: "204 No Content", response: "\r\n"}, s3.StoreAzure: {status: "202 Accepted"}}},
		{"get", 10 << 20, nil},
		{"put", 10 << 20, nil},
	} {
		content := bytes.NewReader(make([]byte, row.size))
		switch row.kind {
		case "get":
			row.says = spelled{s3.StoreS3: {response: small(strings.Repeat("x", row.size), etag)}}
		case "put":
			made := small("", etag)
			row.says = spelled{s3.StoreS3: {response: made}, s3.StoreAzure: {response: made, status: "201 Created"}, s3.StoreGCS: described(row.size)}
		}
		for _, engine := range []string{"lean", "std"} {
			count := 500
			if row.size > 4<<10 {
				count = 2
			}
			b.Run(fmt.Sprintf("%s/%s/%d", engine, row.kind, row.size), func(b *testing.B) {
				compareStores(b, count, engine, row.says, func(ctx context.Context, s s3.Session, c *s3.Call) error {
					c.Size = int64(row.size)
					return perform(ctx, s, row.kind, c, content)
				})
			})
		}
	}
}

// compareStores compares an operation on all kinds of stores, with all ways to prove who asks.
func compareStores(b *testing.B, count int, engine string, says spelled, send func(context.Context, s3.Session, *s3.Call) error) {
	var requests []request
	for _, of := range everyProof() {
		r := says.by(&of.Config)
		r.name, r.cfg, r.send = strings.NewReplacer(",", "", " ", "-").Replace(of.Name), of.Config, send
		r.cfg.Engine = engine
		requests = append(requests, r)
	}
	compareCost(b, count, requests)
}

// BenchmarkListCost measures what a page of 1,000 entries costs the client with each kind of store: the same names, in the form that the
// store gives them.
func BenchmarkListCost(b *testing.B) {
	const (
		ofS3 = "<Contents><Key>%s</Key><LastModified>2026-11-27T03:50:00.000Z</LastModified><ETag>&quot;0123456789abcdef0123456789abcdef&quot;</ETag>" +
			"<Size>4096</Size><StorageClass>STANDARD</StorageClass></Contents>"
		ofAzure = "<Blob><Name>%s</Name><Properties><Creation-Time>Fri, 27 Nov 2026 03:50:00 GMT</Creation-Time>" +
			"<Last-Modified>Fri, 27 Nov 2026 03:50:00 GMT</Last-Modified><Etag>0x8DE2D4A0B1C2D3E</Etag><Content-Length>4096</Content-Length>" +
			"<Content-Type>application/octet-stream</Content-Type><Content-Encoding /><Content-Language /><Content-CRC64 />" +
			"<Content-MD5>YWJjZGVmZ2hpamtsbW5vcA==</Content-MD5><Cache-Control /><Content-Disposition /><BlobType>BlockBlob</BlobType>" +
			"<AccessTier>Hot</AccessTier><AccessTierInferred>true</AccessTierInferred><LeaseStatus>unlocked</LeaseStatus>" +
			"<LeaseState>available</LeaseState><ServerEncrypted>true</ServerEncrypted></Properties><OrMetadata /></Blob>"
		ofGoogle = "<Contents><Key>%s</Key><Generation>1795594363038512</Generation><MetaGeneration>1</MetaGeneration>" +
			"<LastModified>2026-11-27T03:50:00.000Z</LastModified><ETag>\"0123456789abcdef0123456789abcdef\"</ETag><Size>4096</Size></Contents>"
		ofJSON = "    {\n      \"name\": \"%s\",\n      \"size\": \"4096\"\n    }"
	)
	page := func(before, entry, between, after string) request {
		var entries []string
		for i := range 1000 {
			entries = append(entries, fmt.Sprintf(entry, fmt.Sprintf("prefix/%08d.abcdefghijkl", i)))
		}
		return request{response: small(before + strings.Join(entries, between) + after)}
	}
	const root = `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><EncodingType>url</EncodingType><IsTruncated>false</IsTruncated>`
	says := spelled{
		s3.StoreS3:    page(root, ofS3, "", "</ListBucketResult>"),
		s3.StoreAzure: page(`<?xml version="1.0" encoding="utf-8"?><EnumerationResults><Blobs>`, ofAzure, "", "</Blobs><NextMarker /></EnumerationResults>"),
		byXML:         page(root, ofGoogle, "", "</ListBucketResult>"),
		s3.StoreGCS:   page("{\n  \"items\": [\n", ofJSON, ",\n", "\n  ]\n}\n"),
	}
	var l ops.Listing
	compareStores(b, 10, "lean", says, func(ctx context.Context, s s3.Session, c *s3.Call) error {
		l.Reset()
		err := ops.List(ctx, s, c, &l)
		if err == nil && len(l.Entries) != 1000 {
			err = fmt.Errorf("%d entries", len(l.Entries))
		}
		return err
	})
}
