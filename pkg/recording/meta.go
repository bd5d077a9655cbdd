package recording

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// meta collects what the comments of a recording say. Of several concatenated recordings it keeps the first one's.
type meta struct {
	Header
	end        json.RawMessage
	recordings int
	marked     bool // comments after the version mark are ours; otherwise they are the command line
	inRows     bool // a header line was read in this recording
	open       bool // the version mark was read, the end was not
	run        string
	mixed      bool // a later recording is of another run
}

// headerLine records a header line, which begins a recording unless the version mark did.
func (m *meta) headerLine() {
	if !m.marked || m.inRows {
		m.marked = false
		m.recordings++
	}
	m.inRows = true
}

// comment parses a comment line. It returns a description of what is wrong with it, if anything.
func (m *meta) comment(line []byte) (problem string) {
	if version, ok := cutMark(line, markVersion); ok {
		return m.mark(version)
	}
	if !m.marked {
		if m.inRows && m.recordings == 1 {
			m.addCommandLine(strings.TrimPrefix(string(line[1:]), " "))
		}
		return ""
	}
	if config, ok := cutMark(line, markConfig); ok && !m.inRows {
		problem = m.config(config)
	} else if text, ok := cutMark(line, markCommandLine); ok && m.recordings == 1 {
		m.addCommandLine(text)
	} else if end, ok := cutMark(line, markEnd); ok {
		m.open = false
		if m.recordings == 1 {
			m.end, problem = keepJSON(end, "end")
		}
	}
	return problem
}

// config keeps the configuration of the first recording, and compares the run of others with it.
func (m *meta) config(text string) (problem string) {
	config, problem := keepJSON(text, "configuration")
	var c struct {
		Plan struct {
			Run string `json:"run_id"`
		} `json:"plan"`
	}
	_ = json.Unmarshal(config, &c) // there is nothing to compare
	if m.recordings == 1 {
		m.Config, m.run = config, c.Plan.Run
	} else if c.Plan.Run != "" && m.run != "" && c.Plan.Run != m.run {
		m.mixed = true
	}
	return problem
}

// mark records the version mark that begins a recording.
func (m *meta) mark(version string) (problem string) {
	if m.open {
		problem = "the recording before this line has no end: the run was killed, or the file is truncated"
	}
	m.recordings++
	m.marked, m.inRows, m.open = true, false, true
	v, err := strconv.Atoi(version)
	if err != nil {
		return fmt.Sprintf("invalid recording version %s", excerpt([]byte(version)))
	}
	if m.recordings == 1 {
		m.Version = v
	}
	if v > Version {
		return fmt.Sprintf("recording version %d is newer than this program's %d: some of it may be ignored", v, Version)
	}
	return problem
}

// addCommandLine appends a line to the command line, up to the size of a row.
func (m *meta) addCommandLine(line string) {
	if len(m.CommandLine)+len(line) > MaxRow {
		return
	}
	if m.CommandLine != "" {
		m.CommandLine += "\n"
	}
	m.CommandLine += line
}

// keepJSON copies text if it is valid JSON.
func keepJSON(text, what string) (value json.RawMessage, problem string) {
	if !json.Valid([]byte(text)) {
		return nil, "ignored the " + what + " comment: not JSON"
	}
	return json.RawMessage(text), ""
}

// cutMark returns the rest of a comment line after mark.
func cutMark(line []byte, mark string) (string, bool) {
	rest, ok := bytes.CutPrefix(line, []byte(strings.TrimSuffix(mark, " ")))
	return strings.TrimSpace(string(rest)), ok
}
