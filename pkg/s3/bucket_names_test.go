package s3_test

import (
	"slices"
	"strings"
	"testing"

	"warp/pkg/s3"
)

// TestBucketNames: names of several buckets, and of a client's own, as other tools make them.
func TestBucketNames(t *testing.T) {
	for form, want := range map[string][]string{
		"bench":                  {"bench", "bench-2", "bench-3"},
		"hotsauce-bench{b:012}":  {"hotsauce-bench000000000000", "hotsauce-bench000000000001", "hotsauce-bench000000000002"},
		"mycontainers{b+1}":      {"mycontainers1", "mycontainers2", "mycontainers3"},
		"w{client+1}gb-{b}":      {"w5gb-0", "w5gb-1", "w5gb-2"},
		"x-{b=one|two|six}":      {"x-one", "x-two", "x-six"},
		"x{client:03}-{b+9:02}y": {"x004-09y", "x004-10y", "x004-11y"},
	} {
		c := s3.Config{Buckets: 3}
		c.SetBucket(form)
		c = c.OfClient(4)
		if got := c.BucketNames(); !slices.Equal(got, want) || c.Bucket != want[0] || c.CheckBucket() != nil {
			t.Errorf("%s: %v, first %s, error %v; want %v", form, got, c.Bucket, c.CheckBucket(), want)
		}
		if got := c.BucketPerClient(); got != strings.Contains(form, "{client") {
			t.Errorf("%s is of each client: %t", form, got)
		}
		c.SetBucket("plain")
		if c.BucketName(0) != "plain" || c.BucketPerClient() {
			t.Errorf("%s stays after another name", form)
		}
	}
}

func TestBucketNameErrors(t *testing.T) {
	for form, want := range map[string]string{
		"b{":              `--bucket: invalid template "b{": a brace stands alone at character 2`,
		"bench{n}":        `--bucket: invalid element "{n}": unknown (want {b}, {b:012}, {b+1}, {b=one|two}, {client}, {client+1} or {hostname})`,
		"bench{b:0}":      `--bucket: invalid element "{b:0}": invalid number "0" (want 1 to 20)`,
		"bench{b+x}":      `--bucket: invalid element "{b+x}": invalid number "x"`,
		"bench{client}":   `--bucket: the 2 buckets would have one name (want {b} in "bench{client}")`,
		"{b=one}":         `--bucket: 1 names for 2 buckets`,
		"{b=one|two|one}": `--bucket: the same name twice in {b=one|two|one}`,
		"a..{b}":          `--bucket: invalid value "a..1"`,
		"b{{x}}enc{b:3}":  `--bucket: invalid value "b{x}enc001"`,
	} {
		c := s3.Config{Buckets: 2}
		c.SetBucket(form)
		if err := c.Check(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", form, err, want)
		}
	}
}
