package s3

import (
	"encoding/json"
	"testing"
)

func TestDescription(t *testing.T) {
	for _, c := range []struct {
		d        Description
		text, js string
	}{
		{Description{}, "S3", `{}`},
		{
			Description{Dialect: StoreAzure, Name: "Azure Blob Storage", Version: "2023-11-03", Auth: "SharedKey"},
			"Azure Blob Storage (2023-11-03), SharedKey",
			`{"store":{"dialect":"azure","name":"Azure Blob Storage","api_version":"2023-11-03","auth":"SharedKey"}}`,
		},
		{
			Description{Dialect: "gcs", Name: "Google Cloud Storage", API: "JSON", Version: "v1"},
			"Google Cloud Storage (JSON v1)",
			`{"store":{"dialect":"gcs","name":"Google Cloud Storage","api":"JSON","api_version":"v1"}}`,
		},
		{Description{Dialect: "x", Name: "X", API: "XML", Auth: "token"}, "X (XML), token", `{"store":{"dialect":"x","name":"X","api":"XML","auth":"token"}}`},
	} {
		js, err := json.Marshal(struct {
			Store Description `json:"store,omitzero"`
		}{c.d})
		if err != nil || c.d.String() != c.text || string(js) != c.js {
			t.Errorf("%+v: %q, %s (%v)", c.d, c.d.String(), js, err)
		}
	}
}
