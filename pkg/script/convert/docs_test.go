package convert

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"warp/internal/testkit"
	"warp/pkg/script/convert/cosbench"
	"warp/pkg/script/convert/draft"
	"warp/pkg/script/convert/osb"
)

// optionsMark begins the part of a tool's page that follows from its parser's list.
const optionsMark = "<!-- options: written by the test of pkg/script/convert with -update -->\n"

// TestDocumentedOptions: the page of each tool in docs/reference/other-tools lists every option, clause and key, and what became of it.
func TestDocumentedOptions(t *testing.T) {
	for _, s := range Sources() {
		page := filepath.Join("..", "..", "..", "docs", "reference", "other-tools", strings.ReplaceAll(strings.ToLower(s.Title), " ", "-")+".md")
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		intro, _, ok := strings.Cut(string(text), optionsMark)
		if !ok || !strings.HasPrefix(intro, "# "+s.Title+"\n") {
			t.Fatalf("%s has no title %q, or no line %q", page, s.Title, optionsMark)
		}
		var b strings.Builder
		fmt.Fprintf(&b, "%s%s\n## Options\n\n`--from %s` reads %s.\n\n| option | default | in a scenario |\n|---|---|---|\n", intro, optionsMark, s.Name, s.File)
		for _, o := range s.Options() {
			missing := o.Default
			if missing != "" {
				missing = "`" + missing + "`"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", o.Name, strings.ReplaceAll(missing, "|", `\|`), strings.ReplaceAll(o.Became, "|", `\|`))
		}
		testkit.Golden(t, page, b.String())
	}
}

// TestSeedOptions: the options that the manuals of hsbench, s3bench and object-store-bench list are all read.
func TestSeedOptions(t *testing.T) {
	for name, want := range map[string]string{
		"hsbench": "-a -b -bp -d -j -l -m -mk -n -o -op -r -ri -s -t -u -z -bl -f -cl -zd",
		"s3bench": "-endpoint -region -accessKey -accessSecret -operations -multipart -partSize -multiUploaders -bucket -objectNamePrefix -objectSize " +
			"-rangeSize -numRequests -numClients -batchSize -numSamples -skipCleanup -skipBucketCreate -verbose -disableMD5 -cpuprofile -moreRando -chunkSize",
		"object-store-bench": "PUT GET DELETE REUSE WARMUP",
	} {
		s, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		for option := range strings.FieldsSeq(want) {
			if !slices.ContainsFunc(s.Options(), func(o draft.Option) bool { return o.Name == option && o.Became != "" }) {
				t.Errorf("%s: %s has no entry", name, option)
			}
		}
	}
}

// TestOptionsOfClauses: each clause that the parser takes is listed, and each attribute of COSBench's elements.
func TestOptionsOfClauses(t *testing.T) {
	for verb, c := range osb.Clauses {
		for _, clause := range append(c.Takes, verb) {
			if !slices.ContainsFunc(osb.Source.Options(), func(o draft.Option) bool { return o.Name == clause }) {
				t.Errorf("%s: clause %s is not listed", verb, clause)
			}
		}
	}
	var listed strings.Builder
	for _, o := range cosbench.Source.Options() {
		listed.WriteString(o.Name + " " + o.Became + "\n")
	}
	unlisted := regexp.MustCompile(`^(name|description|type|config|mechanism|id)$`)
	for element, attrs := range cosbench.Attributes {
		for _, a := range attrs {
			if !unlisted.MatchString(a) && !strings.Contains(listed.String(), a) {
				t.Errorf("<%s>: attribute %s is not listed", element, a)
			}
		}
	}
}
