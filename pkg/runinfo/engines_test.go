package runinfo

import "testing"

func TestEngines(t *testing.T) {
	lean, std := ClientReport{Engine: "lean"}, ClientReport{Engine: "std"}
	if got := Engines([]ClientReport{lean, lean}); got != "lean" {
		t.Errorf("%q", got)
	}
	if got := Engines([]ClientReport{lean, std, lean}); got != "lean (2 clients), std (1 client)" {
		t.Errorf("%q", got)
	}
}
