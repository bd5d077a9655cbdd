package op

import "testing"

// TestFacts holds the methods that do without the table to it.
func TestFacts(t *testing.T) {
	for i := range kinds {
		k, f := kinds[i].kind, kinds[i].facts
		if whole := len(f.Parts) > 0; k.Whole() != whole {
			t.Errorf("%s: Whole() %v, want %v", k, k.Whole(), whole)
		}
		if want := f.Body == Sent && !k.Whole(); k.Upload() != want {
			t.Errorf("%s: Upload() %v, want %v", k, k.Upload(), want)
		}
		if want := (f.Effect == Uploaded || f.Effect == Assembled) && !k.Whole(); k.MakesObject() != want {
			t.Errorf("%s: MakesObject() %v, want %v", k, k.MakesObject(), want)
		}
		for _, part := range f.Parts {
			if _, known := part.Facts(); !known || part.Whole() {
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
