package generator

import (
	"strings"
	"testing"
)

// TestSHA256OfNames: the names equal object-store-bench's, byte for byte.
func TestSHA256OfNames(t *testing.T) {
	const root = "/object-store-bench-e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855/default/"
	k := NewKeys(Spec{Keys: root + "{sha256}/object-5c958dcc", Sizes: Sizes{Max: 1}}, 7, 5)
	for i, want := range map[uint64]string{
		0:   "df3f619804a92fdb4057192dc43dd748ea778adc52bc498ce80524c014b81119",
		1:   "67abdd721024f0ff4e0b3f4c2fc13bc5bad42d0b7851d456d88d203d15aaa450",
		256: "bf5e8ffa51a9e748985800c1d3d7f1a2a6ae7435136593ca8d9637e3f87c699c",
	} {
		key := k.Key(i)
		if key != root+want+"/object-5c958dcc" {
			t.Errorf("the name of object %d is %q", i, key)
		}
		if n, ok := k.Index(key); !ok || n != i {
			t.Errorf("%q is object %d, %t", key, n, ok)
		}
	}
	if err := (Spec{Keys: root + "{sha256}", Prefix: "p", Sizes: Sizes{Max: 1}}).Validate(); err == nil {
		t.Error("a prefix before a name that begins with a slash is accepted")
	}
	// Some servers list such names without the slash.
	if n, ok := k.Index(k.Key(256)[1:]); !ok || n != 256 || len(k.Places()) != 2 || k.Places()[1] != root[1:] {
		t.Errorf("without its slash the name is that of object %d, %t; places are %q", n, ok, k.Places())
	}
	if !strings.HasPrefix(k.Claims(), root[1:]) || k.PerClient() || k.TemplateClaims()[0] != "claim.template" {
		t.Errorf("claims are %q, %q", k.Claims(), k.TemplateClaims())
	}
}

// TestHashesAreFound: the table grows with the numbers that are used, and other hashes are none of theirs.
func TestHashesAreFound(t *testing.T) {
	table := hashTable{most: 10000}
	hash := func(i uint64) string { return string(appendSHA256(nil, i)) }
	for _, i := range []uint64{0, 4095, 4096, 9999} {
		if n, ok := table.find(hash(i)); !ok || n != i {
			t.Errorf("the hash of %d is that of %d, %t", i, n, ok)
		}
	}
	for _, text := range []string{hash(0)[:63] + "0", hash(0) + "0", "g" + hash(0)[1:], "", hash(10000)} {
		if n, ok := table.find(text); ok {
			t.Errorf("%q is the hash of %d", text, n)
		}
	}
}
