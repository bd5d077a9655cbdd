package op

import "testing"

func TestOutcome(t *testing.T) {
	for kind, want := range map[Kind]Kind{
		"PUT_412": "PUT", "GET_304": "GET", "NS_LIST": "NS_LIST", "PUT": "PUT", "_412": "_412", "A_B_503": "A_B", "PUT_41": "PUT_41", "PUT_4x2": "PUT_4x2", "": "",
	} {
		if got := kind.Base(); got != want {
			t.Errorf("base of %q: %q, want %q", kind, got, want)
		}
	}
	outcome := Put.Outcome(412)
	if outcome != "PUT_412" || !outcome.Upload() || outcome.MovesBytes() || Get.Outcome(304).Upload() {
		t.Errorf("outcome %q: upload %v, moves bytes %v", outcome, outcome.Upload(), outcome.MovesBytes())
	}
}
