package formats

import (
	"fmt"
	"slices"
	"testing"

	"warp/pkg/op"
	"warp/pkg/trace"
)

// requestOf describes what a request was about beyond object and size.
func requestOf(e *trace.Event) string {
	text := fmt.Sprintf("%s %s/%s %d", e.Kind, e.Bucket, e.Key, e.Size)
	if e.Part > 0 {
		text += fmt.Sprintf(" part %d", e.Part)
	}
	if e.Source != nil {
		text += fmt.Sprintf(" of %s/%s", e.SourceBucket, e.Source)
	}
	if e.Length > 0 {
		text += fmt.Sprintf(" [%d+%d]", e.Offset, e.Length)
	}
	if e.Entries > 0 {
		text += fmt.Sprintf(" %d keys", e.Entries)
	}
	if e.Listed&trace.ListedFlat != 0 {
		text += " flat"
	}
	if e.Listed&trace.ListedFurther != 0 {
		text += " further"
	}
	return text
}

// s3Line is a line of a server access log.
func s3Line(bucket, id, operation, key, uri, status, size string) string {
	return fmt.Sprintf(`o %s [06/Feb/2019:00:00:38 +0000] 192.0.2.4 - %s %s %s "%s HTTP/1.1" %s - - %s 12 9 "-" "-" - id= SigV4 - AuthHeader host TLSv1.2`+"\n", bucket, id, operation, key, uri, status, size)
}

