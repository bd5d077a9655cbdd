package azure

import (
	"slices"
	"testing"

	"warp/pkg/op"
)

func TestBilled(t *testing.T) {
	for class, kinds := range map[string][]op.Kind{
		"write": {op.Put, op.PutPart, op.CompleteUpload, op.Copy, op.Append, "PUT:META"},
		"list":  {op.List, op.CreateBucket},
		"read":  {op.Get, op.GetPart},
		"other": {op.Stat, op.HeadBucket, op.GetTags, op.PutTags, op.DeleteTags},
		"free":  {op.Delete, op.DeleteBucket},
		"":      {op.CreateUpload},
	} {
		for _, k := range kinds {
			if got := billing.Class(k); got != class {
				t.Errorf("%s: %q, want %q", k, got, class)
			}
		}
		if class != "" && !slices.Contains(billing.Classes, class) {
			t.Errorf("%q is not listed", class)
		}
	}
}
