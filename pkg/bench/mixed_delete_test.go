package bench_test

import (
	"slices"
	"strings"
	"testing"

	"warp/pkg/bench"
	"warp/pkg/op"
	"warp/pkg/s3"
)

// TestMixedBesideDelete: whichever tasks of a stream delete from one data set, warp asks for no object that it has deleted itself. See life, which
// changingRun calls, and which needs deletions of one object each.
func TestMixedBesideDelete(t *testing.T) {
	t.Parallel()
	mix := []string{"-objects=300", "-get-distrib=40", "-stat-distrib=20", "-put-distrib=20", "-delete-distrib=20"}
	for name, tasks := range map[string]func(t *testing.T, store s3.Store) []bench.Task{
		"delete and mixed": func(t *testing.T, store s3.Store) []bench.Task {
			return []bench.Task{taskOf(t, store, 80, "delete", "p", "-objects=300", "-batch=1"), taskOf(t, store, 20, "mixed", "p", mix...)}
		},
		"mixed twice": func(t *testing.T, store s3.Store) []bench.Task {
			return []bench.Task{taskOf(t, store, 50, "mixed", "p", mix...), taskOf(t, store, 50, "mixed", "p", mix...)}
		},
		"and others": func(t *testing.T, store s3.Store) []bench.Task {
			return []bench.Task{
				taskOf(t, store, 50, "delete", "p", "-objects=300", "-batch=1"), taskOf(t, store, 20, "mixed", "p", mix...),
				taskOf(t, store, 20, "get", "p", "-objects=300"), taskOf(t, store, 5, "copy", "p", "-objects=300"), taskOf(t, store, 5, "tag", "p", "-objects=300"),
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, _ := changingRun(t, 3000, func(p *bench.Plan, store s3.Store) { withTasks(tasks(t, store)...)(p) })
			if n := len(slices.DeleteFunc(m.measured(), func(o op.Op) bool { return !strings.HasPrefix(string(o.Kind), "DELETE") })); n < 100 {
				t.Errorf("only %d deletions", n)
			}
		})
	}
}
