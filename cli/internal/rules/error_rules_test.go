package rules

import (
	"testing"

	"warp/cli/internal/process"
	"warp/pkg/aggregate/live"
	"warp/pkg/op"
	"warp/pkg/runinfo"
)

// A run by clients ends when too many operations of all of them failed, of the kind and the phase that the rule is about.
func TestErrorRules(t *testing.T) {
	kinds := []live.Figures{
		{Phase: "a", Kind: "GET:X", Errors: 3},
		{Phase: "a", Kind: "GET:Y", Errors: 4},
		{Phase: "a", Kind: op.Put, Errors: 2},
		{Phase: "b", Kind: op.Stat, Errors: 50},
		{Phase: "a", Kind: op.MultipartPut, Errors: 9},
	}
	for _, tt := range []struct {
		rule  runinfo.Rule
		ended bool
	}{
		{runinfo.Rule{Stream: "a", Broken: "errors > 9", Abort: true}, false},
		{runinfo.Rule{Stream: "a", Broken: "errors > 8", Abort: true}, true},
		{runinfo.Rule{Stream: "a", Broken: "GET.errors > 6", Abort: true}, true},
		{runinfo.Rule{Stream: "a", Broken: "GET.errors > 7", Abort: true}, false},
		{runinfo.Rule{Stream: "a", Broken: "total.errors > 8", Abort: true}, true},
		{runinfo.Rule{Stream: "a", Broken: "total.errors > 9", Abort: true}, false},
		{runinfo.Rule{Stream: "b", Broken: "errors > 49", Abort: true}, true},
		{runinfo.Rule{Stream: "c", Broken: "errors >= 0", Abort: true}, false},
		{runinfo.Rule{Stream: "b", Broken: "errors > 49"}, false},
	} {
		var why error
		if e := NewErrorRules([]runinfo.Rule{tt.rule}, func(err error) { why = err }); e != nil {
			e.Observe(kinds)
			e.Observe(kinds)
		}
		if (why != nil) != tt.ended || why != nil && process.ExitCode(why) != process.ExitGate {
			t.Errorf("%+v: ended with %v, want %v", tt.rule, why, tt.ended)
		}
	}
	(*ErrorRules)(nil).Observe(kinds)
}
