package flags

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"

	"warp/pkg/s3"
)

func TestHeaders(t *testing.T) {
	for _, c := range []struct {
		name  string
		flags Uploads
		want  []s3.Header
	}{
		{"none", Uploads{}, nil},
		{"all", Uploads{class: "STANDARD_IA", metadata: []string{"Owner=me", "empty=", "eq=a=b c"}, tags: []string{"team=storage", "a b=c/d+e", "no="}}, []s3.Header{
			{Name: "X-Amz-Storage-Class", Value: "STANDARD_IA"},
			{Name: "X-Amz-Meta-Owner", Value: "me"},
			{Name: "X-Amz-Meta-empty", Value: ""},
			{Name: "X-Amz-Meta-eq", Value: "a=b c"},
			{Name: "X-Amz-Tagging", Value: "a%20b=c%2Fd%2Be&no=&team=storage"},
		}},
		{"tags know case", Uploads{tags: []string{"a=1", "A=2"}}, []s3.Header{{Name: "X-Amz-Tagging", Value: "A=2&a=1"}}},
	} {
		var cfg s3.Config
		err := c.flags.apply(&cfg)
		got := cfg.Headers
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v; want %v", c.name, got, err, c.want)
		}
	}
	for want, flags := range map[string]Uploads{
		`--storage-class: invalid value "a\r\nb: c" (want printable ASCII`:                                  {class: "a\r\nb: c"},
		`--add-metadata: invalid value "x" (want KEY=VALUE)`:                                                {metadata: []string{"x"}},
		`--add-metadata: invalid value "=x" (want KEY=VALUE)`:                                               {metadata: []string{"=x"}},
		`--add-metadata: "K" is given twice`:                                                                {metadata: []string{"k=1", "K=2"}},
		`--add-metadata: invalid value "a:b=c" (want a key of letters`:                                      {metadata: []string{"a:b=c"}},
		`--add-metadata: invalid value "a=b\x00" (want a key of letters`:                                    {metadata: []string{"a=b\x00"}},
		`--add-metadata: invalid value "a= b" (want a key of letters`:                                       {metadata: []string{"a= b"}},
		`--add-metadata: invalid value "a=ü" (want a key of letters`:                                        {metadata: []string{"a=ü"}},
		`--tag: invalid value "x" (want KEY=VALUE)`:                                                         {tags: []string{"x"}},
		`--add-metadata: invalid value "a=rand:0" (want rand:1 to rand:2048)`:                               {metadata: []string{"a=rand:0"}},
		`--tag: invalid value "a=rand:257" (want rand:1 to rand:256)`:                                       {tags: []string{"a=rand:257"}},
		`--acl: invalid value "mine" (want private, public-read`:                                            {acl: "mine"},
		`--sse-s3, --sse-kms: want one of them`:                                                             {sseS3: true, sseKMS: optionalText{set: true}},
		`--tag: "x" is given twice`:                                                                         {tags: []string{"x=1", "x=1"}},
		"--add-metadata: invalid value \"x\" (want KEY=VALUE)\n--tag: invalid value \"y\" (want KEY=VALUE)": {metadata: []string{"x"}, tags: []string{"y"}},
	} {
		if err := flags.apply(&s3.Config{}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%+v: error %q, want %q", flags, err, want)
		}
	}
}

func TestUploads(t *testing.T) {
	for _, c := range []struct {
		args []string
		want s3.Uploads
	}{
		{nil, s3.Uploads{}},
		{[]string{"--checksum=crc32c-fo", "--checksum-trailer", "--payload=unsigned", "--md5"}, s3.Uploads{Checksum: "CRC32C", FullObject: true, Trailer: true, MD5: true, Payload: "unsigned"}},
		{[]string{"--checksum=md5"}, s3.Uploads{MD5: true}},
		{[]string{"--checksum=MD5CS"}, s3.Uploads{Checksum: "MD5"}},
		{[]string{"--checksum=crc64n"}, s3.Uploads{Checksum: "CRC64NVME"}},
		{[]string{"--checksum=xxh3"}, s3.Uploads{Checksum: "XXHASH3"}},
		{[]string{"--checksum=XXHASH128"}, s3.Uploads{Checksum: "XXHASH128"}},
		{[]string{"--sse-s3-encrypt"}, s3.Uploads{Encryption: s3.SSES3}},
		{[]string{"--sse-kms", "--sse-bucket-key"}, s3.Uploads{Encryption: s3.SSEKMS, BucketKey: true}},
		{[]string{"--sse-kms=arn:aws:kms:1"}, s3.Uploads{Encryption: s3.SSEKMS, KMSKey: "arn:aws:kms:1"}},
		{[]string{"--sse-kms=k", "--sse-kms=false"}, s3.Uploads{}},
		{[]string{"--add-metadata=a=rand:20", "--tag=b=rand:3", "--tag=c d=e", "--tag=a=+"}, s3.Uploads{Random: []s3.RandomHeader{
			{Name: "X-Amz-Meta-a", Parts: []s3.RandomPart{{Length: 20}}},
			{Name: "X-Amz-Tagging", Parts: []s3.RandomPart{{Text: "a=%2B&b=", Length: 3}, {Text: "&c%20d=e"}}},
		}}},
	} {
		var u Uploads
		var cfg s3.Config
		cmd := &cli.Command{Name: "x", Flags: u.Flags(), Action: func(context.Context, *cli.Command) error { return u.apply(&cfg) }}
		if err := cmd.Run(t.Context(), append([]string{"x"}, c.args...)); err != nil || !reflect.DeepEqual(cfg.Uploads, c.want) {
			t.Errorf("%q: %+v, %v; want %+v", c.args, cfg.Uploads, err, c.want)
		}
	}
}
