// Package screen shows a run on the whole screen of a terminal: figures and charts over time, and keys to look closer and to
// steer the run.
//
// What it knows is a Model, which Render draws; neither has a side effect. A Screen is the Model at a terminal: it takes
// what a run reports, and never makes the run wait.
package screen

import (
	"slices"
	"time"

	"warp/pkg/aggregate/live"
	"warp/view/terminal"
)

// Moment is what is shown in addition to a terminal.Update, once a second.
type Moment struct {
	At      time.Time // the beginning of the second that Detail.Seconds are of
	Detail  live.Detail
	Clients []live.ClientFigures // of a distributed run
	Limit   string               // by what this machine is the bottleneck, in a few words; empty: it is not
	Rate    string               // of an open loop, or empty if it cannot be changed
}

// Mark is a moment that a person marked.
type Mark struct {
	At   time.Time
	Text string
}

// Panel is what the lower part of the screen shows.
type Panel int

// The panels, in the order of their keys.
const (
	Overview Panel = iota
	Latency
	Errors
	Hosts
	Phases
	panels // how many
)

// Order is that of hosts and clients.
type Order int

// The orders, in the sequence of the key s.
const (
	ByLatency Order = iota
	ByErrors
	ByRate
	ByName
	orders // how many
)

// Model is what a screen knows.
type Model struct {
	Where   string // the hosts
	Current terminal.Current
	Moment  Moment
	Marks   []Mark
	Log     []string // notices, and stages that are over; the newest last

	Panel    Panel
	Order    Order
	Top      int  // first row of a table that is shown
	Whole    bool // charts have all of the time, not the last part
	Paused   bool
	Help     bool
	Stopping bool

	history history
}

// shows reports whether a panel says something that others do not: a single host has the figures of the whole run.
func (m *Model) shows(p Panel) bool { return p != Hosts || count(m) > 1 }

// panel is what is shown below the head.
func (m *Model) panel() Panel {
	if m.shows(m.Panel) {
		return m.Panel
	}
	return Overview
}

// open shows a panel, if there is something to say in it.
func (m *Model) open(p Panel) {
	if m.shows(p) {
		m.Panel, m.Help, m.Top = p, false, 0
	}
}

// maxLog is how many lines are kept for the screen.
const maxLog = 200

// Begin begins a stage. Charts begin anew with the first one that is measured.
func (m *Model) Begin(s terminal.Stage) {
	m.Current = terminal.Current{Stage: s}
	if s.Phase == 0 {
		m.history = history{}
	}
	m.history.phase = s.Name
}

// add adds a second.
func (m *Model) add(moment Moment) {
	if !moment.At.After(m.Moment.At) {
		return
	}
	m.Moment = moment
	m.history.add(&moment)
}

// say adds a line to the log.
func (m *Model) say(text string) {
	m.Log = append(m.Log, text)
	if len(m.Log) > maxLog {
		m.Log = slices.Clone(m.Log[len(m.Log)-maxLog:])
	}
}

// frozen returns a copy that does not change any more.
func (m *Model) frozen() *Model {
	c := *m
	c.Log, c.Marks = slices.Clone(m.Log), slices.Clone(m.Marks)
	c.history = m.history.clone()
	return &c
}
