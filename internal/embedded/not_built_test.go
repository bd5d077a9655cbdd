//go:build noembed

package embedded_test

import (
	"errors"
	"strings"
	"testing"

	"warp/internal/embedded"
)

func TestNotBuilt(t *testing.T) {
	if _, err := embedded.Start(t.Context(), embedded.Options{}); embedded.Built || !errors.Is(err, embedded.ErrNotBuilt) {
		t.Errorf("built: %v, error %v", embedded.Built, err)
	}
	var answer strings.Builder
	order := `{"addr": "127.0.0.1:0", "dir": "` + t.TempDir() + `/x"}`
	if code := embedded.Child.Main(strings.NewReader(order), &answer); code == 0 || !strings.Contains(answer.String(), "noembed") {
		t.Errorf("code %d, answer %s", code, &answer)
	}
}