// What is listed, which part is uploaded, and what is copied, as each format says it.
func TestRequests(t *testing.T) {
	const audit = `{"deploymentid":"d","time":"2026-01-01T00:00:00Z","api":{"name":%q,"bucket":"b","object":%q,"statusCode":200,"rx":7,"timeToResponse":"5ns"},"requestQuery":{%s},"requestHeader":{%s}}` + "\n"
	for name, c := range map[string]struct {
		format, text, columns string
		want                  []string
	}{
		"s3": {
			format: "s3", text: s3Line("b", "R1", "REST.GET.BUCKET", "-", "GET /b?list-type=2&prefix=a%2Fb&delimiter=%2F&max-keys=10&continuation-token=x", "200", "-") +
				s3Line("b", "R2", "REST.PUT.PART", "k", "PUT /b/k?partNumber=12&uploadId=u", "200", "5") +
				s3Line("b", "R3", "REST.GET.BUCKET", "-", "GET /b?marker=&max-keys=", "200", "-"),
			want: []string{"LIST b/a/b -1 10 keys flat further", "PUTPART b/k 5 part 12", "LIST b/ -1"},
		},
		"s3 copies": {
			format: "s3", text: s3Line("b", "R1", "REST.COPY.OBJECT", "to", "PUT /b/to", "200", "100") + // the source comes later
				s3Line("c", "R2", "REST.COPY.OBJECT_GET", "from%202", "PUT /b/to2", "200", "200") + // the source comes first
				s3Line("b", "R2", "REST.COPY.OBJECT", "to2", "PUT /b/to2", "200", "200") +
				s3Line("b", "R3", "REST.COPY.OBJECT", "to3", "PUT /b/to3", "200", "300") + // it never comes
				s3Line("c", "R1", "REST.COPY.OBJECT_GET", "from", "PUT /b/to", "200", "100") +
				s3Line("c", "R4", "REST.COPY.OBJECT_GET", "lonely", "PUT /b/to4", "200", "100") +
				s3Line("c", "R5", "REST.COPY.PART_GET", "from", "PUT /b/to5", "200", "100") +
				s3Line("b", "R5", "REST.COPY.PART", "to5", "PUT /b/to5?partNumber=2&uploadId=u", "200", "50"),
			want: []string{"COPY b/to2 200 of c/from 2", "COPY b/to 100 of c/from", "COPYPART b/to5 50 part 2 of c/from", "COPY b/to3 300"},
		},
		"s3-json": {format: "s3-json", text: `{"schema_version_id":"1","bucket_name":"b","request_time":"2026-01-01T00:00:00.000Z","operation":"REST.COPY.OBJECT","request_id":"A","key":"to","http_status":"200","object_size":"9"}
{"schema_version_id":"1","bucket_name":"c","request_time":"2026-01-01T00:00:00.000Z","operation":"REST.COPY.OBJECT_GET","request_id":"A","key":"from","http_status":"200","object_size":"9"}
{"schema_version_id":"1","bucket_name":"b","request_time":"2026-01-01T00:00:00.000Z","operation":"REST.GET.BUCKET","request_id":"B","key":"-","request_uri":"GET /b?prefix=p&start-after=q HTTP/1.1","http_status":"200"}
`, want: []string{"COPY b/to 9 of c/from", "LIST b/p -1 further"}},
		"cloudtrail": {
			format: "cloudtrail", text: `{"Records":[
{"eventTime":"2026-01-01T00:00:00Z","eventName":"CopyObject","requestParameters":{"bucketName":"b","key":"to","x-amz-copy-source":"c/from%20x?versionId=1"}},
{"eventTime":"2026-01-01T00:00:00Z","eventName":"UploadPartCopy","requestParameters":{"bucketName":"b","key":"to","partNumber":"3","x-amz-copy-source":"/c/from","x-amz-copy-source-range":"bytes=10-29"}},
{"eventTime":"2026-01-01T00:00:00Z","eventName":"ListObjects","requestParameters":{"bucketName":"b","prefix":"p/","max-keys":"5","delimiter":"/","list-type":"2"}}]}`,
			want: []string{"COPY b/to -1 of c/from x", "COPYPART b/to 20 part 3 of c/from [10+20]", "LIST b/p/ -1 5 keys flat"},
		},
		"minio-audit": {
			format: "minio-audit", text: fmt.Sprintf(audit, "CopyObject", "to", "", `"X-Amz-Copy-Source":"/c/from"`) +
				fmt.Sprintf(audit, "CopyObjectPart", "to", `"partNumber":"4"`, `"X-Amz-Copy-Source":"c/from","X-Amz-Copy-Source-Range":"bytes=0-4"`) +
				fmt.Sprintf(audit, "PutObjectPart", "k", `"partNumber":"99999","uploadId":"u"`, "") +
				fmt.Sprintf(audit, "ListObjectsV2", "", `"prefix":"p","max-keys":"3","continuation-token":"x"`, "") +
				fmt.Sprintf(audit, "CopyObject", "to", "", ""),
			want: []string{"COPY b/to -1 of c/from", "COPYPART b/to 5 part 4 of c/from [0+5]", "PUTPART b/k 7 part 10000", "LIST b/p -1 3 keys further", "COPY b/to -1"},
		},
		"minio-trace": {format: "minio-trace", text: `{"time":"2026-01-01T00:00:00Z","api":"s3.CopyObject","path":"/b/to","callStats":{"rx":1,"tx":2,"duration":3},"request":{"headers":{"X-Amz-Copy-Source":["c/from"]}}}
{"time":"2026-01-01T00:00:00Z","api":"s3.ListObjectsV2","path":"/b/?prefix=a&delimiter=%2F","callStats":{"rx":1,"tx":2,"duration":3}}
`, want: []string{"COPY b/to -1 of c/from", "LIST b/a -1 flat"}},
		"rgw": {format: "rgw", text: `{"bucket":"b","object":"to","time":"2026-01-01T00:00:00.0Z","operation":"copy_obj","uri":"PUT /b/to HTTP/1.1","http_status":"200","object_size":8,"trans_id":"t"}
{"bucket":"b","time":"2026-01-01T00:00:00.0Z","operation":"list_bucket","uri":"GET /b?prefix=x%2F&max-keys=2 HTTP/1.1","http_status":"200","bytes_sent":99,"trans_id":"t"}
`, want: []string{"COPY b/to 8", "LIST b/x/ -1 2 keys"}},
		"columns": {
			format: "columns", columns: "time=1,method=2,uri=3", text: "1700000000.5 PUT /b/k?partNumber=7&uploadId=u\n1700000000.6 GET /b/?prefix=p&marker=m\n1700000000.7 POST /b/k?uploads\n",
			want: []string{"PUTPART b/k -1 part 7", "LIST b/p -1 further", "CREATEUPLOAD b/k -1"},
		},
		"warp": {
			format: "warp", text: "thread\top\tclient_id\tn_objects\tbytes\tfile\terror\tstart\tend\tdue\tphase\tsource\tcopied\n" +
				"0\tCOPY\tc\t1\t0\tto\t\t2026-01-01T00:00:00Z\t2026-01-01T00:00:01Z\t\t\t/bucket/from%201\t44\n" +
				"0\tLIST\tc\t250\t0\tp/\t\t2026-01-01T00:00:00Z\t2026-01-01T00:00:01Z\t\t\t\t0\n" +
				"0\tGETPART\tc\t0\t5\tk\t\t2026-01-01T00:00:00Z\t2026-01-01T00:00:01Z\t\t\t\t0\n",
			want: []string{"COPY /to 44 of /from 1", "LIST /p/ -1 250 keys", "GET /k -1 [-1+5]"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{Format: c.format}
			if c.columns != "" {
				var err error
				if o.Columns, err = ParseColumns(c.columns); err != nil {
					t.Fatal(err)
				}
			}
			r, err := NewReader(o, file("sample", c.text))
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			var got []string
			for r.Scan() {
				got = append(got, requestOf(r.Event()))
			}
			if r.Err() != nil || r.Malformed > 0 {
				t.Fatal(r.Err(), r.First)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// Of the requests of an upload, a log with times of a second has the only possible order.
func TestRequestsOfAnUploadInOrder(t *testing.T) {
	for seed := range uint64(100) {
		begin, part, end := withinSecond(seed*7919, op.CreateUpload), withinSecond(seed*104729, op.PutPart), withinSecond(seed*1299709, op.CompleteUpload)
		if begin < 0 || begin >= part || part >= end || end >= second {
			t.Fatalf("begin at %d, part at %d, end at %d", begin, part, end)
		}
	}
}
