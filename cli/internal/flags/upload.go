package flags

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"warp/internal/option"
	"warp/pkg/bench/work"
	"warp/pkg/s3"
	"warp/pkg/s3/checksum"
)

// Uploads say what goes with uploads in addition to their contents.
type Uploads struct {
	way               string // to upload to Google
	checksum, payload string
	trailer, md5      bool
	sseS3, bucketKey  bool
	sseKMS            optionalText
	class, acl        string
	metadata, tags    []string
	partSize          work.Size
}

// cannedACLs are the ACLs that S3 has names for.
var cannedACLs = []string{
	"private", "public-read", "public-read-write", "authenticated-read", "aws-exec-read", "bucket-owner-read",
	"bucket-owner-full-control",
}

// Flags are those about uploads.
func (u *Uploads) Flags() []cli.Flag {
	return append(u.encryptionFlags(), Categorize(CatUploads, []cli.Flag{
		&Choice{Values: checksumNames, StringFlag: cli.StringFlag{
			Name:        "checksum",
			Destination: &u.checksum,
			Usage:       "`ALGORITHM` checksum of uploads, as in CRC32C; -FO: of the full object",
		}},
		&cli.BoolFlag{
			Name:        "checksum-trailer",
			Destination: &u.trailer,
			Usage:       "send the checksum after the contents (aws-chunked)",
		},
		&cli.BoolFlag{Name: "md5", Destination: &u.md5, Usage: "send Content-MD5"},
		&Choice{Values: Offered(s3.Payloads...), StringFlag: cli.StringFlag{
			Name:        "payload",
			Destination: &u.payload,
			Usage:       "`FORM` signature of contents: unsigned, signed or streaming",
			DefaultText: "unsigned",
		}},
		&cli.GenericFlag{
			Name:  partPut,
			Value: value{&u.partSize},
			Usage: "`SIZE` upload larger objects in parts of this size",
		},
		&Choice{Values: Offered(gcsUploads...), StringFlag: cli.StringFlag{
			Name:        "gcs-upload",
			Destination: &u.way,
			Value:       gcsUploads[0],
			Usage:       "`WAY` of Google's JSON API: media (one request) or resumable (chunks of --part.put)",
		}},
		&cli.StringFlag{Name: "storage-class", Destination: &u.class, Usage: "`CLASS` storage class of the objects"},
		&Choice{Values: Offered(cannedACLs...), StringFlag: cli.StringFlag{
			Name:        "acl",
			Destination: &u.acl,
			Usage:       "`ACL` canned ACL of objects, as in public-read",
		}},
		&cli.StringSliceFlag{
			Name:        "add-metadata",
			Destination: &u.metadata,
			Usage:       "`KEY=VALUE` metadata of each object; rand:N: N random characters; repeatable",
		},
		&cli.StringSliceFlag{
			Name:        "tag",
			Destination: &u.tags,
			Usage:       "`KEY=VALUE` tag of each object; rand:N: N random characters; repeatable",
		},
	})...)
}

// encryptionFlags are about encryption by the server.
func (u *Uploads) encryptionFlags() []cli.Flag {
	return Categorize(catEncryption, []cli.Flag{
		&cli.BoolFlag{
			Name:        "sse-s3",
			Aliases:     []string{"sse-s3-encrypt"},
			Destination: &u.sseS3,
			Usage:       "have the server encrypt objects with its own key (SSE-S3)",
		},
		&cli.GenericFlag{
			Name:  "sse-kms",
			Value: value{&u.sseKMS},
			Usage: "`KEY` have the server encrypt objects with this KMS key, or its default one",
		},
		&cli.BoolFlag{
			Name:        "sse-bucket-key",
			Destination: &u.bucketKey,
			Usage:       "with --sse-kms: use a bucket key",
		},
	})
}

// checksumNames returns the checksums by the names that --checksum takes.
func checksumNames() []string { return append(checksum.Names(), "CRC32-FO", "CRC32C-FO") }

const partPut = "part.put"

// AliasPartSize makes --part.size an alias of --part.put for a benchmark that has no flag of that name.
func AliasPartSize(fs []cli.Flag) {
	if slices.ContainsFunc(fs, func(f cli.Flag) bool { return f.Names()[0] == "part.size" }) {
		return
	}
	for _, f := range fs {
		if g, ok := f.(*cli.GenericFlag); ok && g.Name == partPut {
			g.Aliases = []string{"part.size"}
		}
	}
}

// apply adds what the flags say to the configuration of a store.
func (u *Uploads) apply(c *s3.Config) error {
	name, full := strings.ToUpper(u.checksum), false
	if short, ok := strings.CutSuffix(name, "-FO"); ok && strings.HasPrefix(short, "CRC32") {
		name, full = short, true
	}
	var errs []error
	md5 := name == checksum.MD5.Name
	if md5 {
		name = ""
	} else if name == "CRC64N" {
		name = "CRC64NVME"
	} else if a := checksum.Find(name); a != nil {
		name = a.Name
	}
	c.Uploads = s3.Uploads{
		Checksum:   name,
		FullObject: full,
		Trailer:    u.trailer,
		MD5:        u.md5 || md5,
		Payload:    u.payload,
		BucketKey:  u.bucketKey,
		PartSize:   int64(u.partSize),
	}
	switch {
	case u.sseS3 && u.sseKMS.set:
		errs = append(errs, option.Errorf("sse-s3, sse-kms", "want one of them"))
	case u.sseS3:
		c.Uploads.Encryption = s3.SSES3
	case u.sseKMS.set && !printable(u.sseKMS.text):
		errs = append(errs, option.Invalid("sse-kms", u.sseKMS.text, wantASCII))
	case u.sseKMS.set:
		c.Uploads.Encryption, c.Uploads.KMSKey = s3.SSEKMS, u.sseKMS.text
	}
	for _, h := range []struct{ flag, name, value string }{{"storage-class", "X-Amz-Storage-Class", u.class}, {"acl", "X-Amz-Acl", u.acl}} {
		switch {
		case h.value == "":
		case h.flag == "acl" && !slices.Contains(cannedACLs, h.value):
			errs = append(errs, option.OneOf(h.flag, h.value, cannedACLs...))
		case !printable(h.value):
			errs = append(errs, option.Invalid(h.flag, h.value, wantASCII))
		default:
			c.Headers = append(c.Headers, s3.Header{Name: h.name, Value: h.value})
		}
	}
	return errors.Join(append(errs, u.applyMetadata(c), u.applyTags(c))...)
}

