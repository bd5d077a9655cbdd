package live

import (
	"slices"

	"warp/pkg/aggregate/internal/decode"
)

// maxPoints is the maximum number of points in a series; beyond, their length is doubled.
const maxPoints = 1024

// series is throughput over time while its end is unknown: points of one length from an origin.
type series struct {
	origin      int64 // Unix time in nanoseconds at which the first point begins; 0 if nothing was recorded yet
	first, last int64 // bounds of what was recorded
	length      int64 // of a point
	points      []point
}

// point is what happened in a short span; bytes and objects by share as in Segment.
type point struct {
	bytes, objects float64
	ended, errors  int64
}

// needs returns the number of points that the series needs to include start to end.
func (s *series) needs(start, end int64) int64 {
	first := min(0, decode.FloorDiv(start-s.origin, s.length))
	last := max(int64(len(s.points))-1, decode.FloorDiv(end-s.origin, s.length))
	return last - first + 1
}

// cover makes room for start to end.
func (s *series) cover(start, end int64) {
	if s.origin == 0 {
		s.origin, s.first, s.last, s.length = start, start, end, int64(tick)
	}
	for s.needs(start, end) > maxPoints {
		s.double()
	}
	if missing := -decode.FloorDiv(start-s.origin, s.length); missing > 0 {
		s.points = append(make([]point, missing), s.points...)
		s.origin -= missing * s.length
	}
	s.points = decode.GrowTo(s.points, int((end-s.origin)/s.length))
	s.first, s.last = min(s.first, start), max(s.last, end)
}

// double joins pairs of points.
func (s *series) double() {
	s.length *= 2
	n := (len(s.points) + 1) / 2
	for i := range n {
		p := s.points[2*i]
		if 2*i+1 < len(s.points) {
			q := s.points[2*i+1]
			p.bytes += q.bytes
			p.objects += q.objects
			p.ended += q.ended
			p.errors += q.errors
		}
		s.points[i] = p
	}
	s.points = s.points[:n]
}

// add counts an operation.
func (s *series) add(r *decode.Record) {
	s.cover(r.Start, r.End)
	t := decode.Timeline{From: s.origin, Length: s.length, N: len(s.points)}
	ended := max(0, t.EndedIn(r.Start, r.End))
	if r.Failed {
		s.points[ended].errors++
		return
	}
	s.points[ended].ended++
	for i := (r.Start - s.origin) / s.length; i < int64(t.N); i++ {
		from := s.origin + i*s.length
		if from > r.End {
			return
		}
		part := decode.Share(r.Start, r.End, from, from+s.length)
		s.points[i].bytes += part * float64(r.Bytes)
		s.points[i].objects += part * float64(r.Objects)
	}
}

// between returns what was moved, and how many operations succeeded, from one time to another, assuming a constant rate within each point,
// as far as anything is recorded.
func (s *series) between(from, to int64) (bytes, objects, ended float64) {
	for i := max(0, decode.FloorDiv(from-s.origin, s.length)); i < int64(len(s.points)); i++ {
		start := s.origin + i*s.length
		if start >= to {
			break
		}
		start, end := max(start, s.first), min(start+s.length, s.last)
		part := decode.Share(start, end, from, to)
		bytes += part * s.points[i].bytes
		objects += part * s.points[i].objects
		ended += part * float64(s.points[i].ended)
	}
	return bytes, objects, ended
}

// atLength returns a copy with points of a length that is a power of two times its own.
func (s *series) atLength(length int64) series {
	c := *s
	c.points = slices.Clone(s.points)
	for c.length < length {
		c.double()
	}
	return c
}
