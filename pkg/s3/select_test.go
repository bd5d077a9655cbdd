package s3_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"strings"
	"testing"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// events joins messages to a stream of events.
func events(messages ...[]byte) string { return string(bytes.Join(messages, nil)) }

// message is a message with a payload and headers, by name and value.
func message(payload string, headers ...string) []byte {
	var h []byte
	for i := 0; i < len(headers); i += 2 {
		h = append(append(h, byte(len(headers[i]))), headers[i]...)
		h = append(binary.BigEndian.AppendUint16(append(h, 7), uint16(len(headers[i+1]))), headers[i+1]...)
	}
	return rawMessage(h, payload)
}

// rawMessage is a message with a payload and headers as they are.
func rawMessage(headers []byte, payload string) []byte {
	m := binary.BigEndian.AppendUint32(nil, uint32(len(headers)+len(payload)+16))
	m = binary.BigEndian.AppendUint32(m, uint32(len(headers)))
	m = binary.BigEndian.AppendUint32(m, crc32.ChecksumIEEE(m))
	m = append(append(m, headers...), payload...)
	return binary.BigEndian.AppendUint32(m, crc32.ChecksumIEEE(m))
}

func event(kind, payload string) []byte {
	return message(payload, ":message-type", "event", ":content-type", "application/octet-stream", ":event-type", kind)
}

func records(text string) []byte { return event("Records", text) }

