package model

import (
	"errors"
	"io"

	"warp/pkg/aggregate"
	"warp/pkg/op"
	"warp/pkg/recording"
)

// Record writes the run as a recording. If stated is set, that says at its end which windows it has, as those that warp
// makes do.
func (r Run) Record(w io.Writer, h recording.Header, stated bool) (*Truth, error) {
	rec, err := recording.NewWriter(w, h)
	if err != nil {
		return nil, err
	}
	bounds := aggregate.NewBounds(aggregate.Options{})
	truth, err := r.Write(both{rec, bounds})
	if err == nil && stated {
		err = rec.SetEnd(aggregate.Trailer{Windows: bounds.Windows()})
	}
	return truth, errors.Join(err, rec.Close())
}

// both hands operations to two sinks.
type both [2]op.Sink

func (b both) Write(ops []op.Op) error { return errors.Join(b[0].Write(ops), b[1].Write(ops)) }

func (b both) Close() error { return errors.Join(b[0].Close(), b[1].Close()) }
