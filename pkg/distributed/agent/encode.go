package agent

import (
	"encoding/json"
	"errors"
	"fmt"

	"warp/pkg/aggregate"
)

// encode encodes the message of a snapshot. One that is too long loses its details, of which there are most.
func (r *reporter) encode(s *aggregate.Snapshot) ([]byte, error) {
	b, err := r.encodeGroups(s)
	if most := r.job.agent.opts.snapshot; err == nil && len(b) > most {
		r.warn("its statistics have %d MiB, and at most %d MiB can be sent: segments of hosts and times of segments are missing from this result; "+
			"\"warp analyze\" of the recording has them, and a longer --analyze.dur makes them fewer", len(b)>>20, most>>20)
		s.DropDetails()
		b, err = r.encodeGroups(s)
	}
	return b, err
}

// encodeGroups encodes a snapshot. Each group counts as progress.
func (r *reporter) encodeGroups(s *aggregate.Snapshot) ([]byte, error) {
	var body struct {
		Snapshot struct {
			*aggregate.Snapshot
			Groups []json.RawMessage `json:"groups"` // in place of the snapshot's
			Totals []json.RawMessage `json:"totals"`
		} `json:"snapshot"`
	}
	body.Snapshot.Snapshot = s
	encode := func(groups []*aggregate.Group) (list []json.RawMessage, err error) {
		for _, g := range groups {
			b, err := json.Marshal(g)
			if err != nil {
				return nil, err
			}
			list = append(list, b)
			r.progressed.Add(1)
		}
		return list, nil
	}
	var err, totalErr error
	body.Snapshot.Groups, err = encode(s.Groups)
	body.Snapshot.Totals, totalErr = encode(s.Totals)
	if err := errors.Join(err, totalErr); err != nil {
		return nil, fmt.Errorf("encode the statistics: %w", err)
	}
	return json.Marshal(body)
}
