package observe

import (
	"bytes"
	"os"
)

// turns is what the kernel has counted for one thread since its start; times in ns.
type turns struct{ run, wait, count uint64 }

// threadsPerSample bounds the cost: a thread takes 9 µs. Threads of a larger process are read in rotation: what a
// thread did since its last reading counts at the next one, later than it happened, but completely.
const threadsPerSample = 32

type waitSource struct {
	files  *files
	before map[string]turns // by thread id
	round  []string         // threads still to be read in this round
}

func (w *waitSource) read(s *Sample) {
	if w.before == nil {
		w.before = map[string]turns{}
		for _, thread := range w.threads() {
			w.before[thread], _ = w.readThread(thread)
		}
		return
	}
	if len(w.round) == 0 {
		w.begin()
	}
	wait := &CPUWait{}
	n := min(len(w.round), threadsPerSample)
	for _, thread := range w.round[:n] {
		now, ok := w.readThread(thread)
		if !ok {
			continue // the thread has ended
		}
		before := w.before[thread] // zero for a new thread
		w.before[thread] = now
		wait.RunSeconds += float64(increase(before.run, now.run)) / 1e9
		wait.WaitSeconds += float64(increase(before.wait, now.wait)) / 1e9
		wait.Turns += int64(increase(before.count, now.count))
	}
	w.round = w.round[n:]
	if wait.Turns > 0 { // includes this thread, if the kernel counts turns at all
		wait.derive()
		s.CPUWait = wait
	}
}

// begin starts a new round through all threads, and drops those that have ended.
func (w *waitSource) begin() {
	w.round = w.threads()
	alive := make(map[string]turns, len(w.round))
	for _, thread := range w.round {
		if before, ok := w.before[thread]; ok {
			alive[thread] = before
		}
	}
	w.before = alive
}

func (w *waitSource) threads() []string {
	dir, err := os.Open(w.files.path("/proc/self/task"))
	if err != nil {
		return nil
	}
	defer dir.Close()               //nolint:errcheck // nothing was written that could be lost
	names, _ := dir.Readdirnames(0) // on an error, use those that were read
	return names
}

func (w *waitSource) readThread(thread string) (turns, bool) {
	b, err := w.files.read("/proc/self/task/" + thread + "/schedstat")
	if err != nil {
		return turns{}, false
	}
	return parseSchedstat(b)
}

// parseSchedstat reads /proc/self/task/N/schedstat: ns on a processor, ns in the queue, turns.
func parseSchedstat(b []byte) (turns, bool) {
	field := bytes.Fields(b)
	if len(field) < 3 {
		return turns{}, false
	}
	run, ok := parseNumber(field[0])
	wait, ok2 := parseNumber(field[1])
	count, ok3 := parseNumber(field[2])
	return turns{run, wait, count}, ok && ok2 && ok3
}
