package s3

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/xml"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"
	"unicode"
)

// Classes of errors other than HTTP statuses. They are stable: recordings are counted and compared by them.
const (
	classCanceled     = "canceled"
	classTimeout      = "timeout"
	classRefused      = "connection refused"
	classReset        = "connection reset"
	classClosed       = "connection closed"
	classUnreachable  = "host unreachable"
	classNoHost       = "no such host"
	classDNS          = "name lookup failed"
	classNoPorts      = "no free local port"
	classTooManyFiles = "too many open files"
	classTLSToPlain   = "TLS to a plain port"
	classPlainToTLS   = "plain HTTP to a TLS port"
	classUnknownCA    = "TLS unknown authority"
	classWrongName    = "TLS wrong host name"
	classBadCert      = "TLS bad certificate"
	classTLS          = "TLS error"
	classNetwork      = "network error"

	classShortBody   = "short body"
	classWrongLength = "wrong length"
	classDiffers     = "content differs"
	classNoRange     = "range ignored"
	classWrongRange  = "wrong range"
	classNoEncrypt   = "encryption ignored"
	classBadResponse = "bad answer"
	classNotDeleted  = "not deleted"
	classWrongList   = "wrong listing"
	classBadRequest  = "invalid request"
)

// maxMessage is the longest message of an Error in bytes.
const maxMessage = 300

// oneLine brings a text of unknown origin into one line of printable characters that is not too long.
func oneLine(s string) string {
	if len(s) > 4*maxMessage {
		s = s[:4*maxMessage]
	}
	s = strings.ToValidUTF8(s, "")
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
	if len(s) > maxMessage {
		s = strings.ToValidUTF8(s[:maxMessage-3], "") + "..."
	}
	return s
}

// toError makes an *Error of any error that kept a request from getting a whole response.
func toError(err error) *Error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err // its text would repeat method and URL
	}
	return &Error{Class: classOf(err), Message: oneLine(err.Error()), Err: err}
}

// numbered classes by the number of the system's error. Windows has numbers of its own, which mean nothing elsewhere.
var numbered = map[syscall.Errno]string{
	syscall.ECONNREFUSED: classRefused, 10061: classRefused,
	syscall.ECONNRESET: classReset, 10054: classReset,
	syscall.ECONNABORTED: classReset, 10053: classReset,
	syscall.EPIPE:        classReset,
	syscall.EHOSTUNREACH: classUnreachable, 10065: classUnreachable,
	syscall.ENETUNREACH: classUnreachable, 10051: classUnreachable,
	syscall.EADDRNOTAVAIL: classNoPorts, 10049: classNoPorts,
	syscall.EMFILE: classTooManyFiles, syscall.ENFILE: classTooManyFiles, 10024: classTooManyFiles,
	syscall.ETIMEDOUT: classTimeout, 10060: classTimeout,
}

// phrased finds classes that Go's libraries give no type of their own.
var phrased = []struct{ phrase, class string }{
	{"server gave HTTP response to HTTPS client", classTLSToPlain},
	{"malformed HTTP response \"\\x15", classPlainToTLS},
	{"malformed", classBadResponse},
	{"Content-Length", classBadResponse},
	{"unsupported transfer encoding", classBadResponse},
	{"chunk", classBadResponse},
	{"response headers exceeded", classBadResponse},
	{"server closed idle connection", classClosed},
	{"connection broken", classClosed},
	{"stream error: ", classReset}, // of HTTP/2
	{"server sent GOAWAY", classClosed},
	{"client connection lost", classClosed},
	{"tls: ", classTLS},
}

func classOf(err error) string {
	var (
		errno  syscall.Errno
		dns    *net.DNSError
		netErr net.Error
		syntax *xml.SyntaxError
	)
	if class := tlsClass(err); class != "" {
		return class
	}
	switch {
	case errors.Is(err, context.Canceled):
		return classCanceled
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return classTimeout
	case errors.Is(err, io.ErrUnexpectedEOF):
		return classShortBody
	case errors.As(err, &dns):
		if dns.IsNotFound {
			return classNoHost
		}
		return classDNS
	case errors.As(err, &errno) && numbered[errno] != "":
		return numbered[errno]
	case errors.As(err, &netErr) && netErr.Timeout():
		return classTimeout
	case errors.As(err, &syntax):
		return classBadResponse
	case errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed):
		return classClosed
	}
	text := err.Error()
	for _, p := range phrased {
		if strings.Contains(text, p.phrase) {
			return p.class
		}
	}
	return classNetwork
}

// tlsClass is the class of an error of TLS, empty if it is of another kind.
func tlsClass(err error) string {
	var (
		authority x509.UnknownAuthorityError
		name      x509.HostnameError
		invalid   x509.CertificateInvalidError
		record    tls.RecordHeaderError
		alert     tls.AlertError
	)
	switch {
	case errors.As(err, &authority):
		return classUnknownCA
	case errors.As(err, &name):
		return classWrongName
	case errors.As(err, &invalid):
		return classBadCert
	case errors.As(err, &record):
		return classTLSToPlain
	case errors.As(err, &alert):
		return classTLS
	}
	return ""
}
