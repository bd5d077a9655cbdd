package hosts_test

import (
	"testing"

	"go.uber.org/goleak"

	"warp/pkg/s3/internal/s3test"
)

var (
	eachEngine = s3test.EachEngine
	putCall    = s3test.PutCall
)

type opener = s3test.Opener

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
