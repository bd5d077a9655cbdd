package unpack

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"
)

// xzOfHello is "hello\n", compressed by xz.
const xzOfHello = "/Td6WFoAAATm1rRGAgAhARYAAAB0L+WjAQAFaGVsbG8KAAAApWCX8ZT2/eAAAR4GwS+kHR+2830BAAAAAARZWg=="

func files(t *testing.T, text string) map[Compression][]byte {
	t.Helper()
	var gz, zst bytes.Buffer
	g := gzip.NewWriter(&gz)
	z, err := zstd.NewWriter(&zst)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []io.WriteCloser{g, z} {
		_, err := io.WriteString(w, text)
		if err := errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
	}
	return map[Compression][]byte{None: []byte(text), Gzip: gz.Bytes(), Zstd: zst.Bytes()}
}

func TestText(t *testing.T) {
	long := strings.Repeat("0123456789\n", 10*headSize)
	for compression, data := range files(t, long) {
		for name, src := range map[string]io.Reader{"at once": bytes.NewReader(data), "byte by byte": iotest.OneByteReader(bytes.NewReader(data))} {
			text, err := New(src, 8<<20)
			if err != nil {
				t.Fatal(err)
			}
			if text.Compression != compression || string(text.Head()) != long[:headSize] {
				t.Errorf("%s: recognized as %q, begins with %.20q", compression, text.Compression, text.Head())
			}
			if got, err := io.ReadAll(text); err != nil || string(got) != long {
				t.Errorf("%s, %s: %d bytes, %v", compression, name, len(got), err)
			}
			text.Close()
		}
	}
	packed, err := base64.StdEncoding.DecodeString(xzOfHello)
	if err != nil {
		t.Fatal(err)
	}
	text, err := New(bytes.NewReader(packed), 64<<20)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(text); text.Compression != XZ || err != nil || string(got) != "hello\n" {
		t.Errorf("xz: recognized as %q, %q, %v", text.Compression, got, err)
	}
}

// TestErrorsStay: what is damaged ends there, however often it is read, and a source that fails is told from it.
func TestErrorsStay(t *testing.T) {
	for compression, data := range files(t, strings.Repeat("0123456789\n", 100)) {
		if compression == None {
			continue
		}
		for n := len(data) - 8; n < len(data); n++ {
			text, err := New(bytes.NewReader(data[:n]), 8<<20)
			if err != nil {
				continue
			}
			_, first := io.ReadAll(text)
			again, second := io.ReadAll(text)
			if first == nil || second != first || len(again) > 0 || text.Failure() != nil {
				t.Errorf("%s, %d of %d bytes: %v, then %d bytes and %v; failure of the source: %v", compression, n, len(data), first, len(again), second, text.Failure())
			}
			text.Close()
		}
	}
	fault := errors.New("disk on fire")
	if _, err := New(iotest.ErrReader(fault), 1<<20); err != fault {
		t.Errorf("a source that fails at once: %v", err)
	}
	text, err := New(io.MultiReader(strings.NewReader("hello, world"), iotest.ErrReader(fault)), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(text); string(got) != "hello, world" || err != fault || text.Failure() != fault {
		t.Errorf("%q, %v, %v", got, err, text.Failure())
	}
}

func TestName(t *testing.T) {
	for head, want := range map[string]string{
		"PK\x03\x04\x14":                         "a ZIP archive",
		"BZh91AY":                                "compressed with bzip2",
		"\x04\x22\x4d\x18":                       "compressed with lz4",
		"PAR1":                                   "a Parquet table",
		"%PDF-1.7":                               "a PDF document",
		"\ufeff\n<!DOCTYPE html><html>":          "an HTML page",
		"<HTML><head>":                           "an HTML page",
		strings.Repeat("a", 257) + "ustar\x0000": "a tar archive",
		"":                                       "",
		"P":                                      "",
		"idx\tthread\top":                        "",
		strings.Repeat("x", 300):                 "",
		"{}":                                     "",
		"<html":                                  "an HTML page",
		strings.Repeat(" ", 100) + "<html":       "",
		"\x1f\x8b\x08\x00 is decompressed before it is looked at": "",
	} {
		if got := Name([]byte(head)); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%.30q: %q, want %q", head, got, want)
		}
	}
}
