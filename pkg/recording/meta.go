package recording

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// meta gathers what the comments of a recording say. Where several recordings are concatenated it keeps the first one's.
type meta struct {
	Header
	end        json.RawMessage
	recordings int
	marked     bool // comments since the version mark are ours: the established tool's are its command line
	inRows     bool // a header line was read in this recording
	open       bool // the version mark was read and the end was not
}

// headerLine notes a header line, which begins a recording unless the version mark did.
func (m *meta) headerLine() {
	if !m.marked || m.inRows {
		m.marked = false
		m.recordings++
	}
	m.inRows = true
}

// comment reads a comment line. It returns what is wrong with it, or nothing.
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
	if config, ok := cutMark(line, markConfig); ok && m.recordings == 1 && !m.inRows {
		m.Config, problem = keepJSON(config, "configuration")
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

// mark notes the version mark, with which a recording begins.
func (m *meta) mark(version string) (problem string) {
	if m.open {
		problem = "the recording before this line has no end: its run was killed, or it is cut off"
	}
	m.recordings++
	m.marked, m.inRows, m.open = true, false, true
	v, err := strconv.Atoi(version)
	if err != nil {
		return fmt.Sprintf("the version of the recording, %s, is not a number", excerpt([]byte(version)))
	}
	if m.recordings == 1 {
		m.Version = v
	}
	if v > Version {
		return fmt.Sprintf("the recording has version %d, this program knows version %d: something in it may be left out", v, Version)
	}
	return problem
}

// addCommandLine adds a line to the command line, up to the size of a row.
func (m *meta) addCommandLine(line string) {
	if len(m.CommandLine)+len(line) > MaxRow {
		return
	}
	if m.CommandLine != "" {
		m.CommandLine += "\n"
	}
	m.CommandLine += line
}

// keepJSON copies text if it is JSON.
func keepJSON(text, what string) (value json.RawMessage, problem string) {
	if !json.Valid([]byte(text)) {
		return nil, "the " + what + " in the comment is not JSON and was left out"
	}
	return json.RawMessage(text), ""
}

// cutMark is what stands behind mark in a comment line.
func cutMark(line []byte, mark string) (string, bool) {
	rest, ok := bytes.CutPrefix(line, []byte(strings.TrimSuffix(mark, " ")))
	return strings.TrimSpace(string(rest)), ok
}
