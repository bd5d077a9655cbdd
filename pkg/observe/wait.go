package observe

// CPUWait is how long runnable threads of the process waited for a CPU. Lateness does not include that: a goroutine
// whose thread waits counts as running. It grows when other programs compete for the CPUs.
type CPUWait struct {
	RunSeconds  float64 `json:"run_s"`  // time on a CPU
	WaitSeconds float64 `json:"wait_s"` // time in the run queue
	Turns       int64   `json:"turns"`  // times that a thread was put on a CPU
	// MeanMillis is the mean wait before a turn.
	MeanMillis float64 `json:"mean_ms"`
	// Percent is the share of waiting in the time that threads waited or ran.
	Percent float64 `json:"percent"`
}

func (w *CPUWait) derive() {
	w.MeanMillis = 0
	if w.Turns > 0 {
		w.MeanMillis = 1000 * w.WaitSeconds / float64(w.Turns)
	}
	w.Percent = percent(w.WaitSeconds, w.WaitSeconds+w.RunSeconds)
}

func (w *CPUWait) add(v *CPUWait) {
	w.RunSeconds += v.RunSeconds
	w.WaitSeconds += v.WaitSeconds
	w.Turns += v.Turns
	w.derive()
}
