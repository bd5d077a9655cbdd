package deploy

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// clientNames are the names under which DNS knows the clients of a manifest.
func (m *manifest) clientNames() (names []string) {
	for _, s := range m.sets {
		for i := range *s.Spec.Replicas {
			names = append(names, fmt.Sprintf("%s-%d.%s", s.Name, i, s.Spec.ServiceName))
		}
	}
	for _, j := range m.jobs {
		if indexed(j) {
			for i := range *j.Spec.Completions {
				names = append(names, fmt.Sprintf("%s-%d.%s", j.Name, i, j.Spec.Template.Spec.Subdomain))
			}
			names = slices.Delete(names, 0, 1) // pod 0 coordinates
		}
	}
	return names
}

func indexed(j *batchv1.Job) bool {
	return j.Spec.CompletionMode != nil && *j.Spec.CompletionMode == batchv1.IndexedCompletion
}

// benchmarkContainer is the coordinator's container.
func benchmarkContainer(pod corev1.PodSpec) *corev1.Container {
	for _, c := range append(slices.Clone(pod.InitContainers), pod.Containers...) {
		if c.Name == "benchmark" {
			return &c
		}
	}
	return nil
}

var clientFlag = regexp.MustCompile(`^--warp-client=(.*)\{(\d+)\.\.\.(\d+)\}(.*):7761$`)

// addressed are the names that --warp-client stands for.
func addressed(args []string) (names []string) {
	for _, arg := range args {
		m := clientFlag.FindStringSubmatch(arg)
		if m == nil {
			continue
		}
		first, _ := strconv.Atoi(m[2])
		last, _ := strconv.Atoi(m[3])
		for i := first; i <= last; i++ {
			names = append(names, fmt.Sprintf("%s%d%s", m[1], i, m[4]))
		}
	}
	return names
}

// The coordinator calls exactly the clients that there are, and waits for as many.
func TestCoordinatorFindsClients(t *testing.T) {
	wait := regexp.MustCompile(`\nwait_for \d+ (\d+) (\d+) (\S+) (\S+)`)
	coordinators := 0
	for _, m := range manifests(t) {
		want := m.clientNames()
		for _, j := range m.jobs {
			coordinators++
			pod := j.Spec.Template.Spec
			c := benchmarkContainer(pod)
			if c == nil {
				t.Errorf("%s: the Job %s has no container of the name benchmark", m.file, j.Name)
				continue
			}
			if strings.HasSuffix(m.file, "kubernetes/benchmark.yaml") {
				want = addressed(c.Args) // clients are in the file next to it, see TestPlainManifests
			}
			if got := addressed(c.Args); !slices.Equal(got, want) {
				t.Errorf("%s: clients are %v, the coordinator calls %v", m.file, want, got)
			}
			var awaited []string
			for _, c := range append(slices.Clone(pod.InitContainers), pod.Containers...) {
				for _, arg := range c.Args {
					if w := wait.FindStringSubmatch(arg); w != nil {
						count, _ := strconv.Atoi(w[1])
						first, _ := strconv.Atoi(w[2])
						for i := range count {
							awaited = append(awaited, fmt.Sprintf("%s-%d.%s", w[3], first+i, w[4]))
						}
					}
				}
			}
			if !slices.Equal(awaited, want) {
				t.Errorf("%s: clients are %v, awaited are %v", m.file, want, awaited)
			}
		}
	}
	if coordinators == 0 {
		t.Error("there are no benchmarks in any manifest")
	}
}

// The Service knows the pods of the clients, and no policy shuts the coordinator out.
func TestSelectors(t *testing.T) {
	for _, m := range manifests(t) {
		for owner, pod := range m.templates() {
			isClient := strings.HasPrefix(owner, "StatefulSet") || pod.Spec.Subdomain != ""
			set := labels.Set(pod.Labels)
			for _, s := range m.services {
				if got := labels.SelectorFromSet(s.Spec.Selector).Matches(set); got != isClient {
					t.Errorf("%s: the Service selects the pods of %s: %v", m.file, owner, got)
				}
			}
			for _, p := range m.policies {
				if got := labels.SelectorFromSet(p.Spec.PodSelector.MatchLabels).Matches(set); got != isClient {
					t.Errorf("%s: the policy applies to the pods of %s: %v", m.file, owner, got)
				}
				from := labels.SelectorFromSet(p.Spec.Ingress[0].From[0].PodSelector.MatchLabels)
				if coordinates := strings.HasPrefix(owner, "Job"); from.Matches(set) != coordinates {
					t.Errorf("%s: the policy lets the pods of %s in: %v", m.file, owner, !coordinates)
				}
			}
		}
		for _, s := range m.sets {
			if !labels.SelectorFromSet(s.Spec.Selector.MatchLabels).Matches(labels.Set(s.Spec.Template.Labels)) {
				t.Errorf("%s: the StatefulSet does not select its own pods", m.file)
			}
		}
	}
}

// A benchmark is never repeated by itself, and an indexed Job ends with its coordinator.
func TestJobs(t *testing.T) {
	for _, m := range manifests(t) {
		for _, j := range m.jobs {
			if *j.Spec.BackoffLimit != 0 || j.Spec.Template.Spec.RestartPolicy != corev1.RestartPolicyNever {
				t.Errorf("%s: the Job %s would be repeated", m.file, j.Name)
			}
			if indexed(j) && (*j.Spec.Completions != *j.Spec.Parallelism || *j.Spec.SuccessPolicy.Rules[0].SucceededIndexes != "0") {
				t.Errorf("%s: the Job %s does not end with its coordinator", m.file, j.Name)
			}
		}
	}
}
