package preflight_test

import (
	"testing"

	"warp/pkg/s3/internal/s3test"
)

// TestLiveDiagnoses makes mistakes that a real server must notice.
func TestLiveDiagnoses(t *testing.T) {
	cfg := s3test.LiveConfig(t)
	wrong := cfg
	wrong.SecretKey = "not the secret"
	_, err := bucket(t, wrong).Ensure(t.Context())
	wantDiagnosis(t, err, "secret key is wrong")
	wrong = cfg
	wrong.AccessKey = "nobody"
	_, err = bucket(t, wrong).Ensure(t.Context())
	wantDiagnosis(t, err, "access key")
	wantDiagnosis(t, bucket(t, cfg).TryWrite(t.Context(), "k"), "does not exist")
	wrong = cfg
	wrong.TLS = !cfg.TLS
	wantDiagnosis(t, bucket(t, wrong).TryWrite(t.Context(), "k"), "--tls")
}
