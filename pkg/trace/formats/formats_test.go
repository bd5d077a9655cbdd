package formats

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"go.uber.org/goleak"

	"warp/pkg/recording"
	"warp/pkg/trace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// file is an input that holds a text.
func file(name, text string) recording.Input {
	return recording.Input{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

// lineOf describes an event: start, kind, bucket/key, size, range, status, latency, client.
func lineOf(e *trace.Event) string {
	text := fmt.Sprintf("%d %s %s/%s %d", e.Start, e.Kind, e.Bucket, e.Key, e.Size)
	if e.Length > 0 {
		text += fmt.Sprintf(" [%d+%d]", e.Offset, e.Length)
	}
	return text + fmt.Sprintf(" %d %d %s", e.Status, e.Latency, e.Client)
}

// readAll reads a trace and returns its events as text.
func readAll(t *testing.T, o Options, text string) ([]string, *Reader) {
	t.Helper()
	r, err := NewReader(o, file("sample", text))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var got []string
	for r.Scan() {
		got = append(got, lineOf(r.Event()))
	}
	return got, r
}

// Samples, written from the public descriptions of the formats, each with what makes it hard to read.
const (
	// A request with quotes in its URI, an escaped key, a range, a missing size, no order, an operation not on objects, half a line.
	sampleS3 = `79a5 mybucket [06/Feb/2019:00:01:57 +0000] 192.0.2.3 arn:aws:iam::1:user/a DD6CC733AEXAMPLE REST.PUT.OBJECT s3-dg.pdf "PUT /mybucket/s3-dg.pdf HTTP/1.1" 200 - - 4406583 41754 28 "-" "S3Console/0.4" - 10S62Zv81kBW7BB6SX4XJ48o6kpcl6LPwEoizZQQxJd5qDSCTLX0TgS37kYUBKQW3+bPdrg1234= SigV4 ECDHE-RSA-AES128-SHA AuthHeader mybucket.s3.us-west-1.amazonaws.com TLSV1.1
79a5 mybucket [06/Feb/2019:00:00:38 +0000] 192.0.2.3 79a5 3E57427F3EXAMPLE REST.GET.VERSIONING - "GET /mybucket?versioning HTTP/1.1" 200 - 113 - 7 - "-" "S3Console/0.4" - s9lzHYrFp76ZVxRcpX9+5cjAnEH2ROuNkd2BHfIa6UkFVdtjf5mKR3/eTPFvsiP/XV/VLi31234= SigV4 ECDHE-RSA-AES128-SHA AuthHeader mybucket.s3.us-west-1.amazonaws.com TLSV1.1
79a5 mybucket [06/Feb/2019:00:00:38 +0000] 192.0.2.4 - A1206F460EXAMPLE REST.GET.OBJECT a%20b%22c.txt "GET /mybucket/a%20b"c".txt?x="1" 2" HTTP/1.1" 206 - 100 1000 12 9 "http://example.com/"q"" "agent "quoted"" - id= SigV4 - AuthHeader host TLSv1.2 - - -
79a5 mybucket [06/Feb/2019:02:00:38 +0200] 192.0.2.4 - B1206F460EXAMPLE REST.GET.OBJECT gone "GET /mybucket/gone HTTP/1.1" 404 NoSuchKey 274 - 3 - "-" "-" - id= SigV4 - AuthHeader host TLSv1.2
79a5 mybucket [06/Feb/2019:00:00:40 +0000] 192.0.2.4 - C1206F460EXAMPLE REST.GET.BUCKET - "GET /mybucket?list-type=2&prefix=logs%2F HTTP/1.1" 200 - 512 - 5 4 "-" "-" - id= SigV4 - AuthHeader host TLSv1.2
no line of a log
79a5 mybucket [06/Feb/2019:00:00:41 +0000] 192.0.2.4 - D1206F460EXAMPLE REST.GET.OBJ`

	sampleS3JSON = `{"schema_version_id":"1.0","bucket_arn":"arn:aws:s3:::mybucket","bucket_name":"mybucket","request_time":"2026-02-06T00:00:38.125Z","remote_ip":"192.0.2.3","request_id":"A1","operation":"REST.PUT.OBJECT","key":"a%2Cb","request_uri":"PUT /mybucket/a,b HTTP/1.1","http_status":200,"bytes_sent":"-","object_size":4096,"total_time":20}
{"schema_version_id":"1.0","bucket_name":"mybucket","request_time":"2026-02-06T00:00:38.125Z","remote_ip":"192.0.2.3","operation":"REST.GET.OBJECT","key":"say \"hi\"","http_status":"206","bytes_sent":"10","object_size":"4096","total_time":"5"}
{"schema_version_id":"1.0","bucket_name":"mybucket","request_time":"2026-02-06T00:00:39Z","operation":"REST.PUT.ACL","key":"-"}
{"schema_version_id":"1.0","bucket_name":"mybucket","request_ti`

	sampleCloudTrail = `{
  "Records": [
    {"eventVersion":"1.08","eventTime":"2026-02-06T00:00:38Z","eventSource":"s3.amazonaws.com","eventName":"PutObject","sourceIPAddress":"192.0.2.3","requestParameters":{"bucketName":"b","key":"k {1}","Host":"h"},"additionalEventData":{"bytesTransferredIn":1234.0,"bytesTransferredOut":0},"requestID":"R1"},
    {"eventTime":"2026-02-06T00:00:38Z","eventSource":"s3.amazonaws.com","eventName":"GetObject","errorCode":"NoSuchKey","sourceIPAddress":"192.0.2.3","requestParameters":{"bucketName":"b","key":"x\"y"},"additionalEventData":{"bytesTransferredIn":0,"bytesTransferredOut":274},"requestID":"R2"},
    {"eventTime":"2026-02-06T00:00:39Z","eventSource":"s3.amazonaws.com","eventName":"DeleteObjects","requestParameters":{"bucketName":"b","delete":""},"requestID":"R3"},
    {"eventTime":"2026-02-06T00:00:40Z","eventSource":"s3.amazonaws.com","eventName":"ListObjects","sourceIPAddress":"192.0.2.4","requestParameters":{"bucketName":"b","prefix":"p/"},"requestID":"R4"}
  ]
}
`

	sampleMinIOAudit = `{"version":"1","deploymentid":"bc0e","time":"2026-02-06T00:00:38.500000001Z","event":"","trigger":"incoming","api":{"name":"PutObject","bucket":"b","object":"dir/k","status":"OK","statusCode":200,"rx":4200,"tx":0,"timeToFirstByte":"1ms","timeToResponse":"20000000ns"},"remotehost":"10.0.0.1","requestID":"1","userAgent":"x","requestHeader":{"Content-Length":"4200","X-Amz-Decoded-Content-Length":"4096"},"responseHeader":{"ETag":"x"}}
{"version":"1","deploymentid":"bc0e","time":"2026-02-06T00:00:37Z","api":{"name":"GetObject","bucket":"b","object":"dir/k","statusCode":206,"rx":0,"tx":100,"timeToResponse":"1.5s"},"remotehost":"10.0.0.2","requestHeader":{"Range":"bytes=10-109"},"responseHeader":{"Content-Length":"100","Content-Range":"bytes 10-109/4096"}}
{"version":"1","deploymentid":"bc0e","time":"2026-02-06T00:00:39Z","api":{"name":"DeleteMultipleObjects","bucket":"b","objects":[{"objectName":"x,1"},{"objectName":"y"}],"statusCode":200,"timeToResponse":"0s"},"remotehost":"10.0.0.2"}
{"version":"1","deploymentid":"bc0e","time":"2026-02-06T00:00:39Z","api":{"name":"ListBuckets","statusCode":200}}
{"version":"1","deploymentid":"bc0e","time":"2026-02-06T0`

	sampleMinIOTrace = `{"host":"h:9000","time":"2026-02-06T00:00:38.25Z","client":"10.0.0.1","callStats":{"rx":4200,"tx":0,"duration":2000000,"timeToFirstByte":1000},"api":"s3.PutObject","path":"/b/dir/k%20k","query":"","statusCode":200,"statusMsg":"OK","type":"s3"}
{"host":"h:9000","time":"2026-02-06T00:00:38.20Z","client":"10.0.0.1","callStats":{"rx":100,"tx":500,"duration":3000000,"timeToFirstByte":1000},"api":"s3.ListObjectsV2","path":"/b","query":"list-type=2\u0026prefix=dir%2F","statusCode":200,"type":"s3"}
{"host":"h:9000","time":"2026-02-06T00:00:39Z","callStats":{"rx":0,"tx":0,"duration":0},"api":"storage.ReadFile","path":"/disk","statusCode":0,"type":"storage"}
`

	sampleRGW = `[{"bucket":"b","time":"2026-02-06T00:00:38.123456Z","time_local":"x","remote_addr":"10.0.0.1","user":"u","operation":"put_obj","uri":"PUT /b/k%2C1 HTTP/1.1","http_status":"200","error_code":"","bytes_sent":0,"bytes_received":4096,"object_size":4096,"total_time":12,"user_agent":"a","referrer":"","trans_id":"tx1"},
{"bucket":"b","time":"2026-02-06 00:00:37.5Z","remote_addr":"10.0.0.1","operation":"get_obj","uri":"HEAD /b/k%2C1 HTTP/1.1","http_status":"200","bytes_sent":0,"object_size":4096,"total_time":1,"trans_id":"tx2"},
{"bucket":"b","time":"2026-02-06T00:00:39.5Z","remote_addr":"10.0.0.1","operation":"get_bucket_location","uri":"GET /b?location HTTP/1.1","http_status":"200","trans_id":"tx3"}]
`

	sampleIBMCOS = `1219008 REST.PUT.OBJECT 8d4fcda3d675bac9 1056
1221974 REST.HEAD.OBJECT 39d177fb735ac5df 528
1232437 REST.GET.OBJECT 3b8255e0609a700d 1456 0 1455
1232488 REST.GET.OBJECT 95d363d3fbdc0b03 1168 100 199
1234545 REST.GET.OBJECT bfc07f9981aa6a5a
x REST.GET.OBJECT y 1
1256364 REST.DELETE.OBJECT c27efddbeef2b638`

	sampleKVCache = `Timestamp,Operation,Object_Size_Bytes,Tier,Key,Phase
1700000000.5,Write,131072,Tier-2,layer,3,decode
1700000001.25,Read,131072,Tier-2,block_1,prefill
1700000001.5,Evict,1,Tier-0,x,decode
`

	sampleElbencho = `{"date":1700000000100,"worker_rank":0,"op_name":"s3_put_object","entry_name":"dir/a","offset":0,"length":4096,"is_finished":false,"is_error":false}
{"date":1700000000110,"worker_rank":1,"op_name":"s3_get_object","entry_name":"dir/b","offset":4096,"length":100,"is_finished":false,"is_error":false}
{"date":1700000000130,"worker_rank":0,"op_name":"s3_put_object","entry_name":"dir/a","offset":0,"length":4096,"is_finished":true,"is_error":false}
{"date":1700000000140,"worker_rank":1,"op_name":"s3_get_object","entry_name":"dir/b","offset":4096,"length":100,"is_finished":true,"is_error":true}
`

	sampleTwitter = `0,q:q:1,8WTfjZU14ee,17,213,4,get,0
0,yDqF,3q,1JBUQ,6,0,5,set,86400
1,key,3,10,5,delete,0
1,key,3,10,5,flush,0
`

	sampleMetaKV = `op_time,key,key_size,op,op_count,size,cache_hits,ttl
100,a,10,GET_LEASE,2,40,2,0
100,b,10,SET,1,50,0,0
101,b,10,GET,1,0,0,0
101,b,10,GET,70000,0,0,0
`

	sampleColumns = `10.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET /b/a%20b?x=\x22y\x22 HTTP/1.1" 200 2326 "http://a/" "agent [1]" 0.125
10.0.0.2 - - [10/Oct/2000:13:55:36 -0700] "PUT /b/c HTTP/1.1" 200 - "-" "-" 0.250
10.0.0.2 - - [10/Oct/2000:13:55:37 -0700] "GET /b/c?acl HTTP/1.1" 200 10 "-" "-" 0.250
`
)

// oracleSample is two records of libCacheSim, and a half.
func oracleSample() string {
	var b []byte
	for i, r := range [][3]uint64{{5, 77, 4096}, {5, 1 << 40, 10}} {
		b = binary.LittleEndian.AppendUint32(b, uint32(r[0]))
		b = binary.LittleEndian.AppendUint64(b, r[1])
		b = binary.LittleEndian.AppendUint32(b, uint32(r[2]))
		b = binary.LittleEndian.AppendUint64(b, uint64(i))
	}
	return string(append(b, 1, 2, 3))
}

var samples = []struct {
	format, text string
	columns      string
	want         string // events, one per line; ~ stands for the nanoseconds within a second
	bad          int64
	skipped      string
}{
	{
		format: "s3", text: sampleS3, bad: 2, skipped: "REST.GET.VERSIONING",
		want: `1549411317~ PUT mybucket/s3-dg.pdf 4406583 200 41754000000 192.0.2.3
1549411238~ GET mybucket/a b"c.txt 1000 [-1+100] 206 12000000 192.0.2.4
1549411238~ GET mybucket/gone -1 404 3000000 192.0.2.4
1549411240~ LIST mybucket/logs/ -1 200 5000000 192.0.2.4`,
	},
	{
		format: "s3-json", text: sampleS3JSON, bad: 1, skipped: "REST.PUT.ACL",
		want: `1770336038125000000 PUT mybucket/a,b 4096 200 20000000 192.0.2.3
1770336038125000000 GET mybucket/say "hi" 4096 [-1+10] 206 5000000 192.0.2.3`,
	},
	{
		format: "cloudtrail", text: sampleCloudTrail, skipped: "DeleteObjects",
		want: `1770336038~ PUT b/k {1} 1234 0 -1 192.0.2.3
1770336038~ GET b/x"y 274 404 -1 192.0.2.3
1770336040~ LIST b/p/ -1 0 -1 192.0.2.4`,
	},
	{
		format: "minio-audit", text: sampleMinIOAudit, bad: 1, skipped: "ListBuckets",
		want: `1770336038480000001 PUT b/dir/k 4096 200 20000000 10.0.0.1
1770336035500000000 GET b/dir/k 4096 [10+100] 206 1500000000 10.0.0.2
1770336039000000000 DELETE b/x,1 -1 200 0 10.0.0.2
1770336039000000000 DELETE b/y -1 200 0 10.0.0.2`,
	},
	{
		format: "minio-trace", text: sampleMinIOTrace, skipped: "storage.ReadFile",
		want: `1770336038250000000 PUT b/dir/k k 4200 200 2000000 10.0.0.1
1770336038200000000 LIST b/dir/ -1 200 3000000 10.0.0.1`,
	},
	{
		format: "rgw", text: sampleRGW, skipped: "get_bucket_location",
		want: `1770336038123456000 PUT b/k,1 4096 200 12000000 10.0.0.1
1770336037500000000 STAT b/k,1 4096 200 1000000 10.0.0.1`,
	},
	{
		format: "ibm-cos", text: sampleIBMCOS, bad: 1,
		want: `1219008000000 PUT /8d4fcda3d675bac9 1056 0 -1 
1221974000000 STAT /39d177fb735ac5df 528 0 -1 
1232437000000 GET /3b8255e0609a700d 1456 0 -1 
1232488000000 GET /95d363d3fbdc0b03 1168 [100+100] 0 -1 
1234545000000 GET /bfc07f9981aa6a5a -1 0 -1 
1256364000000 DELETE /c27efddbeef2b638 -1 0 -1 `,
	},
	{
		format: "mlperf-kv", text: sampleKVCache, skipped: "Evict",
		want: `1700000000500000000 PUT Tier-2/layer,3 131072 0 -1 decode
1700000001250000000 GET Tier-2/block_1 131072 0 -1 prefill`,
	},
	{
		format: "elbencho", text: sampleElbencho,
		want: `1700000000100000000 PUT /dir/a 4096 0 30000000 0
1700000000110000000 GET /dir/b -1 [4096+100] 500 30000000 1`,
	},
	{
		format: "twitter", text: sampleTwitter, skipped: "flush",
		want: `0 GET /q:q:1,8WTfjZU14ee 213 0 -1 4
9000000 PUT /yDqF,3q,1JBUQ 0 0 -1 5
1000000000 DELETE /key 10 0 -1 5`,
	},
	{
		format: "meta-kv", text: sampleMetaKV, bad: 1,
		want: `100000000000 GET /a 40 0 -1 
100009000000 GET /a 40 0 -1 
100018000000 PUT /b 50 0 -1 
101000000000 GET /b -1 0 -1 `,
	},
	{
		format: "oracle-general", text: oracleSample(), bad: 1,
		want: "5000000000 GET /M\x00\x00\x00\x00\x00\x00\x00 4096 0 -1 \n5009000000 GET /\x00\x00\x00\x00\x00\x01\x00\x00 10 0 -1 ",
	},
	{
		format: "columns", text: sampleColumns, columns: "client=1,end=4,request=5,status=6,sent=7,latency=10", skipped: "GET",
		want: `971211335875000000 GET b/a b 2326 200 125000000 10.0.0.1
971211335759000000 PUT b/c -1 200 250000000 10.0.0.2`,
	},
}

// sameEvents compares events with what is expected of them.
func sameEvents(t *testing.T, got []string, want string) {
	t.Helper()
	lines := strings.Split(want, "\n")
	if len(got) != len(lines) {
		t.Fatalf("%d events, want %d:\n%s", len(got), len(lines), strings.Join(got, "\n"))
	}
	for i, line := range lines {
		g := got[i]
		if sec, rest, hashed := strings.Cut(line, "~"); hashed {
			start, after, _ := strings.Cut(g, " ")
			if len(start) == len(sec)+9 {
				g, line = start[:len(sec)]+" "+after, sec+rest
			}
		}
		if g != line {
			t.Errorf("event %d:\n got %q\nwant %q", i, g, line)
		}
	}
}

func TestFormats(t *testing.T) {
	for _, s := range samples {
		t.Run(s.format, func(t *testing.T) {
			o := Options{Format: s.format, MaxMalformed: Limit{Number: 100}}
			if s.columns != "" {
				var err error
				if o.Columns, err = ParseColumns(s.columns); err != nil {
					t.Fatal(err)
				}
			}
			got, r := readAll(t, o, s.text)
			if r.Err() != nil {
				t.Fatal(r.Err())
			}
			sameEvents(t, got, s.want)
			if r.Malformed != s.bad || len(r.First) != int(s.bad) {
				t.Errorf("%d bad records, want %d: %q", r.Malformed, s.bad, r.First)
			}
			if s.skipped != "" && r.Skipped[s.skipped] != 1 || s.skipped == "" && len(r.Skipped) > 0 {
				t.Errorf("skipped %v, want %q", r.Skipped, s.skipped)
			}
			if marked, r := readAll(t, o, "\ufeff"+s.text); r.Err() != nil || !slices.Equal(marked, got) || r.Malformed != s.bad {
				t.Errorf("with a byte order mark: %q, %v, %d bad records", marked, r.Err(), r.Malformed)
			}
			for _, f := range formats {
				if f.detect != nil && f.detect([]byte(s.text)) != (f.Name == s.format) {
					t.Errorf("the format %s is taken for %s: %v", s.format, f.Name, f.Name != s.format)
				}
			}
		})
	}
}

// compress returns a text in all forms of compression.
func compress(t *testing.T, text string) map[string]string {
	t.Helper()
	var gz, zst bytes.Buffer
	g := gzip.NewWriter(&gz)
	z, err := zstd.NewWriter(&zst, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []interface {
		io.WriteCloser
		Flush() error
	}{g, z} {
		for i := 0; i < len(text); i += 50_000 {
			if _, err := io.WriteString(w, text[i:min(len(text), i+50_000)]); err != nil {
				t.Fatal(err)
			}
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return map[string]string{"plain": text, "gzip": gz.String(), "zstd": zst.String()}
}

func TestCompressed(t *testing.T) {
	want, _ := readAll(t, Options{MaxMalformed: Limit{Number: 9}}, sampleS3)
	for name, text := range compress(t, sampleS3) {
		got, r := readAll(t, Options{MaxMalformed: Limit{Number: 9}}, text)
		if r.Err() != nil || strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: %v, %q", name, r.Err(), got)
		}
	}
	// A file that was cut off while it was copied.
	long := strings.Repeat(sampleIBMCOS[:strings.Index(sampleIBMCOS, "\nx ")+1], 2000)
	files := compress(t, long)
	packed, err := os.ReadFile("testdata/long.xz") // no library writes the format
	if err != nil {
		t.Fatal(err)
	}
	if got, r := readAll(t, Options{}, string(packed)); r.Err() != nil || len(got) != 10_000 {
		t.Errorf("xz: %d events, %v", len(got), r.Err())
	}
	files["xz"] = string(packed)
	for name, text := range files {
		got, r := readAll(t, Options{MaxMalformed: Limit{Number: 9}}, text[:len(text)-len(text)/4])
		if r.Err() != nil || len(got) == 0 || len(got) >= 10_000 || name != "plain" && len(r.Notes) != 1 {
			t.Errorf("%s, truncated: %v, %d events, %q", name, r.Err(), len(got), r.Notes)
		}
	}
}

func TestRecordings(t *testing.T) {
	const text = "idx\tthread\top\tclient_id\tn_objects\tbytes\tendpoint\tfile\terror\tstart\tfirst_byte\tlast_byte\tend\tduration_ns\tcat\n" +
		"0\t1\tPREPARE_PUT\tc\t1\t10\thttp://h\ta\t\t2026-02-06T00:00:37Z\t\t\t2026-02-06T00:00:38Z\t1\t0\n" +
		"1\t1\tGET\tc\t1\t10\thttp://h\ta,b\t\t2026-02-06T00:00:38.000000001Z\t2026-02-06T00:00:38.1Z\t\t2026-02-06T00:00:38.500000001Z\t500000000\t0\n" +
		"2\t2\tPUT\tc\t1\t10\ts3://\ts3://bucket/dir/x\tfailed: no\t2026-02-06T00:00:38Z\t\t\t2026-02-06T00:00:39Z\t1\t0\n" +
		"3\t2\tGETTAGS\tc\t1\t0\thttp://h\ta\t\t2026-02-06T00:00:38Z\t\t\t2026-02-06T00:00:39Z\t1\t0\n" +
		"4\t2\tGET_304\tc\t1\t0\thttp://h\ta\t\t2026-02-06T00:00:38Z\t\t\t2026-02-06T00:00:39Z\t1\t0\n"
	got, r := readAll(t, Options{}, text)
	if r.Err() != nil || r.Skipped["GETTAGS"] != 1 {
		t.Fatal(r.Err(), r.Skipped)
	}
	sameEvents(t, got, `1770336038000000001 GET /a,b 10 0 500000000 c/1
1770336038000000000 PUT bucket/dir/x -1 500 1000000000 c/2
1770336038000000000 GET /a -1 304 1000000000 c/2`)
}

// TestPreparationOfMinIOWarp: nothing marks it, but that other operations begin when it has ended. Deletions of several objects have no keys.
func TestPreparationOfMinIOWarp(t *testing.T) {
	const header = "idx\tthread\top\tclient_id\tn_objects\tbytes\tendpoint\tfile\terror\tstart\tfirst_byte\tlast_byte\tend\tduration_ns\tcat\n"
	row := func(kind, key string, objects, start, end int) string {
		return fmt.Sprintf("0\t1\t%s\tc\t%d\t10\thttp://h\t%s\t\t2026-02-06T00:00:%02dZ\t\t\t2026-02-06T00:00:%02dZ\t1\t0\n", kind, objects, key, start, end)
	}
	for _, c := range []struct {
		name, rows string
		want       string // kinds and keys
	}{
		{"get", row("PUT", "a", 1, 10, 11) + row("PUT", "b", 1, 11, 12) + row("GET", "a", 1, 15, 16) + row("PUT", "c", 1, 16, 17), "GET a, PUT c"},
		{"parts", row("PUTPART", "a", 1, 10, 11) + row("GET", "a", 1, 11, 16), "GET a"},
		{"put", row("PUT", "a", 1, 10, 11) + row("PUT", "b", 1, 11, 12), "PUT a, PUT b"},
		{"mixed", row("PUT", "a", 1, 10, 12) + row("GET", "b", 1, 11, 12), "PUT a, GET b"},
		{
			"delete", row("PUT", "a", 1, 10, 12) + row("DELETE", "", 2, 15, 16) + row("DELETE", "a", 1, 16, 17),
			"DELETE c/1/1770336015000000000.0, DELETE c/1/1770336015000000000.1, DELETE a",
		},
		{"operation log", row("PUT", "s3://b/a", 1, 10, 12) + row("GET", "s3://b/a", 1, 15, 16), "PUT b/a, GET b/a"},
	} {
		got, r := readAll(t, Options{}, header+c.rows)
		var list []string
		for _, e := range got {
			f := strings.Fields(e) // time, kind, bucket/key
			list = append(list, f[1]+" "+strings.TrimPrefix(f[2], "/"))
		}
		if r.Err() != nil || strings.Join(list, ", ") != c.want || r.Records != int64(strings.Count(c.rows, "\n")) {
			t.Errorf("%s: %v of %d records, %v, want %s", c.name, list, r.Records, r.Err(), c.want)
		}
	}
}

func TestWhatCannotBeRead(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "sample: the file is empty"},
		{"unknown", "hello\nworld\n", "the format is not recognized; name it (warp, s3"},
		{"archive", "PK\x03\x04\x14\x00\x00\x00", "sample: a ZIP archive: unpack it first"},
		{"too many", sampleIBMCOS + "\n" + strings.Repeat("x y z\n", 3), "2 of 8 records could not be read, more than --max-bad allows"},
		{"long", sampleIBMCOS + "\n" + strings.Repeat("x", 3<<20) + "\n" + "1 REST.GET.OBJECT a 1\n", "2 of 8 records could not be read"},
		{"half a frame", "\x28\xb5\x2f\xfd", "EOF"},
	} {
		_, r := readAll(t, Options{MaxMalformed: Limit{Number: 1}}, c.text)
		if r.Err() == nil || !strings.Contains(r.Err().Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, r.Err(), c.want)
		}
	}
	if _, err := NewReader(Options{Format: "csv"}); err == nil || !strings.Contains(err.Error(), `unknown format "csv" (want auto`) {
		t.Error(err)
	}
	r, err := NewReader(Options{}, recording.Input{Name: "x", Open: func() (io.ReadCloser, error) { return nil, os.ErrNotExist }})
	if err != nil || r.Scan() || r.Err() == nil {
		t.Error("a missing file is no error")
	}
}

func TestParseColumns(t *testing.T) {
	for text, want := range map[string]string{
		"time=a,request=b":              "",
		"time=a,uri=b,method=c":         "",
		"end=a,latency=t:ms,key=b,op=c": "",
		"time":                          "NAME=PATH",
		"when=1":                        `unknown column "when"`,
		"time=a,end=b,request=c":        "time or end",
		"end=a,request=c":               "latency is needed",
		"time=a,op=b":                   "what requests were about",
		"time=a,key=b":                  "what requests did",
		"time=a,request=b,latency=t:h":  `invalid unit "h"`,
	} {
		if _, err := ParseColumns(text); err == nil != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestColumnsByNumber: what separates columns follows from the first line whose columns are where they should be.
func TestColumnsByNumber(t *testing.T) {
	for _, c := range []struct{ name, columns, text string }{
		{"blanks", "", "1700000000.25 PUT k 10\n"},
		{"tabs", "", "1700000000.25\tPUT\tk\t10\n"},
		{"commas", "", "1700000000.25,PUT,k,10\n"},
		{"semicolons", "", "1700000000.25;PUT;k;10\n"},
		{"bars", "", "1700000000.25|PUT|k|10\n"},
		{"quotes", "", `"1700000000.25","PUT","k","10"` + "\n"},
		{"comment", "", "# time, what, which, bytes\n1700000000.25,PUT,k,10\n"},
		{"heading", "", "time,op,key,size\n1700000000.25,PUT,k,10\n"},
		{"heading with a byte order mark", "", "\ufefftime;op of the client;key;size (bytes)\n1700000000.25;PUT;k;10\n"},
		{"a date with a blank", "time=1,op=2,key=3,size=4", "2023-11-14 22:13:20.25,PUT,k,10\n"},
		{"blanks in another column", "time=1,op=2,key=3,size=5", "1700000000.25,PUT,k,it is of a b c d,10\n"},
		{"commas in a log", "time=1,op=2,key=3,size=5", `1700000000.25 PUT k "agent, 1.0" 10` + "\n"},
		{"another order", "size=1,key=2,op=3,time=4", "10,k,PUT,1700000000.25\n"},
		{"names and semicolons", "time=at,op=what is done,key=key,size=size", "key;size;what is done;at\nk;10;PUT;1700000000.25\n"},
		{"names and commas with blanks", "time=at,op=what is done,key=key,size=size", "key,size,what is done,at\nk,10,PUT,1700000000.25\n"},
	} {
		columns, err := ParseColumns(cmp.Or(c.columns, "time=1,op=2,key=3,size=4"))
		if err != nil {
			t.Fatal(err)
		}
		got, r := readAll(t, Options{Columns: columns}, c.text)
		if r.Err() != nil || r.Malformed != 0 || len(got) != 1 || got[0] != "1700000000250000000 PUT /k 10 0 -1 " {
			t.Errorf("%s: %q, %d bad, %v, %q", c.name, got, r.Malformed, r.Err(), r.First)
		}
	}
	// A first line with a slip is no heading.
	columns, err := ParseColumns("time=1,op=2,key=3,size=4")
	if err != nil {
		t.Fatal(err)
	}
	got, r := readAll(t, Options{Columns: columns, MaxMalformed: Limit{Number: 1}}, "O,PUT,k,10\n1700000000.25,PUT,k,10\n")
	if r.Err() != nil || r.Malformed != 1 || len(got) != 1 {
		t.Errorf("%q, %d bad, %v", got, r.Malformed, r.Err())
	}
}

// JSON logs are read by paths, and tables by the names of their columns.
func TestColumnForms(t *testing.T) {
	for columns, text := range map[string]string{
		"time=ts,request=http.request,status=http.status,received=in,latency=took:ms": `{"ts":1700000000.25,"http":{"request":"PUT /b/k HTTP/2","status":200},"in":"10","took":1.5}`,
		"time=when,method=verb,bucket=bkt,key=name,status=code,size=len,latency=t:us": "when,verb,bkt,name,code,len,t\n2023-11-14T22:13:20.25Z,PUT,b,k,200,10,1500\n",
		"time=when,op=verb,bucket=bkt,key=name,status=code,size=len,latency=t:ns":     "name\tcode\tbkt\tverb\twhen\tlen\tt\nk\t200\tb\tPutObject\t1700000000250\t10\t1500000\n",
	} {
		c, err := ParseColumns(columns)
		if err != nil {
			t.Fatal(err)
		}
		got, r := readAll(t, Options{Columns: c}, text)
		if r.Err() != nil || len(got) != 1 || got[0] != "1700000000250000000 PUT b/k 10 200 1500000 " {
			t.Errorf("%s: %q, %v, %q", columns, got, r.Err(), r.First)
		}
	}
	if _, r := readAll(t, Options{Columns: Columns{"time": "nothing", "request": "x"}}, "a b c\n1 2 3\n"); r.Err() == nil {
		t.Error("a column that is missing is no error")
	}
}
