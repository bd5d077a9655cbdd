package load

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ReadShape reads a shape from lines "time,level": a time from the beginning, as in 90 (seconds), 1m30s or 01:30:00, and the level at
// that time, which scale multiplies. Between two times the level changes evenly; two lines with the same time are a step.
// The first line that is no comment may be a heading: one without a number. The last level stays.
func ReadShape(r io.Reader, scale float64) (Shape, error) {
	if !(scale > 0) {
		return Shape{}, fmt.Errorf("invalid scale %v (want more than 0)", scale)
	}
	rows := csv.NewReader(r)
	rows.FieldsPerRecord, rows.Comment, rows.TrimLeadingSpace, rows.ReuseRecord = 2, '#', true, true
	var s Shape
	var last time.Duration
	var level float64
	heading := true // may still come
	for begun := false; ; {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return s, err
		}
		line, _ := rows.FieldPos(0)
		at, err := parseTime(row[0])
		first := heading
		if heading = false; first && err != nil && !slices.ContainsFunc(row, numeric) {
			continue
		}
		to, levelErr := parseLevel(row[1])
		to *= scale
		switch {
		case err != nil:
			return s, fmt.Errorf("line %d: %w", line, err)
		case levelErr != nil:
			return s, fmt.Errorf("line %d: invalid level %q (want a number)", line, row[1])
		case at < last:
			return s, fmt.Errorf("line %d: %s is before the line above it (want times in order)", line, row[0])
		case len(s.stages) > maxStages:
			return s, fmt.Errorf("line %d: more than %d lines", line, maxStages)
		case at > last && !begun:
			s.stages = append(s.stages, stage{to, to, at})
		case at > last:
			s.stages = append(s.stages, stage{level, to, at - last})
		}
		begun, last, level = true, at, to
	}
	s.stages = append(s.stages, stage{from: level, to: level})
	return shapeOf(s, nil)
}

// numeric reports whether a field is meant to be a number.
func numeric(field string) bool {
	field = strings.TrimSpace(field)
	return field != "" && strings.ContainsAny(field[:1], "0123456789+-.")
}

// parseTime parses seconds, a duration, or hours, minutes and seconds with colons.
func parseTime(text string) (time.Duration, error) {
	text = strings.TrimSpace(text)
	if n, err := strconv.ParseFloat(text, 64); err == nil && n >= 0 && n <= maxLength.Seconds() {
		return time.Duration(n * float64(time.Second)), nil
	}
	if parts := strings.Split(text, ":"); len(parts) == 2 || len(parts) == 3 {
		text = parts[0] + "h" + parts[1] + "m"
		if len(parts) == 3 {
			text += parts[2] + "s"
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d > maxLength {
		return 0, fmt.Errorf("invalid time %q (want seconds, or one as in 1m30s or 12:30)", text)
	}
	return d, nil
}
