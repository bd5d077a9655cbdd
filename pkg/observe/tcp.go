package observe

// TCP counts segments of all connections of the network namespace, including loopback.
type TCP struct {
	SentSegments          int64 `json:"sent_segments"` // without retransmissions
	RetransmittedSegments int64 `json:"retransmitted_segments"`
	// RetransmittedPercent is the share of all segments sent.
	RetransmittedPercent float64 `json:"retransmitted_percent"`
}

func (t *TCP) derive() {
	again := float64(t.RetransmittedSegments)
	t.RetransmittedPercent = percent(again, again+float64(t.SentSegments))
}

func (t *TCP) add(u *TCP) {
	t.SentSegments += u.SentSegments
	t.RetransmittedSegments += u.RetransmittedSegments
	t.derive()
}
