package recording

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"
)

func TestInternerGivesTheSameString(t *testing.T) {
	var in interner
	a, b := in.get([]byte("GET")), in.get([]byte("PUT"))
	if a != "GET" || b != "PUT" {
		t.Fatalf("%q, %q", a, b)
	}
	if again := in.get([]byte("GET")); unsafe.StringData(again) != unsafe.StringData(a) {
		t.Error("the same text is kept twice")
	}
	if in.get(nil) != "" {
		t.Error("nothing is something")
	}
}

func TestInternerIsBounded(t *testing.T) {
	var in interner
	for i := range 5 * internEntries {
		want := fmt.Sprintf("500 InternalError: request %d", i)
		if got := in.get([]byte(want)); got != want {
			t.Fatalf("%q, want %q", got, want)
		}
		if len(in.seen) > internEntries {
			t.Fatalf("%d entries", len(in.seen))
		}
	}
	for i := range 20 {
		in.get([]byte(strings.Repeat("x", internBytes/4+i)))
		if in.size > internBytes {
			t.Fatalf("%d bytes", in.size)
		}
	}
}
