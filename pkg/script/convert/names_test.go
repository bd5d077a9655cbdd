package convert

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"warp/pkg/generator"
	"warp/pkg/s3"
	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
)

// objectOf returns the bucket and the key of an object of a scenario.
func objectOf(t *testing.T, f *script.File, set string, client, i uint64) string {
	t.Helper()
	data, ok := f.Data.Lookup(set)
	if !ok {
		t.Fatalf("no data set %q:\n%s", set, f.Format())
	}
	buckets, _ := strconv.Atoi(data.Buckets.Text)
	spec := generator.Spec{Keys: data.Keys.Text, Buckets: buckets}
	if err := spec.Validate(); err != nil {
		t.Fatal(err)
	}
	target := s3.Config{Buckets: buckets, Client: client}
	target.SetBucket(f.Target.Bucket.Text)
	return fmt.Sprintf("%s/%s", target.BucketName(int(i)%max(1, buckets)), generator.NewKeys(spec, 1, 1).Of(client).Key(i))
}

// TestNames: buckets and keys are the other tool's, byte for byte.
// works: YCSB: keys are `user` and the hash of the record's number; `insertorder`, `insertstart`, `zeropadding`
// works: gosbench: buckets and keys `w1gb-0/w1obj2`, with `workers_share_buckets` `gb-0/w1obj2`
func TestNames(t *testing.T) {
	const (
		ycsb     = "recordcount=5000\noperationcount=1\n"
		cosbench = `<workload><workflow><workstage name="m"><work type="prepare" workers="1" config="sizes=c(1)B;containers=r(1,2);objects=r(1,3)`
		gosbench = "tests:\n  - {name: a, read_weight: 1, stop_with_ops: 1, objects: {number_min: 3}, object_prefix: obj, bucket_prefix: gb-"
		end      = `"/></workstage></workflow></workload>`
	)
	for _, c := range []struct {
		from, text, set string
		client          uint64
		names           string // of some objects, each as NUMBER BUCKET/KEY
	}{
		{"ycsb", ycsb, "usertable", 0, "0 usertable/user6284781860667377211, 1 usertable/user8517097267634966620, " +
			"2 usertable/user1820151046732198393, 1000 usertable/user5952875239596136740"},
		{"ycsb", ycsb + "insertstart=1000\ntable=b1\nzeropadding=20", "usertable", 0, "0 b1/user05952875239596136740"},
		{"ycsb", ycsb + "insertorder=ordered\nzeropadding=6", "usertable", 0, "42 usertable/user000042"},
		{"ycsb", ycsb + "insertorder=any\ninsertstart=40", "usertable", 0, "2 usertable/user42"},
		{"cosbench", cosbench + end, "objects", 0, "0 mycontainers1/myobjects1, 1 mycontainers2/myobjects1, 5 mycontainers2/myobjects3"},
		{"cosbench", cosbench + ";cprefix=bench;osuffix=.bin" + end, "objects", 0, "0 bench1/myobjects1.bin, 1 bench2/myobjects1.bin"},
		{"cosbench", cosbench + ";containers=r(5,6);csuffix=-c;oprefix={o}" + end, "objects", 0, "0 mycontainers5-c/{o}1, 3 mycontainers6-c/{o}2"},
		{"gosbench", gosbench, "d1", 0, "2 w1gb-0/w1obj2"},
		{"gosbench", gosbench + ", workers_share_buckets: true", "d1", 1, "2 gb-0/w2obj2"},
		{"gosbench", gosbench + ", buckets: {number_min: 2}", "d1", 1, "0 w2gb-0/w2obj0, 5 w2gb-1/w2obj2"},
		{"gosbench", strings.Replace(gosbench, ": obj", ": 9", 1), "d1", 0, "2 w1gb-0/w192"},
		{"cosbench", cosbench + ";containers=c(3);oprefix=" + end, "objects", 0, "1 mycontainers3/2"},
	} {
		s, err := Lookup(c.from)
		if err != nil {
			t.Fatal(err)
		}
		text := c.text
		if c.from == "gosbench" {
			text += "}\n"
		}
		job, err := s.Convert("f", text, draft.Given{})
		if err != nil {
			t.Errorf("%s: %q: %v", c.from, c.text, err)
			continue
		}
		for name := range strings.SplitSeq(c.names, ", ") {
			number, want, _ := strings.Cut(name, " ")
			i, err := strconv.ParseUint(number, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			if got := objectOf(t, job.File, c.set, c.client, i); got != want {
				t.Errorf("%s: %q: object %d is %s, want %s", c.from, c.text, i, got, want)
			}
		}
	}
}
