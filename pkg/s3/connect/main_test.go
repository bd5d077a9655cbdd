package connect_test

import (
	"testing"

	"go.uber.org/goleak"

	"warp/pkg/s3/internal/s3test"
)

var (
	serve      = s3test.Serve
	eachEngine = s3test.EachEngine
	open       = s3test.Open
	handle     = s3test.Handle
	putCall    = s3test.PutCall
)

type opener = s3test.Opener

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
