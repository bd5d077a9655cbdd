package op

import "testing"

// TestFacts holds the methods that do without the table to it.
func TestFacts(t *testing.T) {
	for i := range kinds {
		k, f := kinds[i].kind, kinds[i].facts
		if whole := len(f.Parts) > 0; k.IsComposite() != whole {
			t.Errorf("%s: IsComposite() %v, want %v", k, k.IsComposite(), whole)
		}
		if want := f.Body == Sent && !k.IsComposite(); k.Upload() != want {
			t.Errorf("%s: Upload() %v, want %v", k, k.Upload(), want)
		}
		if want := f.Body == Received && !k.IsComposite(); k.Download() != want {
			t.Errorf("%s: Download() %v, want %v", k, k.Download(), want)
		}
		if want := (f.Effect == Uploaded || f.Effect == Assembled) && !k.IsComposite(); k.CreatesObject() != want {
			t.Errorf("%s: CreatesObject() %v, want %v", k, k.CreatesObject(), want)
		}
		for _, part := range f.Parts {
			if _, known := part.Facts(); !known || part.IsComposite() {
				t.Errorf("%s: its part %s is no kind of requests", k, part)
			}
		}
	}
}

func TestEffect(t *testing.T) {
	for kind, want := range map[Kind]Effect{
		Put: Uploaded, "PUT:META": Uploaded, "PUT_412": Unchanged, "PUT_ATTEMPTS": Unchanged, Copy: Assembled, Get: Unchanged, "ALIEN": Unchanged,
	} {
		if got := kind.Effect(); got != want {
			t.Errorf("effect of %s: %v, want %v", kind, got, want)
		}
	}
}

func BenchmarkUpload(b *testing.B) {
	for i := range b.N {
		_ = kinds[i&7].kind.Upload()
	}
}

func BenchmarkMovesBytes(b *testing.B) {
	for i := range b.N {
		_ = kinds[i&7].kind.MovesBytes()
	}
}
