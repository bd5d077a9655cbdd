package formats

import (
	"bytes"
	"fmt"

	"warp/internal/option"
)

// Format is a format of traces.
type Format struct {
	Name  string
	About string

	// detect reports whether a file that begins with these bytes is certainly of this format; nil: the format must be named.
	detect func(head []byte) bool
	open   opener
}

// auto is the name for any format that can be recognized.
const auto = "auto"

// All returns all formats, in the order of recognition.
func All() []*Format { return formats }

var formats = []*Format{
	{
		Name:   "warp",
		About:  "recordings of this warp and of MinIO warp, operation logs of sai3-bench",
		detect: isRecording,
		open:   openRecording,
	},
	{Name: "s3", About: "server access logs of S3", detect: isS3Log, open: lines(newS3Log)},
	{Name: "s3-json", About: "server access logs of S3 in CloudWatch Logs", detect: isS3JSON, open: bareLines(newS3JSON)},
	{Name: "cloudtrail", About: "data events of CloudTrail", detect: isCloudTrail, open: objects(newCloudTrail)},
	{Name: "minio-audit", About: "audit logs of MinIO", detect: isMinIOAudit, open: bareLines(newMinIOAudit)},
	{Name: "minio-trace", About: "mc admin trace --json", detect: isMinIOTrace, open: bareLines(newMinIOTrace)},
	{Name: "rgw", About: "operations logs of Ceph's RADOS Gateway", detect: isRGW, open: bareLines(newRGW)},
	{Name: "ibm-cos", About: "object store traces of IBM", detect: isIBMCOS, open: bareLines(newIBMCOS)},
	{Name: "mlperf-kv", About: "key-value cache traces of MLPerf Storage", detect: isKVCache, open: bareLines(newKVCache)},
	{Name: "elbencho", About: "operation logs of elbencho", detect: isElbencho, open: bareLines(newElbencho)},
	{Name: "twitter", About: "cache traces of Twitter", detect: isTwitter, open: bareLines(newTwitter)},
	{Name: "meta-kv", About: "key-value cache traces of Meta", detect: isMetaKV, open: bareLines(newMetaKV)},
	{Name: "oracle-general", About: "cache traces in the binary form of libCacheSim", open: fixed(oracleRecord, newOracle)},
	{Name: "columns", About: "logs of nginx, HAProxy and others, by --columns", open: openColumns},
}

// compact is the format of files in the compact form. It cannot be named: it is always recognized.
var compact = &Format{Name: "compact", open: openCompact}

// Names returns Auto and the names of all formats.
func Names() []string {
	names := []string{auto}
	for _, f := range formats {
		names = append(names, f.Name)
	}
	return names
}

// formatOf returns the format with a name; nil for Auto.
func formatOf(name string) (*Format, error) {
	if name == "" || name == auto {
		return nil, nil
	}
	for _, f := range formats {
		if f.Name == name {
			return f, nil
		}
	}
	return nil, fmt.Errorf("unknown format %q (want %s)", name, option.List(Names()...))
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
