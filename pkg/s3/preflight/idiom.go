package preflight

import (
	"regexp"

	"warp/pkg/s3"
)

// idiom is how diagnoses speak of a kind of store.
type idiom struct {
	name     string // of the service, as in "S3 allows 15m"
	server   string // what a host is that speaks it
	right    func(s3right string) string
	refusals []refusal
	// denied explains refusals that no row explains.
	denied func(d *Diagnosis, cfg *s3.Config, a act, e *s3.Error) bool
}

// idioms has a row for each kind of store; a kind without one is spoken of as S3 is.
var idioms map[string]*idiom

func init() { // they need what diagnoses need them for
	idioms = map[string]*idiom{
		s3.StoreS3: {
			name: "S3", server: "an S3 server", right: func(right string) string { return right },
			refusals: refusals, denied: (*Diagnosis).explainDenied,
		},
		s3.StoreAzure: {
			name: "Azure", server: "a server of Azure Blob Storage", right: azureRight,
			refusals: azureRefusals, denied: (*Diagnosis).explainAzure,
		},
		s3.StoreGCS: {
			name: "Google", server: "a server of Google Cloud Storage", right: googleRight,
			refusals: googleRefusals, denied: (*Diagnosis).explainGoogle,
		},
	}
}

// idiomOf returns the idiom of a kind of store.
func idiomOf(store string) *idiom {
	if i := idioms[store]; i != nil {
		return i
	}
	return idioms[s3.StoreS3]
}

// Right returns what a kind of store calls a right of S3.
func Right(store, s3right string) string { return idiomOf(store).right(s3right) }

// Server is what a host is that speaks as a kind of store does, as in "an S3 server".
func Server(store string) string { return idiomOf(store).server }

// otherStores are kinds of stores that hosts show, although they are asked as S3.
var otherStores = []struct {
	kind          string
	server        *regexp.Regexp // its header Server
	host, message *regexp.Regexp
	problem, hint string
}{
	{
		kind:    s3.StoreAzure,
		server:  regexp.MustCompile(`^(Windows-Azure-Blob|Azurite-Blob)/`),
		host:    regexp.MustCompile(`\.blob\.core\.[a-z.]+(:\d+)?$`),
		message: regexp.MustCompile(`^$`),
		problem: "the host is Azure Blob Storage, which does not speak S3",
		hint:    "use --host=az://ACCOUNT, or --store=azure with the URL of the account",
	},
	{
		kind:    s3.StoreGCS,
		server:  regexp.MustCompile(`^$`),
		host:    regexp.MustCompile(`^$`),
		message: regexp.MustCompile(`^\{ ?"error": ?\{ ?"(code|errors)":`),
		problem: "the host speaks the JSON interface of Google Cloud Storage, not S3",
		hint:    "use --store=gcs",
	},
}

// explainOtherStore knows hosts of other kinds of stores.
func (d *Diagnosis) explainOtherStore(cfg *s3.Config, e *s3.Error) bool {
	if cfg.Store != "" && cfg.Store != s3.StoreS3 || e.Status == 0 {
		return false
	}
	for _, o := range otherStores {
		known := e.Server != "" && o.server.MatchString(e.Server) || o.host.MatchString(d.Host) ||
			e.Message != "" && o.message.MatchString(e.Message)
		if known && d.Host != "" {
			return d.say(o.problem, o.hint)
		}
	}
	return false
}
