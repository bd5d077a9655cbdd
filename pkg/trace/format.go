package trace

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"warp/internal/option"
)

// parser makes events of the records of a file. It keeps what is common to them, such as the names of columns.
type parser interface {
	// parse adds the events of a record. A record without any is left out, or what it holds is noted by events.skip.
	parse(record []byte, out *events) error
}

// ender is a parser that keeps something of records until the end of the file.
type ender interface {
	// end adds the events that were kept.
	end(out *events)
}

// Format is one form of traces.
type Format struct {
	Name  string
	About string

	// detect reports whether the first bytes of a file, of whole lines if there are any, are of this format, beyond doubt; nil: the
	// format must be named.
	detect func(head []byte) bool
	// split cuts a file into records; nil: lines.
	split func(in *bufio.Reader) splitter
	// parser returns a parser for one file; nil: the format has a reader of its own.
	parser func(o *Options) (parser, error)
	// bare is whether a last line without an end can be taken for whole.
	bare bool
}

// Auto is the name that stands for the format that is recognized.
const Auto = "auto"

// Formats returns all formats, in the order in which they are tried.
func Formats() []*Format { return formats }

var formats = []*Format{
	{Name: "warp", About: "recordings of this warp and of MinIO warp, operation logs of sai3-bench", detect: isRecording},
	{Name: "s3", About: "server access logs of S3", detect: isS3Log, parser: newS3Log},
	{Name: "s3-json", About: "server access logs of S3 in CloudWatch Logs", detect: isS3JSON, parser: newS3JSON, bare: true},
	{Name: "cloudtrail", About: "data events of CloudTrail", detect: isCloudTrail, split: splitObjects, parser: newCloudTrail},
	{Name: "minio-audit", About: "audit logs of MinIO", detect: isMinIOAudit, parser: newMinIOAudit, bare: true},
	{Name: "minio-trace", About: "mc admin trace --json", detect: isMinIOTrace, parser: newMinIOTrace, bare: true},
	{Name: "rgw", About: "operations logs of Ceph's RADOS Gateway", detect: isRGW, parser: newRGW, bare: true},
	{Name: "ibm-cos", About: "object store traces of IBM", detect: isIBMCOS, parser: newIBMCOS, bare: true},
	{Name: "mlperf-kv", About: "key-value cache traces of MLPerf Storage", detect: isKVCache, parser: newKVCache, bare: true},
	{Name: "elbencho", About: "operation logs of elbencho", detect: isElbencho, parser: newElbencho, bare: true},
	{Name: "twitter", About: "cache traces of Twitter", detect: isTwitter, parser: newTwitter, bare: true},
	{Name: "meta-kv", About: "key-value cache traces of Meta", detect: isMetaKV, parser: newMetaKV, bare: true},
	{Name: "oracle-general", About: "cache traces in the binary form of libCacheSim", split: splitOracle, parser: newOracle},
	{Name: "columns", About: "logs of nginx, HAProxy and others, by --columns", parser: newColumns, bare: true},
}

// FormatNames returns the names of all formats, and Auto.
func FormatNames() []string {
	names := []string{Auto}
	for _, f := range formats {
		names = append(names, f.Name)
	}
	return names
}

// formatOf returns the format of a name; nil for Auto.
func formatOf(name string) (*Format, error) {
	if name == "" || name == Auto {
		return nil, nil
	}
	for _, f := range formats {
		if f.Name == name {
			return f, nil
		}
	}
	return nil, fmt.Errorf("unknown format %q (want %s)", name, option.List(FormatNames()...))
}

// detected returns the format of a file that begins with these bytes; nil if none is recognized.
func detected(head []byte) *Format {
	if i := bytes.LastIndexByte(head, '\n'); i >= 0 {
		head = head[:i+1]
	}
	for _, f := range formats {
		if f.detect != nil && f.detect(head) {
			return f
		}
	}
	return nil
}

// firstLine returns the first line that is not empty.
func firstLine(head []byte) []byte {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, byteOrderMark), "\r\n \t")
	line, _ := cutField(head, '\n')
	return bytes.TrimRight(line, "\r")
}

// byteOrderMark is what some programs of Windows put before a text.
var byteOrderMark = []byte("\xef\xbb\xbf")

// isJSON reports whether the first line is the beginning of a JSON object, or of an array of them, that has all of these names within what is
// there of the file.
func isJSON(head []byte, names ...string) bool {
	line := bytes.TrimLeft(firstLine(head), "[ \t\r\n")
	if len(line) > 0 && line[0] != '{' || len(line) == 0 && !bytes.Contains(head, []byte("{")) {
		return false
	}
	if len(line) > 2 { // the first object is one line
		head = line
	}
	for _, name := range names {
		if !bytes.Contains(head, []byte(`"`+name+`"`)) {
			return false
		}
	}
	return true
}

func splitObjects(in *bufio.Reader) splitter { return &objectSplitter{in: in} }

// splitterOf returns what cuts a file of a format into records.
func (f *Format) splitterOf(in *bufio.Reader) splitter {
	if f.split != nil {
		return f.split(in)
	}
	return &lineSplitter{in: in, bare: f.bare}
}

// failureOf returns the error that ended the reading of a file.
func failureOf(s splitter) error {
	switch s := s.(type) {
	case *lineSplitter:
		return s.err
	case *objectSplitter:
		return s.err
	case *fixedSplitter:
		return s.err
	}
	return io.ErrUnexpectedEOF
}
