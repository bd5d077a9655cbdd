package osb

import (
	"errors"
	"strings"
	"testing"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
)

// commandLine returns a command line of java that can read one file.
func commandLine(text string) *draft.Command {
	c := &draft.Command{Program: program, At: script.Pos{Line: 1, Column: 1}, ReadFile: func(name string) (string, error) {
		if name != "s.osb" {
			return "", errors.New("no such file")
		}
		return "PUT 3 OBJECTS;\nGET 5 OBJECTS", nil
	}}
	for i, word := range strings.Fields(text) {
		c.Args = append(c.Args, draft.Word{Text: strings.ReplaceAll(word, "_", " "), At: script.Pos{Line: 1, Column: 10 * (i + 1)}})
	}
	return c
}

// TestCommand: options have their values behind a blank or an equals sign, and statements come from an option or a file.
// works: object-store-bench: `java -jar FILE.jar --script TEXT`; `-i FILE`; `--option value`; `--option=value`
func TestCommand(t *testing.T) {
	for _, text := range []string{
		"-jar osb.jar --base-uri http://h:1 --bucket=b --script PUT_3_OBJECTS",
		"-Xmx1g -jar osb.jar bench --base-uri=http://h:1 --bucket b --script=PUT_3_OBJECTS --virtual-threads",
	} {
		job, err := Source.ConvertCommand("x.sh", commandLine(text))
		if err != nil {
			t.Error(err)
			continue
		}
		target, set := job.File.Target, job.File.Data[0]
		if target.Hosts[0].Text != "http://h:1" || target.Bucket.Text != "b" || target.Region.Text != "eu-central-1" || set.Objects.Text != "3" {
			t.Errorf("%s: %s", text, job.File.Format())
		}
	}
	for _, form := range []string{"-i s.osb", "--input=s.osb", "--script PUT_1_OBJECT -i s.osb"} {
		_, err := Source.ConvertCommand("x.sh", commandLine("-jar osb.jar --base-uri=http://h "+form))
		if want := `s.osb:2:5: 5 objects, but context "default" has 3`; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", form, err, want)
		}
	}
	_, err := Source.ConvertCommand("x.sh", commandLine("-jar osb.jar --base-uri=http://h -i t.osb"))
	if want := "-i t.osb: no such file"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestPlaces: mistakes in statements have their place in the shell script, if the shell changes nothing in the text.
func TestPlaces(t *testing.T) {
	for text, want := range map[string]string{
		"java -jar osb.jar --base-uri=http://h --script='PUT 1 OBJECT;\n GETT 1 OBJECT'": "x.sh:2:2: unexpected \"GETT\"",
		"java -jar osb.jar --base-uri=http://h --script 'GETT 1 OBJECT'":                 "x.sh:1:49: unexpected \"GETT\"",
		"N=1; java -jar osb.jar --base-uri=http://h --script \"PUT $N OBJECT; GETT\"":    "x.sh:1:53: --script, line 1, column 15: unexpected \"GETT\"",
	} {
		if _, err := Source.Convert("x.sh", text, draft.Given{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
