package generator

import (
	"bytes"
	"testing"
)

// TestRotated: contents are what Rotated says of them.
func TestRotated(t *testing.T) {
	d, err := (&Spec{Generator: "random"}).NewData(7, 7)
	if err != nil {
		t.Fatal(err)
	}
	body := d.Body(3, 10*groupBytes)
	var (
		first [blockBytes]byte
		by    [groupBlocks - 1]int
	)
	for group := range int64(10) {
		masks := body.Rotated(body, group, &first, &by)
		want := bytes.Clone(first[:])
		for i, r := range by {
			for k := range first {
				want = append(want, first[(k+r)%blockBytes]^masks[i][k])
			}
		}
		got := make([]byte, groupBytes)
		if _, err := body.ReadAt(got, group*groupBytes); err != nil || !bytes.Equal(got, want) {
			t.Errorf("group %d is another one (%v)", group, err)
		}
	}
	body.ResetPart(3, 2*groupBytes, groupBytes)
	whole, part := first, [blockBytes]byte{}
	again := d.Body(3, 10*groupBytes)
	again.Rotated(again, 2, &whole, &by)
	if body.Rotated(body, 0, &part, &by) == nil || part != whole {
		t.Error("the first group of a part is another one")
	}
	if body.ResetPart(3, 1, groupBytes); body.Rotated(body, 0, &part, &by) != nil {
		t.Error("a part that begins within a group is not rotated blocks")
	}
	if again.Rotated(struct{ *Body }{again}, 0, &part, &by) != nil {
		t.Error("a reader that has a body inside may have other contents")
	}
	zero, err := (&Spec{Generator: "zero"}).NewData(7, 7)
	if err != nil {
		t.Fatal(err)
	}
	if none := zero.Body(0, 1); none.Rotated(none, 0, &first, &by) != nil {
		t.Error("zeros are not rotated blocks")
	}
}
