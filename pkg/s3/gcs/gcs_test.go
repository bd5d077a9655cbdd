package gcs

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"warp/pkg/op"
	"warp/pkg/s3"
)

func TestBilled(t *testing.T) {
	for class, kinds := range map[string][]op.Kind{
		"class-a": {op.Put, op.Copy, op.List, op.PutTags, op.DeleteTags, op.CreateBucket, "PUT:META"},
		"class-b": {op.Get, op.GetPart, op.Stat, op.GetTags, op.HeadBucket},
		"free":    {op.Delete, op.DeleteBucket},
	} {
		for _, k := range kinds {
			if got := billing.Class(k); got != class {
				t.Errorf("%s: %q, want %q", k, got, class)
			}
		}
		if !slices.Contains(billing.Classes, class) {
			t.Errorf("%q is not listed", class)
		}
	}
}

func TestDescribe(t *testing.T) {
	for want, cfg := range map[string]s3.Config{
		"Google Cloud Storage (json), bearer token": {Bearer: true, SessionToken: "t"},
		"Google Cloud Storage (json), HMAC":         {AccessKey: "a", SecretKey: "s"},
		"Google Cloud Storage (json), anonymous":    {},
	} {
		d := describe(&cfg, s3.APIJSON)
		if got := d.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, row := range []struct {
		status        int
		code, message string
		want          s3.Judgement
		class, text   string
	}{
		{404, "notFound", "No such object: b/k", s3.NotThere, "404 notFound", "No such object: b/k"},
		{404, "notFound", "The specified bucket does not exist.", s3.NoContainer, "404 notFound", ""},
		{404, "", "Not Found", s3.NotThere, "404 Not Found", ""},
		{409, "conflict", "You already own this bucket.", s3.Exists, "409 conflict", ""},
		{412, "conditionNotMet", "At least one of the pre-conditions did not hold.", 0, "412 conditionNotMet", ""},
		{
			429, "rateLimitExceeded",
			"The object b/k exceeded the rate limit for object mutation operations (create, update, and delete).",
			s3.Later, "429 rateLimitExceeded", nameLimit,
		},
		{403, "quotaExceeded", "", 0, "403 quotaExceeded", ""},
		{503, "", "", s3.Later, "503 Service Unavailable", ""},
		{501, "notImplemented", "", s3.Unknown, "501 notImplemented", ""},
	} {
		h := http.Header{"X-Guploader-Uploadid": {"id"}}
		r := &http.Response{StatusCode: row.status, Header: h, Body: io.NopCloser(strings.NewReader(""))}
		e := Error(r, row.code, row.message, true)
		if e.Class != row.class || e.RequestID != "id" || row.text != "" && e.Message != row.text {
			t.Errorf("%d %s: got %v", row.status, row.code, e)
		}
		for _, j := range []s3.Judgement{s3.NotThere, s3.NoContainer, s3.Exists, s3.Later, s3.Full, s3.Unknown} {
			if e.Says(j) != (j == row.want) {
				t.Errorf("%d %s %q: judgement %b: %v", row.status, row.code, row.message, j, e.Says(j))
			}
		}
	}
}