// applyMetadata adds a header for each piece of metadata.
func (u *Uploads) applyMetadata(c *s3.Config) error {
	metadata, err := Pairs("add-metadata", u.metadata, strings.EqualFold)
	errs := []error{err}
	for _, m := range metadata {
		if strings.ContainsFunc(m.Key, notInName) || !printable(m.Value) {
			errs = append(errs, option.Invalid("add-metadata", m.Key+"="+m.Value, "a key of letters, digits, - and _, and "+wantASCII+" as value"))
			continue
		}
		length, random, err := m.random("add-metadata", s3.MaxRandom)
		errs = append(errs, err)
		if name := "X-Amz-Meta-" + m.Key; random {
			c.Uploads.Random = append(c.Uploads.Random, s3.RandomHeader{Name: name, Parts: []s3.RandomPart{{Length: length}}})
		} else {
			c.Headers = append(c.Headers, s3.Header{Name: name, Value: m.Value})
		}
	}
	return errors.Join(errs...)
}

// maxTag is the length of a tag's value that S3 allows.
const maxTag = 256

// applyTags adds the header that holds all tags.
func (u *Uploads) applyTags(c *s3.Config) error {
	tags, err := Pairs("tag", u.tags, func(a, b string) bool { return a == b })
	if len(tags) == 0 {
		return err
	}
	slices.SortFunc(tags, func(a, b pair) int { return cmp.Compare(a.Key, b.Key) })
	errs := []error{err}
	var parts []s3.RandomPart
	text, anyRandom := "", false
	for i, tag := range tags {
		if i > 0 {
			text += "&"
		}
		length, random, err := tag.random("tag", maxTag)
		errs = append(errs, err)
		if text += escapeTag(tag.Key) + "="; random {
			parts, text, anyRandom = append(parts, s3.RandomPart{Text: text, Length: length}), "", true
		} else {
			text += escapeTag(tag.Value)
		}
	}
	if name := "X-Amz-Tagging"; anyRandom {
		c.Uploads.Random = append(c.Uploads.Random, s3.RandomHeader{Name: name, Parts: append(parts, s3.RandomPart{Text: text})})
	} else {
		c.Headers = append(c.Headers, s3.Header{Name: name, Value: text})
	}
	return errors.Join(errs...)
}

// escapeTag escapes a key or value of a tag. Stores take a plus sign literally.
func escapeTag(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

// wantASCII is what values of headers may be.
const wantASCII = "printable ASCII without blanks around it"

type pair struct{ Key, Value string }

// random reports whether the value stands for random characters, and how many.
func (p pair) random(flag string, limit int) (length int, ok bool, err error) {
	text, ok := strings.CutPrefix(p.Value, "rand:")
	if !ok {
		return 0, false, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > limit {
		return 0, true, option.Invalid(flag, p.Key+"="+p.Value, "rand:1 to rand:"+strconv.Itoa(limit))
	}
	return n, true, nil
}

// Pairs are the values of a flag that is given as key=value, once for each key; same reports whether two keys are one.
func Pairs(flag string, texts []string, same func(a, b string) bool) (list []pair, err error) {
	var errs []error
	for _, text := range texts {
		key, value, ok := strings.Cut(text, "=")
		switch {
		case !ok || key == "":
			errs = append(errs, option.Invalid(flag, text, "KEY=VALUE"))
		case slices.ContainsFunc(list, func(p pair) bool { return same(p.Key, key) }):
			errs = append(errs, option.Errorf(flag, "%q is given twice", key))
		default:
			list = append(list, pair{key, value})
		}
	}
	return list, errors.Join(errs...)
}

// notInName reports whether the name of a header must not have a character.
func notInName(r rune) bool {
	return !(r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
}

// printable reports whether the value of a header arrives as it was sent: ASCII without control characters or blanks around it.
func printable(s string) bool {
	return s == strings.TrimSpace(s) && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

// optionalText is a flag.Value for a flag that may stand without a value.
type optionalText struct {
	set  bool
	text string
}

func (o *optionalText) String() string {
	if o == nil {
		return ""
	}
	return o.text
}

// Set parses the flag.
func (o *optionalText) Set(text string) error {
	switch text {
	case "true":
		*o = optionalText{set: true}
	case "false":
		*o = optionalText{}
	default:
		*o = optionalText{true, text}
	}
	return nil
}

// IsBoolFlag reports that the flag may stand without a value.
func (o *optionalText) IsBoolFlag() bool { return true }
