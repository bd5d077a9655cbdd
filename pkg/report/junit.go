package report

import (
	"encoding/xml"
	"fmt"
	"io"

	"warp/pkg/gate"
	"warp/pkg/units"
)

type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}

	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Cases    []junitCase `xml:"testcase"`
	}

	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitFailure `xml:"failure,omitempty"`
		Error   *junitFailure `xml:"error,omitempty"`
		Found   string        `xml:"system-out,omitempty"`
	}

	junitFailure struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
	}
)

// JUnit writes rulings as the test report that CI systems read: a test for each rule, which fails if the rule is broken,
// and has an error if nothing is known about it.
func JUnit(w io.Writer, command string, rulings []Ruling) error {
	suite := junitSuite{Name: "warp " + command}
	for _, r := range rulings {
		c := junitCase{Class: "warp." + command, Name: units.Line(r.title()), Found: units.Line(r.Found)}
		switch failure := (&junitFailure{Message: units.Line(r.Found), Type: "rule"}); r.Verdict {
		case gate.Broken:
			c.Failure, c.Found = failure, ""
			suite.Failures++
		case gate.Unknown:
			c.Error, c.Found = failure, ""
			suite.Errors++
		}
		suite.Cases = append(suite.Cases, c)
	}
	suite.Tests = len(suite.Cases)
	text, err := xml.MarshalIndent(junitSuites{
		Name:     "warp",
		Tests:    suite.Tests,
		Failures: suite.Failures,
		Errors:   suite.Errors,
		Suites:   []junitSuite{suite},
	}, "", "  ")
	if err == nil {
		_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	}
	if err != nil {
		return fmt.Errorf("write rules as JUnit: %w", err)
	}
	return nil
}
