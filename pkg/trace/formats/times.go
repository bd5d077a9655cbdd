package formats

import (
	"bytes"
	"errors"
)

const (
	second = int64(1e9)
	day    = 86400 * second
)

// daysOf returns the days from 1970 to a date of the Gregorian calendar.
func daysOf(year, month, dayOfMonth int64) int64 {
	if month <= 2 {
		year--
		month += 12
	}
	era := year / 400
	ofEra := year - era*400
	ofYear := (153*(month-3)+2)/5 + dayOfMonth - 1
	return era*146097 + ofEra*365 + ofEra/4 - ofEra/100 + ofYear - 719468
}

// clockTime parses "15:04:05" with an optional fraction at the start of b, and returns the nanoseconds since midnight and what follows.
func clockTime(b []byte) (ns int64, rest []byte, ok bool) {
	if len(b) < 8 || b[2] != ':' || b[5] != ':' {
		return 0, nil, false
	}
	hour, ok1 := number(b[:2])
	minute, ok2 := number(b[3:5])
	sec, ok3 := number(b[6:8])
	if !ok1 || !ok2 || !ok3 || hour > 23 || minute > 59 || sec > 60 {
		return 0, nil, false
	}
	ns, b = ((hour*60+minute)*60+sec)*second, b[8:]
	if len(b) > 1 && (b[0] == '.' || b[0] == ',') {
		n, unit := 1, second/10
		for n < len(b) && b[n]-'0' <= 9 {
			ns += int64(b[n]-'0') * unit
			unit /= 10
			n++
		}
		b = b[n:]
	}
	return ns, b, true
}

// zone parses the offset from UTC that b is: "Z", "+02:00", "-0700", or nothing.
func zone(b []byte) (ns int64, ok bool) {
	b = bytes.TrimLeft(b, " ")
	switch {
	case len(b) == 0, len(b) == 1 && (b[0] == 'Z' || b[0] == 'z'), string(b) == "UTC", string(b) == "GMT":
		return 0, true
	case len(b) < 5 || b[0] != '+' && b[0] != '-':
		return 0, false
	}
	minutes := b[3:]
	if minutes[0] == ':' {
		minutes = minutes[1:]
	}
	hour, ok1 := number(b[1:3])
	minute, ok2 := number(minutes)
	if ns = (hour*60 + minute) * 60 * second; b[0] == '-' {
		ns = -ns
	}
	return ns, ok1 && ok2 && hour <= 24 && len(minutes) == 2
}

// isoTime parses "2006-01-02T15:04:05.999Z", with T or a space.
func isoTime(b []byte) (int64, bool) {
	if len(b) < 19 || b[4] != '-' || b[7] != '-' || b[10] != 'T' && b[10] != ' ' {
		return 0, false
	}
	year, ok1 := number(b[:4])
	month, ok2 := number(b[5:7])
	dayOfMonth, ok3 := number(b[8:10])
	return joinTime(year, month, dayOfMonth, b[11:], ok1 && ok2 && ok3)
}

// logTime parses "02/Jan/2006:15:04:05 -0700" of access logs, without brackets.
func logTime(b []byte) (int64, bool) {
	if len(b) < 20 || b[2] != '/' || b[6] != '/' || b[11] != ':' {
		return 0, false
	}
	dayOfMonth, ok1 := number(b[:2])
	year, ok2 := number(b[7:11])
	month := bytes.Index([]byte("JanFebMarAprMayJunJulAugSepOctNovDec"), b[3:6])
	return joinTime(year, int64(month/3+1), dayOfMonth, b[12:], ok1 && ok2 && month >= 0 && month%3 == 0)
}

// joinTime adds a date and the time of day that b begins with.
func joinTime(year, month, dayOfMonth int64, b []byte, ok bool) (int64, bool) {
	if !ok || year < 1970 || year > 2200 || month < 1 || month > 12 || dayOfMonth < 1 || dayOfMonth > 31 {
		return 0, false
	}
	ns, rest, ok1 := clockTime(b)
	offset, ok2 := zone(rest)
	return daysOf(year, month, dayOfMonth)*day + ns - offset, ok1 && ok2
}

// anyTime parses a time in any usual form: a date, or seconds, milliseconds, microseconds or nanoseconds since 1970. coarse is whether
// its resolution is a second.
func anyTime(b []byte) (ns int64, coarse, ok bool) {
	b = bytes.Trim(b, "[] \"")
	coarse = bytes.IndexByte(b, '.') < 0
	if ns, ok = isoTime(b); ok {
		return ns, coarse, true
	}
	if ns, ok = logTime(b); ok {
		return ns, coarse, true
	}
	whole, _, _ := bytes.Cut(b, []byte("."))
	switch {
	case len(whole) <= 11:
		ns, ok = decimal(b, 9)
	case len(whole) <= 14:
		ns, ok = decimal(b, 6)
		coarse = false
	case len(whole) <= 17:
		ns, ok = decimal(b, 3)
		coarse = false
	default:
		ns, ok = decimal(b, 0)
		if !ok && len(whole) == 19 {
			ns, ok = decimal(append(bytes.Clone(whole[:18]), '.', whole[18]), 1)
		}
		coarse = false
	}
	return ns, coarse, ok
}

var errTime = errors.New("invalid time")
