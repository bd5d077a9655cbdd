package target

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"warp/internal/option"
)

// azureDomains are what the names of Azure's hosts of blobs end with, in its clouds.
var azureDomains = []string{".blob.core.windows.net", ".blob.core.chinacloudapi.cn", ".blob.core.usgovcloudapi.net"}

const azureScheme = "az://"

// HasAzureScheme reports whether hosts, as a person names them, have one of Azure's schemes.
func HasAzureScheme(spec string) bool {
	return strings.HasPrefix(spec, azureScheme) || hasADLSScheme(spec)
}

// IsAzure reports whether hosts, as a person names them, are accounts of Azure Blob Storage.
func IsAzure(spec string) bool {
	first, _, _ := strings.Cut(spec, ",")
	if strings.HasPrefix(first, azureScheme) || isADLSHost(first) {
		return true
	}
	u, err := url.Parse(withScheme(first))
	return err == nil && azureAccount(u.Hostname()) != ""
}

// isADLSHost reports whether a host is one of the other interface to the same accounts.
func isADLSHost(host string) bool { return hasADLSScheme(host) || strings.Contains(host, ".dfs.core.") }

func hasADLSScheme(host string) bool {
	return strings.HasPrefix(host, "abfs://") || strings.HasPrefix(host, "abfss://")
}

func withScheme(host string) string {
	if strings.Contains(host, "://") {
		return host
	}
	return "https://" + host
}

// azureAccount is the account whose blobs are at a host; empty if it is no host of Azure.
func azureAccount(host string) string {
	for _, domain := range azureDomains {
		if account, ok := strings.CutSuffix(strings.ToLower(host), domain); ok {
			return account
		}
	}
	return ""
}

// Azure is where blobs of an account are, and what proves that requests may be performed.
type Azure struct {
	Host    string // as ExpandHosts reads it
	Root    string // path before containers; empty: none
	Account string // that the host names; empty: it names none
	Keys    Credentials
}

// FindAzure reads hosts of Azure: az://ACCOUNT, or URLs that may have one path part, the account, as emulators want it. Without a
// host the environment names it.
func FindAzure(spec string, getenv func(string) string) (a Azure, err error) {
	connection, err := parseConnection(getenv("AZURE_STORAGE_CONNECTION_STRING"))
	if err != nil {
		return a, fmt.Errorf("AZURE_STORAGE_CONNECTION_STRING: %w", err)
	}
	account := cmp.Or(getenv("AZURE_STORAGE_ACCOUNT"), getenv("AZURE_STORAGE_ACCOUNT_NAME"))
	switch {
	case spec == "" && connection["BlobEndpoint"] != "":
		spec = connection["BlobEndpoint"]
	case spec == "" && connection["AccountName"] != "":
		spec = cmp.Or(connection["DefaultEndpointsProtocol"], "https") + "://" + connection["AccountName"] +
			".blob." + cmp.Or(connection["EndpointSuffix"], "core.windows.net")
	case spec == "":
		spec = azureScheme
	}
	if isADLSHost(spec) {
		return a, errors.New("this interface takes three requests an upload and is not measured; use az://ACCOUNT, the blobs of the same account")
	}
	if name, short := strings.CutPrefix(spec, azureScheme); short {
		name = cmp.Or(name, account)
		switch {
		case name == "":
			return a, errors.New("the account is missing; write az://ACCOUNT, or set AZURE_STORAGE_ACCOUNT")
		case strings.Contains(name, "/"):
			return a, fmt.Errorf("%q: a path does not belong to az://ACCOUNT; name the container by --bucket", spec)
		}
		spec = "https://" + name + azureDomains[0]
	}
	var hosts []string
	for item := range strings.SplitSeq(spec, ",") {
		host, root, err := cutRoot(strings.TrimSpace(item))
		if err == nil && len(hosts) > 0 && root != a.Root {
			err = errors.New("several hosts want the same account")
		}
		if err != nil {
			return a, fmt.Errorf("host %q: %w", item, err)
		}
		hosts, a.Root = append(hosts, host), root
	}
	a.Host, a.Account = strings.Join(hosts, ","), strings.TrimPrefix(a.Root, "/")
	if u, err := url.Parse(withScheme(hosts[0])); err == nil && a.Account == "" {
		a.Account = azureAccount(u.Hostname())
	}
	a.Keys = azureKeys(connection, account, getenv)
	return a, nil
}

