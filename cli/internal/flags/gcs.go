package flags

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v3"

	"warp/internal/option"
	"warp/internal/secret"
	"warp/pkg/s3"
	"warp/pkg/s3/target"
)

// google are the flags of Google Cloud Storage.
type google struct{ token, api, project string }

func (g *google) flags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{
			Name:        "token",
			Destination: &g.token,
			Usage:       "`TOKEN` bearer token of Google, or file:NAME, which is read again each minute",
		},
		&Choice{Values: Offered(s3.APIs...), StringFlag: cli.StringFlag{
			Name:        "gcs-api",
			Destination: &g.api,
			Usage:       "`API` interface of Google Cloud Storage: json or xml",
			DefaultText: "json; xml with --access-key",
		}},
		&cli.StringFlag{
			Name:        "gcs-project",
			Destination: &g.project,
			Usage:       "`PROJECT` project of Google to create buckets in; else GOOGLE_CLOUD_PROJECT",
		},
	}
}

// gcsUploads are the values of --gcs-upload.
var gcsUploads = []string{"media", "resumable"}

// googleKind returns the kind of a store at one of Google's hosts: S3's dialect is for who has keys.
func (t *Target) googleKind() string {
	if target.HasGoogleScheme(t.Host) || t.access == "" && t.keyFile == "" && t.WebToken == "" && t.env.Getenv("AWS_ACCESS_KEY_ID") == "" {
		return s3.StoreGCS
	}
	return s3.StoreS3
}

// googleHosts returns the hosts of Google as other stores have them, and sets what else follows from how they are named.
func (t *Target) googleHosts(c *s3.Config, hosts string) (string, error) {
	if hosts == "" && t.Recorded {
		return "", nil
	}
	found, err := target.FindGoogle(hosts, t.env.Getenv)
	if err != nil {
		return "", option.Wrap("host", err)
	}
	switch {
	case found.Bucket == "" || found.Bucket == t.Bucket:
	case t.Bucket != DefaultBucket:
		return "", option.Errorf("host, bucket", "both name a bucket; use one of them")
	default:
		c.SetBucket(found.Bucket)
		if err := c.CheckBucket(); err != nil {
			return "", err
		}
	}
	if found.Emulator != "" && t.token == "" && t.access == "" {
		c.Signature = "anonymous" // in recordings too
		t.env.Notice(fmt.Sprintf("Host: %s, by %s, without credentials.", found.Host, found.Emulator))
	}
	if target.IsGoogle(found.Host) && c.Bucket == DefaultBucket {
		return "", option.Errorf("bucket", "missing value: names of buckets at Google are unique over all customers, so there is no default")
	}
	return found.Host, nil
}

// setGoogle sets what only Google Cloud Storage has.
func (t *Target) setGoogle(c *s3.Config) []error {
	if c.Store != s3.StoreGCS {
		var errs []error
		for _, f := range []struct{ flag, value string }{
			{"token", t.token}, {"gcs-api", t.api}, {"gcs-project", t.project}, {"gcs-upload", onlyOther(t.Uploads.way, gcsUploads[0])},
		} {
			if f.value != "" && !t.env.FromVariable(f.flag) {
				shown := fmt.Sprintf("%q: ", f.value)
				if secret.Flag(f.flag) {
					shown = ""
				}
				errs = append(errs, option.Errorf(f.flag, "%sonly %s has it (want --store=gcs, or --host=gs://BUCKET)", shown, s3.TitleGCS))
			}
		}
		return errs
	}
	c.Project = cmp.Or(t.project, t.env.Getenv("GOOGLE_CLOUD_PROJECT"))
	c.API = t.api
	if c.API == "" && (t.access != "" || t.keyFile != "") {
		c.API = s3.APIXML
	}
	switch t.Uploads.way {
	case "", gcsUploads[0]:
	case gcsUploads[1]:
		c.Uploads.Chunk, c.Uploads.PartSize = cmp.Or(c.Uploads.PartSize, defaultChunk), 0
	default:
		return []error{option.OneOf("gcs-upload", t.Uploads.way, gcsUploads...)}
	}
	return nil
}

// defaultChunk is the size of chunks of resumable uploads, which must be multiples of 256 KiB.
const defaultChunk = 16 << 20

func onlyOther(value, usual string) string {
	if value == usual {
		return ""
	}
	return value
}

// googleCredentials sets the token.
func (t *Target) googleCredentials(ctx context.Context, c *s3.Config) []error {
	switch {
	case t.session != "" || t.WebToken != "" || t.sas != "":
		return []error{option.Errorf("session-token, sts-web-token, sas-token", "%s has none of these; use --token", s3.TitleGCS)}
	case t.token != "" && (t.access != "" || t.secret != ""):
		return []error{option.Errorf("token, access-key", "use one of them")}
	case t.access != "" || t.secret != "":
		if t.access == "" || t.secret == "" {
			return []error{option.Errorf("access-key, secret-key", "set both, or none")}
		}
		c.SetKeys(target.Credentials{AccessKey: s3.Secret(t.access), SecretKey: s3.Secret(t.secret)})
		return nil
	case t.token == "" && c.Signature == "anonymous":
		return nil
	}
	keys, err := t.googleToken(ctx, c)
	if err != nil {
		return []error{err}
	}
	c.SetKeys(keys)
	t.warnTrimmed(keys.Trimmed)
	return nil
}

// googleToken returns the token that is given, or else one of the credentials that are Google's default, which only its own hosts get.
func (t *Target) googleToken(ctx context.Context, c *s3.Config) (target.Credentials, error) {
	foreign := ""
	for _, host := range c.Hosts {
		if name := c.NameOf(host); !target.IsGoogle(name) || c.Insecure {
			foreign = name
		}
	}
	switch {
	case foreign != "" && t.Files.Names("host"):
		return target.Credentials{}, hostOfFile("host, token", "the token")
	case !c.TLS && !target.OnLoopback(c.Hosts):
		return target.Credentials{}, option.Errorf("token", "it would be sent without TLS (want https:// in --host)")
	case t.token != "":
		return target.GivenToken(ctx, t.token, "--token")
	case foreign != "":
		return target.Credentials{}, option.Errorf("token",
			"missing value: %s is no host of Google, so it gets no default credentials (or use --signature=anonymous)", foreign)
	}
	keys, err := target.FindGoogleToken(ctx, t.env.Getenv)
	if errors.Is(err, target.ErrNoGoogle) {
		return keys, option.Errorf("token", "no credentials found; set --token, --access-key and --secret-key or "+
			"GOOGLE_APPLICATION_CREDENTIALS, or use --signature=anonymous")
	}
	return keys, err
}
