package cli

import (
	"slices"
	"strings"
	"testing"

	"warp/pkg/s3"
)

func TestHeaders(t *testing.T) {
	for _, c := range []struct {
		name  string
		flags targetFlags
		want  []s3.Header
	}{
		{"none", targetFlags{}, nil},
		{"all", targetFlags{class: "STANDARD_IA", metadata: []string{"Owner=me", "empty=", "eq=a=b c"}, tags: []string{"team=storage", "a b=c/d+e", "no="}}, []s3.Header{
			{Name: "X-Amz-Storage-Class", Value: "STANDARD_IA"},
			{Name: "X-Amz-Meta-Owner", Value: "me"},
			{Name: "X-Amz-Meta-empty", Value: ""},
			{Name: "X-Amz-Meta-eq", Value: "a=b c"},
			{Name: "X-Amz-Tagging", Value: "a%20b=c%2Fd%2Be&no=&team=storage"},
		}},
		{"tags know case", targetFlags{tags: []string{"a=1", "A=2"}}, []s3.Header{{Name: "X-Amz-Tagging", Value: "A=2&a=1"}}},
	} {
		got, err := c.flags.headers()
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v; want %v", c.name, got, err, c.want)
		}
	}
	for want, flags := range map[string]targetFlags{
		`--storage-class: invalid value "a\r\nb: c" (want printable ASCII`:                                  {class: "a\r\nb: c"},
		`--add-metadata: invalid value "x" (want KEY=VALUE)`:                                                {metadata: []string{"x"}},
		`--add-metadata: invalid value "=x" (want KEY=VALUE)`:                                               {metadata: []string{"=x"}},
		`--add-metadata: "K" is given twice`:                                                                {metadata: []string{"k=1", "K=2"}},
		`--add-metadata: invalid value "a:b=c" (want a key of letters`:                                      {metadata: []string{"a:b=c"}},
		`--add-metadata: invalid value "a=b\x00" (want a key of letters`:                                    {metadata: []string{"a=b\x00"}},
		`--add-metadata: invalid value "a= b" (want a key of letters`:                                       {metadata: []string{"a= b"}},
		`--add-metadata: invalid value "a=ü" (want a key of letters`:                                        {metadata: []string{"a=ü"}},
		`--tag: invalid value "x" (want KEY=VALUE)`:                                                         {tags: []string{"x"}},
		`--tag: "x" is given twice`:                                                                         {tags: []string{"x=1", "x=1"}},
		"--add-metadata: invalid value \"x\" (want KEY=VALUE)\n--tag: invalid value \"y\" (want KEY=VALUE)": {metadata: []string{"x"}, tags: []string{"y"}},
	} {
		if _, err := flags.headers(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%+v: error %q, want %q", flags, err, want)
		}
	}
}
