package bench

import (
	"encoding/json"
	"testing"

	"warp/pkg/bench/work"
)

// TestQuestionsLeaveThePlan: who asks something about a plan finds it as it was.
func TestQuestionsLeaveThePlan(t *testing.T) {
	for _, info := range work.Registry() {
		p := validPlan(t, info.Name)
		p.Data.Buckets = 3
		before, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		Copies(p)
		c, err := Decode(p)
		if err != nil {
			t.Fatal(err)
		}
		KindsOf(c, "")
		c.Need()
		if _, err := Estimates(c); err != nil {
			t.Fatal(err)
		}
		if after, err := json.Marshal(p); err != nil || string(after) != string(before) {
			t.Errorf("%s: the plan was\n%s\nand is\n%s (%v)", info.Name, before, after, err)
		}
	}
}
