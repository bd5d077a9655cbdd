package jsonapi_test

import (
	"fmt"
	"strings"
	"testing"

	"warp/internal/responder/gcsjson"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// TestAskAccount: a bucket says where it is and what it keeps, what costs money is a warning, and what cannot be measured a refusal.
func TestAskAccount(t *testing.T) {
	for soft, want := range map[bool]string{
		false: "Place: US-EAST1 region; Storage class: STANDARD; Uniform access: yes; Hierarchical namespace: no; Soft delete: no",
		true:  "Soft delete: 168h0m0s (soft delete is on: what is deleted is kept, and billed, for 168h0m0s)",
	} {
		eachProject(t, gcsjson.Options{SoftDelete: soft}, nil, func(t *testing.T, p *project) {
			facts, err := ops.AskAccount(t.Context(), p, &s3.Call{})
			if err != nil {
				t.Fatal(err)
			}
			var said []string
			for _, f := range facts {
				text := f.Name + ": " + f.Text
				if f.Warning != "" {
					text += fmt.Sprintf(" (%s)", f.Warning)
				}
				said = append(said, text)
			}
			if got := strings.Join(said, "; "); !strings.HasSuffix(got, want) {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
	eachProject(t, gcsjson.Options{Zonal: true}, nil, func(t *testing.T, p *project) {
		facts, err := ops.AskAccount(t.Context(), p, &s3.Call{})
		if err != nil || facts[0].Text != "US-EAST1 zone" || !strings.Contains(facts[0].Refusal, "gRPC") {
			t.Errorf("a zonal bucket: %v, %v", facts, err)
		}
	})
	eachProject(t, gcsjson.Options{}, nil, func(t *testing.T, p *project) {
		if _, err := ops.AskAccount(t.Context(), p, &s3.Call{Other: "gone"}); !s3.NoBucket(err) {
			t.Errorf("one that is not there: %v", err)
		}
	})
}
