package target

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// expandRanges replaces each {from...to} in s; several make every combination, the last one counting fastest. It fails
// when more than limit would come out.
func expandRanges(s string, limit int) ([]string, error) {
	all := []string{""}
	for {
		head, rest, found := strings.Cut(s, "{")
		var values []string
		if !found {
			values = []string{""}
		} else {
			inner, tail, closed := strings.Cut(rest, "}")
			if !closed {
				return nil, errors.New("a brace is not closed; a range is written {1...10}")
			}
			var err error
			if values, err = rangeValues(inner, limit); err != nil {
				return nil, err
			}
			rest = tail
		}
		if len(all)*len(values) > limit {
			return nil, fmt.Errorf("stands for more than %d hosts in all", MaxHosts)
		}
		next := make([]string, 0, len(all)*len(values))
		for _, a := range all {
			for _, v := range values {
				next = append(next, a+head+v)
			}
		}
		all = next
		if !found {
			return all, nil
		}
		s = rest
	}
}

// rangeValues lists what the inside of a pair of braces stands for: numbers, or single small letters.
func rangeValues(inner string, limit int) ([]string, error) {
	from, to, ok := strings.Cut(inner, "...")
	if !ok {
		return nil, fmt.Errorf("{%s} is not a range; write {1...10}", inner)
	}
	if isLetter(from) && isLetter(to) {
		if from > to {
			return nil, fmt.Errorf("the range {%s} runs backwards", inner)
		}
		var values []string
		for c := from[0]; c <= to[0]; c++ {
			values = append(values, string(rune(c)))
		}
		return values, nil
	}
	a, errA := strconv.ParseUint(from, 10, 32)
	b, errB := strconv.ParseUint(to, 10, 32)
	if errA != nil || errB != nil {
		return nil, fmt.Errorf("{%s} is not a range; write {1...10}", inner)
	}
	if a > b {
		return nil, fmt.Errorf("the range {%s} runs backwards", inner)
	}
	if b-a >= uint64(max(limit, 0)) {
		return nil, fmt.Errorf("stands for more than %d hosts in all", MaxHosts)
	}
	width := 0
	if len(from) > 1 && from[0] == '0' || len(to) > 1 && to[0] == '0' {
		width = max(len(from), len(to))
	}
	values := make([]string, 0, b-a+1)
	for n := a; n <= b; n++ {
		values = append(values, fmt.Sprintf("%0*d", width, n))
	}
	return values, nil
}

func isLetter(s string) bool { return len(s) == 1 && s[0] >= 'a' && s[0] <= 'z' }
