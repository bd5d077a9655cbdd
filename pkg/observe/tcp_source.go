package observe

import "bytes"

type tcpSource struct {
	files       *files
	sent, again uint64
	begun       bool
}

func (t *tcpSource) read(s *Sample) {
	b, err := t.files.read("/proc/self/net/snmp")
	if err != nil {
		return
	}
	sent, again, ok := parseSNMP(b)
	if !ok {
		return
	}
	if t.begun {
		s.TCP = &TCP{
			SentSegments:          int64(increase(t.sent, sent)),
			RetransmittedSegments: int64(increase(t.again, again)),
		}
		s.TCP.derive()
	}
	t.sent, t.again, t.begun = sent, again, true
}

// parseSNMP parses /proc/net/snmp: TCP segments sent and retransmitted. A line of names is followed by a line of
// values.
func parseSNMP(b []byte) (sent, again uint64, ok bool) {
	var names [][]byte
	for line := range bytes.Lines(b) {
		if !bytes.HasPrefix(line, []byte("Tcp:")) {
			continue
		}
		field := bytes.Fields(line)
		if names == nil {
			names = field
			continue
		}
		found := 0
		for i := 1; i < min(len(names), len(field)); i++ {
			n, isNumber := parseNumber(field[i]) // MaxConn is -1
			switch {
			case !isNumber:
			case string(names[i]) == "OutSegs":
				sent = n
				found++
			case string(names[i]) == "RetransSegs":
				again = n
				found++
			}
		}
		return sent, again, found == 2
	}
	return 0, 0, false
}
