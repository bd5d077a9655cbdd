package generator

import (
	"bytes"
	"testing"
)

// TestRotated: contents are what Rotated says of them.
func TestRotated(t *testing.T) {
	d, err := NewData("random", 7)
	if err != nil {
		t.Fatal(err)
	}
	body := d.Body(3, 10*groupBytes)
	var (
		first [BlockBytes]byte
		by    [GroupBlocks - 1]int
	)
	for group := range int64(10) {
		masks := body.Rotated(group, &first, &by)
		want := bytes.Clone(first[:])
		for i, r := range by {
			for k := range first {
				want = append(want, first[(k+r)%BlockBytes]^masks[i][k])
			}
		}
		got := make([]byte, groupBytes)
		if _, err := body.ReadAt(got, group*groupBytes); err != nil || !bytes.Equal(got, want) {
			t.Errorf("group %d is another one (%v)", group, err)
		}
	}
	body.ResetPart(3, 2*groupBytes, groupBytes)
	whole, part := first, [BlockBytes]byte{}
	d.Body(3, 10*groupBytes).Rotated(2, &whole, &by)
	if body.Rotated(0, &part, &by) == nil || part != whole {
		t.Error("the first group of a part is another one")
	}
	if body.ResetPart(3, 1, groupBytes); body.Rotated(0, &part, &by) != nil {
		t.Error("a part that begins within a group is not rotated blocks")
	}
	zero, err := NewData("zero", 7)
	if err != nil {
		t.Fatal(err)
	}
	if zero.Body(0, 1).Rotated(0, &first, &by) != nil {
		t.Error("zeros are not rotated blocks")
	}
}