func stats(returned int) []byte {
	return event("Stats", fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?><Stats xmlns=""><BytesScanned>512</BytesScanned><BytesProcessed>1024</BytesProcessed><BytesReturned>%d</BytesReturned></Stats>`, returned))
}

var (
	end       = event("End", "")
	keepAlive = event("Cont", "")
)

// flipped is a message with one wrong bit.
func flipped(m []byte, at int) []byte {
	m = bytes.Clone(m)
	m[(at+len(m))%len(m)] ^= 1
	return m
}

// What a stream of events says is what a query returns; a broken one is an error of the right class, and no server makes it an empty result.
func TestSelect(t *testing.T) {
	long := strings.Repeat("0123456789abcde\n", 20_000)
	odd := []byte("\x01a\x00\x01b\x01\x01c\x02\x01\x01d\x03\x01\x02\x01e\x04\x01\x02\x03\x04\x01f\x05\x01\x02\x03\x04\x05\x06\x07\x08\x01g\x06\x00\x01\x00\x01h\x08\x01\x02\x03\x04\x05\x06\x07\x08\x01i\x091234567890123456")
	for name, tc := range map[string]struct {
		stream, records, class, text string
	}{
		"records":                       {events(records("1\n"), keepAlive, event("Progress", "<Progress/>"), records("2\n"), stats(4), end), "1\n2\n", "", ""},
		"no records":                    {events(stats(0), end), "", "", ""},
		"no statistics":                 {events(records("1\n"), end), "1\n", "", ""},
		"many records":                  {events(records(long), records(long), stats(2*len(long)), end), long + long, "", ""},
		"unknown events":                {events(event("New", long), records("1\n"), stats(2), end), "1\n", "", ""},
		"unknown headers":               {events(rawMessage(append(odd, "\x0d:message-type\x07\x00\x05event\x0b:event-type\x07\x00\x03End"...), "")), "", "", ""},
		"nothing":                       {"", "", s3.ClassShortBody, "without the event End"},
		"no end":                        {events(records("1\n"), stats(2)), "1\n", s3.ClassShortBody, "without the event End"},
		"cut prelude":                   {events(records("1\n"), end[:5]), "1\n", s3.ClassShortBody, ""},
		"cut headers":                   {events(end[:20]), "", s3.ClassShortBody, ""},
		"cut payload":                   {events(records(long)[:200_000]), long[:200_000-len(records(""))+4], s3.ClassShortBody, ""},
		"cut checksum":                  {events(end[:len(end)-1]), "", s3.ClassShortBody, ""},
		"fewer records":                 {events(records("1\n"), stats(4), end), "1\n", s3.ClassWrongLength, "the server states 4 bytes of records, got 2"},
		"more records":                  {events(records("1\n2\n"), stats(2), end), "1\n2\n", s3.ClassWrongLength, ""},
		"statistics without bytes":      {events(event("Stats", "<Stats/>"), end), "", s3.ClassBadResponse, "state"},
		"more behind the end":           {events(stats(0), end, keepAlive), "", s3.ClassBadResponse, "behind the event End"},
		"wrong checksum of the prelude": {events(flipped(end, 9)), "", s3.ClassBadResponse, "no stream of events"},
		"wrong checksum":                {events(flipped(end, -1)), "", s3.ClassBadResponse, "wrong checksum"},
		"wrong payload":                 {events(flipped(records("1\n"), -6), end), "0\n", s3.ClassBadResponse, "wrong checksum"},
		"wrong header":                  {events(flipped(records("1\n"), 14), end), "", s3.ClassBadResponse, "type"},
		"no type":                       {events(message("")), "", s3.ClassBadResponse, "type"},
		"broken headers":                {events(rawMessage([]byte("\x05abc"), "")), "", s3.ClassBadResponse, "broken headers"},
		"broken value":                  {events(rawMessage([]byte("\x01a\x07\x00\x09b"), "")), "", s3.ClassBadResponse, "broken headers"},
		"broken length":                 {events(rawMessage([]byte("\x01a\x07\x00"), "")), "", s3.ClassBadResponse, "broken headers"},
		"unknown type of value":         {events(rawMessage([]byte("\x01a\x0a"), "")), "", s3.ClassBadResponse, "broken headers"},
		"large headers":                 {events(message("", "a", strings.Repeat("x", 60_000))), "", s3.ClassBadResponse, "bytes of headers"},
		"a page":                        {"<html>It works!</html>", "", s3.ClassBadResponse, "no stream of events"},
		"an error behind the status":    {"<Error><Code>SlowDown</Code><Message>later</Message></Error>", "", "SlowDown", "later"},
		"an error": {
			events(records("1\n"), message("", ":message-type", "error", ":error-code", "OverMaxRecordSize", ":error-message", "too long")),
			"1\n", "OverMaxRecordSize", "too long",
		},
		"an exception": {
			events(message("out of\norder", ":message-type", "exception", ":exception-type", "InternalError")), "", "InternalError", "out of order",
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachEngine(t, func(t *testing.T, open opener) {
				s := open(t, s3.Config{Hosts: []string{handle(t, func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body)
					_, _ = io.WriteString(w, tc.stream) // the client may be gone
				})}}).Session(0)
				var got bytes.Buffer
				c := &s3.Call{Key: "k", Into: &got}
				err := ops.Select(t.Context(), s, c, ops.NewQuery("SELECT s._1 FROM S3Object s"))
				if class(err) != tc.class || tc.class != "" && !strings.Contains(err.Error(), tc.text) {
					t.Errorf("error: %v; want %s: %s", err, tc.class, tc.text)
				}
				if got.String() != tc.records || c.Bytes != int64(len(tc.records)) || tc.class == "" && c.FirstByte.IsZero() {
					t.Errorf("%d bytes counted, %d of %d bytes of records, or others; the first at %v", c.Bytes, got.Len(), len(tc.records), c.FirstByte)
				}
			})
		})
	}
}

// FuzzEvents: no stream of events makes more records than it has bytes, and one that ends in the middle is no success.
func FuzzEvents(f *testing.F) {
	for _, s := range []string{
		events(records("1\n"), keepAlive, records("2\n"), stats(4), end), events(stats(0), end), events(records("1\n")), "<Error/>",
		events(message("", ":message-type", "error", ":error-code", "C", ":error-message", "m")), events(flipped(end, -1)), events(end, end),
	} {
		f.Add([]byte(s))
	}
	q := ops.NewQuery("SELECT * FROM S3Object")
	f.Fuzz(func(t *testing.T, stream []byte) {
		read := func(stream []byte) (n int64, err error) {
			var got bytes.Buffer
			c := &s3.Call{Key: "k", Into: &got}
			err = ops.Select(t.Context(), answering{text: string(stream)}, c, q)
			if c.Bytes != int64(got.Len()) || got.Len() > len(stream) {
				t.Fatalf("%d bytes of records, %d counted, of %d", got.Len(), c.Bytes, len(stream))
			}
			return c.Bytes, err
		}
		n, err := read(stream)
		if again, otherwise := read(stream); again != n || class(otherwise) != class(err) {
			t.Fatalf("%d bytes, %v; then %d, %v", n, err, again, otherwise)
		}
		if err != nil {
			return
		}
		if _, err := read(stream[:len(stream)-1]); class(err) != s3.ClassShortBody {
			t.Fatalf("a stream without its last byte: %v", err)
		}
	})
}
