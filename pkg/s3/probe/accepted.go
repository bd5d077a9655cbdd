package probe

import (
	"errors"

	"warp/pkg/s3"
)

// Accepted reports whether an error says that the server accepts a request and does something else, and the status and words.
func Accepted(err error) (status int, text string, ok bool) {
	var i *Ignored
	if errors.As(err, &i) {
		return i.Status, i.Text, true
	}
	switch e := s3.AsError(err); e.Class {
	case s3.ClassNoEncrypt:
		return e.Status, "the response to the upload does not confirm it", true
	case s3.ClassNoRange:
		return e.Status, "the whole object is sent", true
	case s3.ClassWrongRange, s3.ClassWrongLength, s3.ClassDiffers, s3.ClassWrongList:
		return e.Status, e.Class + ": " + e.Message, true
	case s3.ClassBadResponse: // what came instead may be any bytes
		return e.Status, "the response is none to such a request", e.Status/100 == 2
	}
	return 0, "", false
}
