package connect

import (
	"net/http"

	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/azure"
	"warp/pkg/s3/exchange"
	"warp/pkg/s3/gcs/jsonapi"
	"warp/pkg/s3/gcs/xmlapi"
	"warp/pkg/s3/ops"
)

// Dialect returns the dialect of the store that a configuration describes, without a connection to it.
func Dialect(cfg *s3.Config) s3.Dialect {
	switch {
	case cfg.Store == s3.StoreAzure:
		return azure.New(cfg)
	case cfg.Store == s3.StoreGCS && cfg.API == s3.APIXML:
		return xmlapi.New(cfg)
	case cfg.Store == s3.StoreGCS:
		return jsonapi.New(cfg)
	}
	return amazon{}
}

// amazon is the dialect of S3.
type amazon struct{ ops.S3 }

func (amazon) Name() string { return s3.StoreS3 }

func (amazon) Title() string { return "S3" }

// Describe returns nothing: recordings name only other stores.
func (amazon) Describe() s3.Description { return s3.Description{} }

// Lacks returns what S3 has no request for. What a server does not have, it says when it is tried.
func (amazon) Lacks(v s3.Verb) string {
	if v == s3.Composing {
		return s3.LackMessage("S3", "request that joins objects")
	}
	return ""
}

func (amazon) Limits() s3.Limits {
	return s3.Limits{
		Entries: ops.MaxEntries, Deletions: ops.MaxEntries, Parts: 10_000, Part: 5 << 20, MaxPart: 5 << 30, Put: 5 << 30, Object: 5 << 40,
	}
}

var amazonBilling = s3.Billing{Classes: []string{"put", "get", "delete"}, Class: func(k op.Kind) string {
	switch f, _ := k.Facts(); f.Price {
	case op.PricePut:
		return "put"
	case op.PriceDelete:
		return "delete"
	}
	return "get"
}}

func (amazon) Billing() *s3.Billing { return &amazonBilling }

var amazonNames = s3.Names{
	Version:       "x-amz-version-id",
	ETag:          "etag",
	VersionParam:  "versionId",
	SourceVersion: "x-amz-copy-source-version-id",
	Success:       "status 200",
}

func (amazon) Names() *s3.Names { return &amazonNames }

func (amazon) Address(*exchange.Request, *s3.Call) {}

func (amazon) Headers(all []s3.Header, c *s3.Call) []s3.Header {
	if c.Source != "" {
		all = append(all, s3.Header{Name: "X-Amz-Copy-Source", Value: c.Source})
	}
	return s3.AppendConditions(all, c.If)
}

func (amazon) Common() []s3.Header { return nil }

func (amazon) Upload(name string) string { return name }

func (amazon) Error(r *http.Response) *s3.Error { return s3.ResponseError(r) }

// Fake is what sessions have in common that tests make up: the dialect of S3, and no bucket of their own.
type Fake struct{}

// Dialect is that of S3.
func (Fake) Dialect() s3.Dialect { return amazon{} }

// Bucket is the first one.
func (Fake) Bucket() int { return 0 }
