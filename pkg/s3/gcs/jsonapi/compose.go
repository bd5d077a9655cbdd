package jsonapi

import (
	"context"
	"encoding/json"
	"net/http"

	"warp/pkg/s3"
	"warp/pkg/s3/exchange"
)

type composition struct {
	Sources     []component     `json:"sourceObjects"`
	Destination json.RawMessage `json:"destination"`
}

type component struct {
	Name string `json:"name"`
}

// Compose has the store join objects.
func (d *Dialect) Compose(ctx context.Context, s s3.Session, c *s3.Call, sources []string) error {
	asked := composition{Destination: d.upload.resource(c.Key, nil, c.Key)}
	for _, key := range sources {
		asked.Sources = append(asked.Sources, component{key})
	}
	text, err := json.Marshal(asked)
	if err != nil {
		return s3.InvalidRequest(err)
	}
	want := c.Size
	begin(c, http.MethodPost, s3.NoAccess)
	c.Path = exchange.AppendQuery([]byte(d.bucketOf(s, c).objects+"/"), c.Key)
	c.Path = append(c.Path, "/compose"...)
	c.Query = append(c.Query, ofObject)
	setJSON(c, text)
	c.Take = func(c *s3.Call, text []byte) ([]byte, error) { return checkedGeneration(c, text, want) }
	return s.Do(ctx, c)
}
