package cli

import (
	"encoding/json"
	"fmt"

	"warp/pkg/aggregate"
	"warp/pkg/recording"
	"warp/pkg/runinfo"
)

// newRecording makes the recording of a run, which says at once when it cannot be written any more.
func (b *benchmark) newRecording(h recording.Header, watch *watcher) (*runFile, error) {
	rec, err := createRecording(b.base, b.out.overwrite, h)
	if err != nil {
		return nil, err
	}
	rec.onFail = func(err error) {
		watch.Notice(fmt.Sprintf("Warning: the recording %s cannot be written any more: %v. The run goes on; its report will be of the live statistics.", rec.path, bare(err)))
	}
	return rec, nil
}

// recorded is the report of the recording. The error says what it lacks, if it is not what was written.
func (b *benchmark) recorded(rec *runFile, opts aggregate.Options) (*reportView, error) {
	if err := rec.there(); err != nil {
		return nil, err
	}
	src, err := b.app.sources(b.out.quiet, rec.path)
	if err != nil {
		return nil, err
	}
	defer src.close()
	v, err := readReport(opts, src.inputs...)
	if err != nil {
		return nil, fmt.Errorf("recording %s: it cannot be read any more, so it was probably changed while the run went on: %w", rec.path, err)
	}
	return v, rec.intact(v.operations)
}

// unrecorded is the report of the live statistics, because the recording lacks what lost says.
func (b *benchmark) unrecorded(rec *runFile, end *runinfo.End, live *aggregate.Live, opts aggregate.Options, lost error) (*reportView, error) {
	text, err := json.Marshal(end)
	if err != nil {
		return nil, fmt.Errorf("encode the end of the run: %w", err)
	}
	v := &reportView{snapshot: live.Overall(), live: true}
	v.only(opts.Op)
	what := "the figures are live statistics of all operations, from the first start to the last end: " + lost.Error()
	if flags := b.analyze.needRecording(); flags != "" {
		what += "; not available without the recording: " + flags
	}
	about := &aggregate.Inputs{Headers: []recording.Header{rec.header}, Ends: []json.RawMessage{text}, Incomplete: []string{what}}
	v.Info = *runinfo.Describe([]recording.Input{{Name: rec.path}}, about, v.snapshot)
	return v, nil
}
