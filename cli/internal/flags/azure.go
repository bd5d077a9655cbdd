package flags

import (
	"context"
	"errors"

	"warp/internal/option"
	"warp/pkg/s3"
	"warp/pkg/s3/target"
)

// azureHosts returns the hosts of an account as other stores have them, and sets the path that their URLs have.
func (t *Target) azureHosts(c *s3.Config, hosts string) (string, error) {
	if hosts == "" && t.Recorded {
		return "", nil
	}
	found, err := target.FindAzure(hosts, t.env.Getenv)
	if err != nil {
		return "", option.Wrap("host", err)
	}
	c.Root = found.Root
	return found.Host, nil
}

// azureCredentials sets the SAS, or the account and its key.
func (t *Target) azureCredentials(ctx context.Context, c *s3.Config) []error {
	found, err := target.FindAzure(c.HostURL(c.NameOf(c.Hosts[0]))+c.Root, t.env.Getenv)
	if err != nil {
		return []error{option.Wrap("host", err)}
	}
	keys := found.Keys
	switch {
	case t.sas != "" && (t.access != "" || t.secret != ""):
		return []error{option.Errorf("sas-token, access-key", "use one of them")}
	case t.sas != "":
		keys = target.Credentials{SessionToken: s3.Secret(t.sas), Source: t.env.Origin("sas-token", t.sas)}
	case t.session != "":
		return []error{option.Errorf("session-token", "Azure Blob Storage has none; use --sas-token")}
	case t.access != "" || t.secret != "":
		keys = target.Credentials{
			AccessKey: s3.Secret(t.access), SecretKey: s3.Secret(t.secret), Source: t.env.Origin("secret-key", t.secret),
		}
	case keys.SecretKey == "" && keys.SessionToken == "":
		return t.azureIdentity(ctx, c)
	}
	if keys.SecretKey != "" && keys.AccessKey == "" {
		keys.AccessKey = s3.Secret(found.Account)
	}
	if err := target.CheckAzure(&keys); err != nil {
		return []error{err}
	}
	if keys.AccessKey == "" {
		keys.Expires = target.SASEnd(string(keys.SessionToken))
	}
	if keys.AccessKey == "" && t.Files.Names("host") {
		return []error{hostOfFile("host, sas-token", "the token")}
	}
	c.SetKeys(keys)
	return nil
}

// azureIdentity sets the token of an identity of Entra ID.
func (t *Target) azureIdentity(ctx context.Context, c *s3.Config) []error {
	for _, host := range c.Hosts {
		local := target.OnLoopback([]string{host})
		switch name := c.NameOf(host); {
		case t.Files.Names("host"):
			return []error{hostOfFile("host", "a token")}
		case !local && !target.IsAzure(c.HostURL(name)):
			return []error{option.Errorf("access-key, secret-key", "missing value: %s is no host of Azure, so it gets no token of Entra ID "+
				"(or use --sas-token or --signature=anonymous)", name)}
		case !local && (!c.TLS || c.Insecure):
			return []error{option.Errorf("host", "a token of Entra ID goes over verified TLS only (want https://, without --insecure)")}
		}
	}
	keys, err := target.FindAzureToken(ctx)
	switch {
	case errors.Is(err, target.ErrNoAzure):
		return []error{option.Errorf("access-key, secret-key", "no credentials found, nor an identity of Entra ID; set them to the account "+
			"and its key (or AZURE_STORAGE_ACCOUNT and AZURE_STORAGE_KEY), or use --sas-token or --signature=anonymous")}
	case err != nil:
		return []error{err}
	}
	c.SetKeys(keys)
	return nil
}
