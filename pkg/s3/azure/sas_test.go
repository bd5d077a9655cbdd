package azure

import (
	"strings"
	"testing"
	"time"

	"warp/pkg/s3"
	"warp/pkg/s3/exchange"
	"warp/pkg/s3/ops"
)

// emulator are the keys of Azure's emulator, which its documentation publishes.
var emulator = exchange.Keys{
	Scheme: exchange.SharedKey,
	Access: "devstoreaccount1",
	Secret: "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
}

// TestSignText has signatures that the emulator accepts: of an account, and of a blob.
func TestSignText(t *testing.T) {
	key, err := emulator.AccountKey()
	if err != nil {
		t.Fatal(err)
	}
	blob := serviceSAS{"r", "2030-01-01T00:00:00Z", "devstoreaccount1", "vec", "a/b c", ""}
	for _, tc := range []struct{ text, want string }{
		{"devstoreaccount1\nrwdlac\nb\nsco\n\n2030-01-01T00:00:00Z\n\n\n2023-11-03\n\n", "5kY/KRfaDtgeEjaZB3WFL4Ac04JM3MoR3baczhboKns="},
		{blob.text(), "bO8BARAzRpfBEf45FiG6Husf4Y5+JbIKqZ5PJueQBg4="},
	} {
		if got := signText(key, tc.text); got != tc.want {
			t.Errorf("%q: %s, want %s", tc.text, got, tc.want)
		}
	}
}

func TestPresign(t *testing.T) {
	d := New(&s3.Config{Bucket: "vec"})
	q := exchange.Request{}
	err := d.Presign(&q, &s3.Call{Method: "GET", Key: "a/b c"}, &emulator, time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC))
	const want = "se=2030-01-01T00%3A00%3A00Z&sig=bO8BARAzRpfBEf45FiG6Husf4Y5%2BJbIKqZ5PJueQBg4%3D&sp=r&sr=b&sv=2023-11-03"
	if got := string(q.AppendQuery(nil)); err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

// FuzzPage: a page that is read holds nothing but what was asked for, and ends.
func FuzzPage(f *testing.F) {
	for _, text := range []string{
		"", "\ufeff<EnumerationResults><Blobs><Blob><Name>p/a</Name></Blob></Blobs><NextMarker>m</NextMarker></EnumerationResults>",
		`<EnumerationResults><Blobs><Blob><Name Encoded="true">p%2Fa%</Name></Blob></Blobs></EnumerationResults>`, "<Error><Code>a</Code></Error>",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l := ops.Listing{Prefix: "p/", Token: "m0"}
		if readPage(strings.NewReader(text), &l, 200) != nil {
			return
		}
		for _, e := range l.Entries {
			if !strings.HasPrefix(e.Key, l.Prefix) {
				t.Errorf("%q is listed below %q", e.Key, l.Prefix)
			}
		}
		if l.Next == l.Token {
			t.Error("the next page is this one")
		}
	})
}

func TestDescribe(t *testing.T) {
	for want, cfg := range map[string]s3.Config{
		"Azure Blob Storage (2023-11-03), SharedKey": {AccessKey: "a", SecretKey: "a2V5"},
		"Azure Blob Storage (2023-11-03), SAS":       {SessionToken: "?sv=1&sig=x"},
		"Azure Blob Storage (2023-11-03), anonymous": {Signature: "anonymous", AccessKey: "a", SecretKey: "a2V5"},
	} {
		cfg.Store = s3.StoreAzure
		if d := New(&cfg).Describe(); d.String() != want || d.Dialect != s3.StoreAzure {
			t.Errorf("%+v, want %s", d, want)
		}
	}
}
