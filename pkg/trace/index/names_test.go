package index

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"warp/pkg/trace"
	"warp/pkg/trace/formats"
)

// namesOf returns the names of all objects of a file.
func namesOf(t *testing.T, f *trace.File) (list []string) {
	t.Helper()
	for k := range f.NameBlocks() {
		var err error
		if list, err = f.Names(k, list); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// usesOf returns how often each name is used.
func usesOf(t *testing.T, f *trace.File) map[string]int {
	t.Helper()
	names, uses := namesOf(t, f), map[string]int{}
	for k := range f.Blocks() {
		block, err := f.Block(k, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range block {
			uses[names[o.Object]]++
		}
	}
	return uses
}

// indexed brings a text into the compact form, with names that are sorted in little memory.
func indexed(t *testing.T, names trace.Names, text string, memory int) (*trace.Summary, []byte) {
	t.Helper()
	r, err := formats.NewReader(formats.Options{}, file("sample", text))
	if err != nil {
		t.Fatal(err)
	}
	x := newBuilder(trace.Selection{Names: names})
	x.nameMemory = memory
	var out bytes.Buffer
	s, err := x.perform(t.Context(), r, &out)
	if err != nil {
		t.Fatal(err)
	}
	return s, out.Bytes()
}

func opened(t *testing.T, b []byte) *trace.File {
	t.Helper()
	f, err := trace.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

// Two files in the compact form have objects and clients of their own, whatever their numbers; and names only if one file is read.
func TestSeveralCompact(t *testing.T) {
	_, one := indexed(t, trace.OriginalNames, "0 REST.PUT.OBJECT a 10\n1 REST.GET.OBJECT b 20\n", nameMemory)
	_, two := indexed(t, trace.OriginalNames, "2 REST.GET.OBJECT c 30\n3 REST.GET.OBJECT d 40\n4 REST.GET.OBJECT d 40\n", nameMemory)
	read := func(names trace.Names) (*trace.Summary, error) {
		r, err := formats.NewReader(formats.Options{}, file("one", string(one)), file("two", string(two)))
		if err != nil {
			t.Fatal(err)
		}
		return Build(t.Context(), r, trace.Selection{Names: names}, &bytes.Buffer{})
	}
	s, err := read(trace.NoNames)
	if err != nil || s.Operations != 5 || s.Objects.Count != 4 || s.Clients.Count != 1 {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := read(trace.OriginalNames); err == nil || !strings.Contains(err.Error(), "names can be taken from one file in the compact form only") {
		t.Errorf("error %v", err)
	}
}

// Each operation has the name of its object, whether names are sorted in memory, in files, or in files that are merged, and again if the
// compact form is read.
func TestNames(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	text, want := traffic(3000, 600, 11)
	for _, memory := range []int{nameMemory, 2 * trace.MaxName, 1} {
		s, b := indexed(t, trace.OriginalNames, text, memory)
		f := opened(t, b)
		if got := usesOf(t, f); !maps.Equal(got, want) {
			t.Errorf("in memory %d: %d names, want %d", memory, len(got), len(want))
		}
		if !f.Named() || s.Selection.Names != trace.OriginalNames {
			t.Errorf("in memory %d: %+v", memory, s.Selection)
		}
		_, again := indexed(t, trace.OriginalNames, string(b), memory)
		if got := usesOf(t, opened(t, again)); !maps.Equal(got, want) {
			t.Errorf("in memory %d, again: %d names, want %d", memory, len(got), len(want))
		}
	}
	if _, b := indexed(t, trace.NoNames, text, nameMemory); opened(t, b).Named() {
		t.Error("there are names that nobody wanted")
	}
}

// Without names in a file, they cannot be had of it.
func TestNamesAreMissing(t *testing.T) {
	_, b := indexed(t, trace.NoNames, history, nameMemory)
	r, err := formats.NewReader(formats.Options{}, file("sample", string(b)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := Build(t.Context(), r, trace.Selection{Names: trace.OriginalNames}, &out); err == nil || err.Error() != "sample: the trace holds no names of objects (warp trace --names=keep writes them)" {
		t.Error(err)
	}
}

// Hashed names have the directories of the names: as deep, and with as many entries. No part of a name is left.
func TestHashedDirectories(t *testing.T) {
	var text strings.Builder
	want := map[string]bool{}
	for i := range 200 {
		name := fmt.Sprintf("secret/%d/sub/file%d", i%7, i)
		if i%10 == 0 {
			name = fmt.Sprintf("secret//top%d", i)
		}
		want[name] = true
		fmt.Fprintf(&text, "%d REST.PUT.OBJECT %s 10\n", i, name)
	}
	_, b := indexed(t, trace.HashedNames, text.String(), nameMemory)
	_, other := indexed(t, trace.HashedNames, text.String(), nameMemory)
	names := namesOf(t, opened(t, b))
	if got, want := shapeOf(slices.Values(names)), shapeOf(maps.Keys(want)); !slices.Equal(got, want) {
		t.Errorf("directories have %v entries, want %v", got, want)
	}
	for _, name := range names {
		for part := range strings.SplitSeq(name, "/") {
			if len(part) != 11 {
				t.Errorf("%q", name)
			}
		}
	}
	if again := namesOf(t, opened(t, other)); slices.Equal(names, again) {
		t.Error("two traces have the same hashes, so that names can be guessed")
	}
}

// shapeOf returns the depth of each directory and the number of its entries, sorted.
func shapeOf(names func(func(string) bool)) (list []string) {
	entries := map[string]map[string]bool{}
	for name := range names {
		parts := strings.Split(name, "/")
		for i, part := range parts {
			dir := strings.Join(parts[:i], "/")
			if entries[dir] == nil {
				entries[dir] = map[string]bool{}
			}
			entries[dir][part] = true
		}
	}
	for dir, in := range entries {
		depth := strings.Count(dir, "/")
		if dir != "" {
			depth++
		}
		list = append(list, fmt.Sprintf("%d: %d", depth, len(in)))
	}
	slices.Sort(list)
	return list
}
