package cli

import (
	"fmt"
	"strings"
	"testing"

	"warp/cli/internal/scenarios"
	"warp/pkg/bench/work"
)

// TestExistingIsNotIgnored: every operation either uses the objects that are in the bucket, or says that it does not.
func TestExistingIsNotIgnored(t *testing.T) {
	ignoring := 0
	for _, info := range work.Registry() {
		env, _ := testEnv()
		uses := scenarios.NewPlanFlags(t.Context(), &env, info.Name, nil).Has("list-existing")
		plan := func(existing string) (string, error) {
			const text = "warp: 1\nforce: true\ndata: {p: {%s prefix: pool, seed: 1}}\nseed: 1\nphases: [{run: a, do: [{%s: p}], until: 1s}]\n"
			r, err := resolve(t, "x", fmt.Sprintf(text, existing, info.Name))
			if err != nil {
				return "", err
			}
			return planJSON(t, r.Plan), nil
		}
		without, _ := plan("") // other tests cover wrong scenarios
		no, _ := plan("existing: false,")
		yes, err := plan("existing: true,")
		want := fmt.Sprintf("3:22: data.p.existing: not possible with %s (want get, ", info.Name)
		switch {
		case uses && (err != nil || yes == without):
			t.Errorf("%s has the same plan with existing objects: %v", info.Name, err)
		case !uses && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s ignores existing: %v; want %s", info.Name, err, want)
		case no != without:
			t.Errorf("%s: existing: false changes the plan", info.Name)
		}
		if !uses {
			ignoring++
		}
	}
	if ignoring < 10 {
		t.Errorf("%d operations use no existing objects, which are fewer than there are", ignoring)
	}
	_, err := resolve(t, "x",
		"warp: 1\ndata: {p: {existing: true}}\nphases: [{run: a, do: [{get: p, then: [{put: p}]}], load: 1, until: 1s}]\n")
	if err == nil || !strings.Contains(err.Error(), "not possible with put") {
		t.Errorf("an upload that follows ignores existing: %v", err)
	}
}
