package agent

import (
	"encoding/json"
	"errors"
	"fmt"

	"warp/pkg/aggregate"
)

// encode is the message of a snapshot. One that is too long goes without the figures of which there are most.
func (r *reporter) encode(s *aggregate.Snapshot) ([]byte, error) {
	b, err := r.encodeGroups(s)
	if most := r.job.client.opts.snapshot; err == nil && len(b) > most {
		r.warn("its statistics are %d MiB, more than the %d MiB that can be sent, so segments of its hosts and times of its segments are not in this result; "+
			"\"warp analyze\" of the recording has them, and a longer --analyze.dur makes them fewer", len(b)>>20, most>>20)
		s.DropDetails()
		b, err = r.encodeGroups(s)
	}
	return b, err
}

// encodeGroups encodes a snapshot. Each group is progress.
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
		return nil, fmt.Errorf("encode its statistics: %w", err)
	}
	return json.Marshal(body)
}
