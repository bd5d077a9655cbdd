package report

import (
	"encoding/xml"
	"fmt"
	"io"

	"warp/pkg/units"
)

type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}

	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Cases    []junitCase `xml:"testcase"`
	}

	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitFailure `xml:"failure,omitempty"`
		Found   string        `xml:"system-out,omitempty"`
	}

	junitFailure struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
	}
)

// JUnit writes rulings as the test report that CI systems read: a test for each rule, which fails if the rule is broken.
func JUnit(w io.Writer, command string, rulings []Ruling) error {
	suite := junitSuite{Name: "warp " + command}
	for _, r := range rulings {
		c := junitCase{Class: "warp." + command, Name: units.Line(r.Rule), Found: units.Line(r.Found)}
		if r.Broken {
			c.Failure = &junitFailure{Message: units.Line(r.Found), Type: "rule"}
			c.Found = ""
			suite.Failures++
		}
		suite.Cases = append(suite.Cases, c)
	}
	suite.Tests = len(suite.Cases)
	text, err := xml.MarshalIndent(junitSuites{Name: "warp", Tests: suite.Tests, Failures: suite.Failures, Suites: []junitSuite{suite}}, "", "  ")
	if err == nil {
		_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	}
	if err != nil {
		return fmt.Errorf("write rules as JUnit: %w", err)
	}
	return nil
}
