package doctor

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net/http"

	"warp/pkg/doctor/finding"
	"warp/pkg/s3"
	"warp/pkg/s3/directory"
	"warp/pkg/s3/preflight"
	"warp/pkg/s3/probe"
	"warp/pkg/units"
)

// verdict is the result of a check.
type verdict struct {
	result finding.Result
	status int
	detail string
	text   []byte // of the response
	err    error  // that decided; nil: none did
}

// settle puts the verdict into a check.
func (v *verdict) settle(c *finding.Check) {
	c.Result, c.Status, c.Detail = v.result, v.status, units.Line(v.detail)
	if c.Result != finding.Denied {
		return
	}
	c.Detail = "grant " + c.Right
	if d := (*preflight.Diagnosis)(nil); errors.As(v.err, &d) && d.OtherAuth {
		c.Detail = "the host may not know this form of authentication; else " + c.Detail
	}
}

func yes(format string, args ...any) verdict {
	return verdict{result: finding.Yes, detail: fmt.Sprintf(format, args...)}
}

func ignored(status int, format string, args ...any) verdict {
	return verdict{result: finding.Ignored, status: status, detail: fmt.Sprintf(format, args...)}
}

// otherContent is the verdict of a request whose response should have had another body than text.
func otherContent(status int, text []byte) verdict {
	if bytes.Equal(text, content) {
		return ignored(status, "the object itself is sent")
	}
	return ignored(status, "another response: %s", begin(text))
}

// judge makes a verdict of the error of a request.
func judge(err error) verdict {
	if err == nil {
		return verdict{result: finding.Yes}
	}
	e := s3.AsError(err)
	v := verdict{result: finding.Failed, status: e.Status, detail: cmp.Or(e.Class, err.Error()), err: err}
	if e.Message != "" {
		v.detail += ": " + e.Message
	}
	if status, text, ok := probe.Accepted(err); ok {
		return ignored(status, "%s", text)
	}
	switch {
	case errors.Is(err, directory.ErrUnsupported):
		v.result, v.detail = finding.No, e.Message
	case errors.Is(err, directory.ErrSession): // the right for a session is another one
	case e.Says(s3.Denied) || e.Code == "" && (e.Status == http.StatusForbidden || e.Status == http.StatusUnauthorized):
		v.result = finding.Denied
	case e.Status/100 == 4, e.NotImplemented():
		v.result = finding.No
	}
	return v
}