// cutRoot cuts the account off a URL.
func cutRoot(item string) (host, root string, err error) {
	scheme, rest, isURL := strings.Cut(item, "://")
	if !isURL {
		scheme, rest = "", item
	}
	name, path, _ := strings.Cut(rest, "/")
	if path = strings.TrimSuffix(path, "/"); strings.ContainsAny(path, "/?#{") {
		return "", "", errors.New("want at most the account as its path, and the container in --bucket")
	}
	if path != "" {
		root = "/" + path
	}
	if isURL {
		name = scheme + "://" + name
	}
	return name, root, nil
}

// azureKeys are the credentials that the environment has; none are no error.
func azureKeys(connection map[string]string, account string, getenv func(string) string) Credentials {
	if key := connection["AccountKey"]; key != "" {
		return Credentials{AccessKey: Secret(connection["AccountName"]), SecretKey: Secret(key), Source: "AZURE_STORAGE_CONNECTION_STRING"}
	}
	if sas := connection["SharedAccessSignature"]; sas != "" {
		return Credentials{SessionToken: Secret(sas), Source: "AZURE_STORAGE_CONNECTION_STRING"}
	}
	for _, name := range []string{"AZURE_STORAGE_KEY", "AZURE_STORAGE_ACCOUNT_KEY"} {
		if key := getenv(name); key != "" {
			return Credentials{AccessKey: Secret(account), SecretKey: Secret(key), Source: name}
		}
	}
	if sas := getenv("AZURE_STORAGE_SAS_TOKEN"); sas != "" {
		return Credentials{SessionToken: Secret(sas), Source: "AZURE_STORAGE_SAS_TOKEN"}
	}
	return Credentials{}
}

// ErrNoAzure is the error of a machine where no identity of Entra ID is found.
var ErrNoAzure = errors.New("no identity of Entra ID found")

// FindAzureToken returns a bearer token of an identity of Entra ID, and what gives others in time: that of the environment (client secret),
// of a workload, of the machine, or of a user who is signed in with a program of Azure.
func FindAzureToken(ctx context.Context) (Credentials, error) {
	ctx, cancel := context.WithTimeout(ctx, processTimeout)
	defer cancel()
	none := false
	c, err := BearerToken(ctx, "identity of Entra ID", func(ctx context.Context) (Token, error) {
		t, err := azureToken(ctx)
		none = errors.Is(err, ErrNoAzure)
		return t, err
	})
	if none {
		return c, ErrNoAzure
	}
	return c, err
}

// emulator is what UseDevelopmentStorage=true stands for. Its key is public.
const emulator = "AccountName=devstoreaccount1;BlobEndpoint=http://127.0.0.1:10000/devstoreaccount1;" +
	"AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="

// parseConnection reads a connection string: settings between semicolons, whose values may hold equals signs. An error repeats nothing of
// it.
func parseConnection(text string) (map[string]string, error) {
	settings := map[string]string{}
	for part := range strings.SplitSeq(text, ";") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, value, ok := strings.Cut(part, "=")
		if !ok {
			return nil, errors.New("a setting has no equals sign (want NAME=VALUE;NAME=VALUE...)")
		}
		settings[name] = value
	}
	if strings.EqualFold(settings["UseDevelopmentStorage"], "true") {
		return parseConnection(emulator)
	}
	return settings, nil
}

// CheckAzure checks credentials of Azure: a SAS, or an account and its key.
func CheckAzure(c *Credentials) error {
	if c.AccessKey == "" && c.SecretKey == "" {
		return option.Wrap("sas-token", checkSAS(string(c.SessionToken)))
	}
	if c.AccessKey == "" {
		return option.Errorf("access-key", "missing value (want the name of the account)")
	}
	if key, err := base64.StdEncoding.DecodeString(string(c.SecretKey)); err != nil || len(key) == 0 {
		return option.Errorf("secret-key", "not base64 (want the key of the account, as the portal shows it)")
	}
	return nil
}

// SASEnd returns when a SAS ends; zero if it does not say.
func SASEnd(text string) (end time.Time) {
	values, _ := url.ParseQuery(strings.TrimPrefix(text, "?")) // which was checked
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04Z", time.DateOnly} {
		if at, err := time.Parse(form, values.Get("se")); err == nil {
			return at
		}
	}
	return end
}

// checkSAS returns an error for a text that is no SAS, without repeating it.
func checkSAS(text string) error {
	values, err := url.ParseQuery(strings.TrimPrefix(text, "?"))
	if err != nil || values.Get("sig") == "" || strings.ContainsAny(text, " \r\n\t#") {
		return errors.New("not a SAS (want the parameters of its URL, as in sv=...&sp=rcwdl&se=...&sig=...)")
	}
	return nil
}
