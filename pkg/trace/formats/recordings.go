package formats

import (
	"bytes"
	"fmt"
	"strconv"

	"warp/pkg/op"
	"warp/pkg/recording"
	"warp/pkg/trace"
)

// isRecording reports whether a file begins with the comment of a recording, or with its header.
func isRecording(head []byte) bool {
	if bytes.HasPrefix(head, []byte("# warp-recording")) {
		return true
	}
	for line := range bytes.Lines(bytes.TrimPrefix(head, byteOrderMark)) {
		if line[0] == '#' || len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		return bytes.Contains(line, []byte("thread")) && bytes.Contains(line, []byte("duration_ns"))
	}
	return false
}

// recorded reads a recording, without the operations of preparation.
type recorded struct {
	reader *unmarked
	rows   int64
}

// recordedColumns are the columns that events are made of.
var recordedColumns = []string{
	"thread", "op", "client_id", "bytes", "file", "error", "n_objects", "start", "end", "due", "status", "bucket", "phase", "source", "copied",
}

func openRecording(in *input) (source, error) {
	r, err := recording.NewReader(in, in.name)
	if err != nil {
		return nil, err
	}
	r.Only(recordedColumns...)
	return &recorded{reader: newUnmarked(r)}, nil
}

func (s *recorded) next(out *events) (more bool, bad error) {
	o := s.reader.next()
	if o == nil {
		return false, nil
	}
	s.rows++
	if o.Phase == op.PhasePrepare || o.Kind.IsComposite() {
		return true, nil
	}
	kind, known := recordedKind(o)
	if !known {
		out.skip([]byte(o.Kind))
		return true, nil
	}
	e := out.add()
	e.Kind, e.Status = kind, o.Status
	e.Start = o.Start.UnixNano()
	if !o.Due.IsZero() {
		e.Start = o.Due.UnixNano()
	}
	e.Latency = int64(o.Service())
	e.Bucket, e.Key = []byte(o.Bucket), []byte(o.Key)
	if rest, uri := bytes.CutPrefix(e.Key, []byte("s3://")); uri {
		e.Bucket, e.Key = cutField(rest, '/')
	}
	if o.Kind != kind && o.Status == 0 { // of an outcome
		e.Status = outcomeStatus(o.Kind)
	}
	if o.Failed() && e.Status < 300 {
		e.Status = 500
	}
	out.text = append(out.text, o.Client...)
	out.text = append(out.text, '/')
	out.text = strconv.AppendUint(out.text, uint64(o.Thread), 10)
	e.Client = out.text
	switch {
	case e.Status >= 300:
	case kind.Copies():
		if e.setSource([]byte(o.Source), out); len(e.Bucket) == 0 {
			e.SourceBucket = nil // that is the one bucket of the run
		}
		if o.Copied > 0 {
			e.Size = o.Copied
		}
	case kind == op.List:
		e.Entries, e.Listed = int64(o.Objects), e.Listed|trace.ListedCounted
	case o.Kind.Base() == op.GetPart:
		e.Offset, e.Length = trace.Unknown, o.Bytes
	case kind.MovesBytes():
		e.Size = o.Bytes
	}
	if kind == op.Delete && o.Key == "" {
		nameDeleted(out, o)
	}
	return true, nil
}

// maxDeleted is the maximum number of objects that a request deletes.
const maxDeleted = 1000

// nameDeleted makes an event for each object of a request that deleted several: their keys are not recorded, so they get new ones.
func nameDeleted(out *events, o *op.Op) {
	e := out.list[0]
	for i := range min(max(1, o.Objects), maxDeleted) {
		e.Key = fmt.Appendf(nil, "%s/%d.%d", e.Client, e.Start, i)
		if i == 0 {
			out.list[0] = e
		} else {
			out.list = append(out.list, e)
		}
	}
}

// recordedKind returns the kind of a recorded operation, without labels and outcomes.
func recordedKind(o *op.Op) (op.Kind, bool) {
	switch k := o.Kind.Base(); k {
	case "HEAD":
		return op.Stat, true
	case op.Post, op.Append:
		return op.Put, true
	case op.GetPart:
		return op.Get, true
	default:
		for _, known := range trace.Kinds {
			if k == known {
				return k, true
			}
		}
		return "", false
	}
}

// outcomeStatus returns the status at the end of a kind, as in GET_304.
func outcomeStatus(k op.Kind) int {
	k = k.Unlabelled()
	n, err := strconv.Atoi(string(k[max(0, len(k)-3):]))
	if err != nil {
		return 0
	}
	return n
}

func (s *recorded) number() int64  { return s.rows }
func (s *recorded) failure() error { return s.reader.Err() }
func (s *recorded) close() error   { return s.reader.Close() }

// byteOrderMark is put before a text by some programs of Windows.
var byteOrderMark = []byte("\xef\xbb\xbf")
