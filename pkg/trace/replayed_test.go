package trace

import (
	"encoding/json"
	"testing"

	"warp/pkg/op"
)

// Replays by several clients are added by stream and kind, also after they were in a recording.
func TestAddReplayed(t *testing.T) {
	kind := func(k op.Kind, sent int64, late ...int64) ReplayedKind {
		r := NewReplayedKind(k)
		r.Operations, r.Sent, r.Unsent, r.Failed, r.OldFailed, r.Bytes, r.OldBytes = 100, sent, 1, 2, 3, 4, 5
		for _, v := range late {
			r.Late.Record(v)
		}
		return *r
	}
	var one []Replayed
	text, err := json.Marshal([]Replayed{{Speed: 2, Kinds: []ReplayedKind{kind(op.Get, 10, 1e6, 2e6)}}})
	if err == nil {
		err = json.Unmarshal(text, &one)
	}
	if err != nil {
		t.Fatal(err)
	}
	all := AddReplayed(nil, one)
	all = AddReplayed(all, []Replayed{{Speed: 2, Kinds: []ReplayedKind{kind(op.Get, 20, 9e6), kind(op.Put, 5)}}, {Stream: "b", Speed: 1}})
	if len(all) != 2 || all[0].Speed != 2 || all[1].Stream != "b" || len(all[0].Kinds) != 2 {
		t.Fatalf("%+v", all)
	}
	if k := all[0].Kinds[0]; k.Operations != 200 || k.Sent != 30 || k.Unsent != 2 || k.Failed != 4 || k.OldFailed != 6 || k.Bytes != 8 || k.OldBytes != 10 || k.Late.Count() != 3 || k.Late.Max() != 9e6 {
		t.Errorf("%+v", k)
	}
	if k := all[0].Kinds[1]; k.Kind != op.Put || k.Sent != 5 {
		t.Errorf("%+v", k)
	}
	// What a recording of another version leaves out is nothing.
	if all = AddReplayed(nil, []Replayed{{Kinds: []ReplayedKind{{Kind: op.Get, Sent: 1}}}}); all[0].Kinds[0].Late.Count() != 0 {
		t.Errorf("%+v", all)
	}
}
