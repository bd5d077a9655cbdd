package osb

import (
	"slices"
	"strconv"
	"strings"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
	"warp/pkg/units"
)

// storeRows are the options of the clients for other stores.
func storeRows() [][3]string {
	return [][3]string{
		{"--gcp-project-id", "", "`gcs-project` of the target"},
		{"--gcp-auth", "true", "false: `signature: anonymous`"},
		{"--gcp-oauth-token", "", "nothing: credentials are never in a scenario. A run uses it"},
		{"--gcp-grpc", "false", "true is refused"},
		{"--adls-file-system-name", "", "`bucket` of the target"},
		{"--adls-sas-token", "", "nothing: credentials are never in a scenario. A run uses it"},
		{"--adls-shared-key-account-name", "", "`hosts` of the target, without --base-uri; a run uses it"},
		{"--adls-shared-key-account-key", "", "nothing: credentials are never in a scenario. A run uses it"},
		{"--adls-write-block-size", "", "`part.put` of the target"},
		{"--adls-write-max-concurrency", "", "nothing, with a comment: parts are uploaded one after the other"},
	}
}

// booleans are options whose value may be missing.
var booleans = []string{"--gcp-auth", "--gcp-grpc"}

// Stores, as --store names them. S3 needs no name.
const (
	google = "gcs"
	azure  = "azure"
)

// prefixes of the options of clients, by their store.
var prefixes = map[string]string{google: "--gcp-", azure: "--adls-"}

// isOfStore reports whether an option is one of the client of a store.
func isOfStore(name string) bool {
	return strings.HasPrefix(name, prefixes[google]) || strings.HasPrefix(name, prefixes[azure])
}

// storeOf returns the store whose client is asked for; empty: S3.
func storeOf(given map[string]argument) string {
	switch strings.ToLower(given["--implementation"].value) {
	case "gcs", "gcp":
		return google
	case "adls", "azure":
		return azure
	}
	return ""
}

// store says which store is measured.
func (c *converter) store(given map[string]argument) {
	switch storeOf(given) {
	case google:
		c.google(given)
	case azure:
		c.azure(given)
	default:
		c.amazon(given)
	}
}

// param adds a key of the target.
func (c *converter) param(name, value string) {
	c.Target.Params = append(c.Target.Params, script.NewParam(name, value))
}

// secrets are credentials for this run.
func (c *converter) secrets(given map[string]argument, flags ...[2]string) {
	for _, f := range flags {
		if a, ok := given[f[0]]; ok {
			c.Secret(a.at, f[1], a.value)
		}
	}
}

// text returns the value of an option, or what stands for it.
func text(given map[string]argument, option, missing string) script.Value {
	if a, ok := given[option]; ok {
		return script.Text(a.value).At(a.at)
	}
	return script.Text(missing)
}

// amazon is S3, with the tool's defaults.
func (c *converter) amazon(given map[string]argument) {
	clients := []string{"aws", "awsurlconnection", "awsapache", "awsnetty"}
	if a, ok := given["--implementation"]; ok && !slices.Contains(clients, strings.ToLower(a.value)) {
		c.Draft.Addf(a.at, "--implementation %s (want aws, awsUrlConnection, awsApache, awsNetty, gcs or adls)", a.value)
	}
	if a, ok := given["--base-uri"]; ok {
		c.SetHosts(a.at, a.value)
	}
	c.Target.Bucket = text(given, "--bucket", "bucket")
	c.Target.Region = text(given, "--s3-region", "eu-central-1")
	switch a := given["--signature-version"]; strings.ToUpper(a.value) {
	case "", "V4":
	case "V2":
		c.param("signature", "S3V2")
	default:
		c.Draft.Addf(a.at, "--signature-version %s (want V4 or V2)", a.value)
	}
	c.secrets(given, [2]string{"--s3-access-key", "access-key"}, [2]string{"--s3-secret-key", "secret-key"})
}

// google is Google Cloud Storage.
func (c *converter) google(given map[string]argument) {
	if a, ok := given["--gcp-grpc"]; ok && draft.IsTrue(a.value) {
		c.Draft.Addf(a.at, "--gcp-grpc: only requests over HTTP are measured; leave it out")
	}
	c.param("store", google)
	if a, ok := given["--base-uri"]; ok {
		c.SetHosts(a.at, a.value)
	} else {
		c.Target.Hosts = []script.Value{script.Text("gs://")}
	}
	c.Target.Bucket = text(given, "--bucket", "bucket")
	if a, ok := given["--gcp-project-id"]; ok {
		c.param("gcs-project", a.value)
	}
	if a, ok := given["--gcp-auth"]; ok && !draft.IsTrue(a.value) {
		c.param("signature", "anonymous")
	}
	c.secrets(given, [2]string{"--gcp-oauth-token", "token"})
	c.Notef("The original asks for the metadata of an object before each GET, and opens a session for each PUT: " +
		"two requests where one is sent here.")
}

// azure is Azure Blob Storage, which has the objects of the other interface to the same account.
func (c *converter) azure(given map[string]argument) {
	c.param("store", azure)
	account := given["--adls-shared-key-account-name"]
	switch a, ok := given["--base-uri"]; {
	case ok:
		c.SetHosts(a.at, strings.Replace(a.value, ".dfs.core.", ".blob.core.", 1))
	default:
		c.Target.Hosts = []script.Value{script.Text("az://" + account.value).At(account.at)}
	}
	c.Target.Bucket = text(given, "--adls-file-system-name", text(given, "--bucket", "bucket").Text)
	if a, ok := given["--adls-write-block-size"]; ok {
		size, err := strconv.ParseInt(a.value, 10, 64)
		if err != nil || size < 1 {
			c.Draft.Addf(a.at, "--adls-write-block-size %s (want a number of bytes)", a.value)
		} else {
			c.param("part.put", units.ExactSize(size))
		}
	}
	if _, ok := given["--adls-write-max-concurrency"]; ok {
		c.Notef("Approximated: the blocks of an upload are sent one after the other; multipart-put --part.concurrent sends several at a time.")
	}
	c.secrets(given, [2]string{"--adls-sas-token", "sas-token"}, [2]string{"--adls-shared-key-account-name", "access-key"},
		[2]string{"--adls-shared-key-account-key", "secret-key"})
	c.Notef("Blob API: one request an object instead of three.")
}
