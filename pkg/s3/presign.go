package s3

import (
	"fmt"
	"net/http"
	"time"

	"github.com/minio/minio-go/v7/pkg/signer"

	"warp/pkg/s3/exchange"
)

// Presign returns the query of a GET of an object that needs no other signature for a while.
func Presign(c *Config, host, key string, life time.Duration) ([]Param, error) {
	e, err := c.endpoint(host)
	if err != nil {
		return nil, fmt.Errorf("host %s: %w", host, err)
	}
	e.bucket.Path, e.bucket.RawPath = e.bucket.Path+"/"+key, string(exchange.AppendPath([]byte(e.bucket.EscapedPath()+"/"), key))
	req := http.Request{Method: http.MethodGet, URL: &e.bucket, Host: e.bucket.Host, Header: http.Header{}}
	signed := signer.PreSignV4(req, string(c.AccessKey), string(c.SecretKey), string(c.SessionToken), e.region, int64(life/time.Second))
	var params []Param
	for name, values := range signed.URL.Query() {
		params = append(params, Param{Name: name, Value: values[0]})
	}
	return params, nil
}
