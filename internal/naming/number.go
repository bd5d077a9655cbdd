package naming

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Number is how an element is made of a number x: x / Div % Mod * Times + Plus, with zeros before it up to Width digits.
type Number struct {
	Div   uint64 // at least 1
	Mod   uint64 // 0: none
	Times uint64 // at least 1
	Plus  uint64
	Width int // at least 1
}

const (
	// MaxWidth is the largest number of digits.
	MaxWidth = 20
	maxDiv   = 1 << 50
	maxTimes = 1 << 32
)

// Plain is a number as it is.
var Plain = Number{Div: 1, Times: 1, Width: 1}

// Operators are the characters that begin the operations of a number.
const Operators = "/%*+"

// ParseNumber parses operations, as in /6%2*512+1, and the number of digits.
func ParseNumber(operations, width string, padded bool) (n Number, err error) {
	n = Plain
	if padded {
		w, err := ParseCount(width, MaxWidth)
		if err != nil {
			return n, err
		}
		n.Width = int(w)
	}
	for rest := operations; rest != "" && err == nil; {
		end := strings.IndexAny(rest[1:], Operators) + 1
		if end == 0 {
			end = len(rest)
		}
		err = n.operate(rest[0], rest[1:end])
		rest = rest[end:]
	}
	return n, err
}

// operate adds an operation.
func (n *Number) operate(operator byte, text string) error {
	most := uint64(maxDiv)
	if operator == '*' {
		most = maxTimes
	}
	value, err := ParseCount(text, most)
	if err != nil {
		return err
	}
	scaled := n.Times > 1 || n.Plus > 0
	switch {
	case operator == '+' && n.Plus == 0:
		n.Plus = value
	case operator == '*' && !scaled:
		n.Times = value
	case operator == '/' && !scaled && n.Mod == 0:
		if n.Div > maxDiv/value {
			return fmt.Errorf("it divides by more than %d", uint64(maxDiv))
		}
		n.Div *= value
	case operator == '/' && !scaled:
		if n.Mod%value != 0 {
			return fmt.Errorf("%d after %%%d is invalid (want a divisor of %d)", value, n.Mod, n.Mod)
		}
		n.Div, n.Mod = n.Div*value, n.Mod/value
	case operator == '%' && !scaled && n.Mod == 0:
		n.Mod = value
	case operator == '%' && !scaled:
		return errors.New("a second remainder")
	default:
		return errOrder
	}
	return nil
}

// ParseCount parses a number from 1 to most.
func ParseCount(text string, most uint64) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n < 1 || n > most {
		return 0, fmt.Errorf("invalid number %q (want 1 to %d)", text, most)
	}
	return n, nil
}

// Of returns the number made of x.
func (n *Number) Of(x uint64) uint64 {
	x /= n.Div
	if n.Mod > 0 {
		x %= n.Mod
	}
	return x*n.Times + n.Plus
}

// Part returns what a number made of x says about x: the sum of the parts of several numbers may be x.
func (n *Number) Part(value uint64) (x uint64, ok bool) {
	if value < n.Plus || (value-n.Plus)%n.Times != 0 {
		return 0, false
	}
	x = (value - n.Plus) / n.Times
	return x * n.Div, x <= (1<<62)/n.Div
}

// Append appends the number made of x.
func (n *Number) Append(dst []byte, x uint64) []byte { return Pad(dst, n.Of(x), n.Width, 10) }

// Fixed reports whether the number always has Width digits.
func (n *Number) Fixed() bool { return n.Mod > 0 && n.Width >= Digits((n.Mod-1)*n.Times+n.Plus, 10) }

// Pad appends a number with zeros before it, up to a width.
func Pad(dst []byte, n uint64, width, base int) []byte {
	for k := Digits(n, base); k < width; k++ {
		dst = append(dst, '0')
	}
	return strconv.AppendUint(dst, n, base)
}

// Digits returns the number of digits of n.
func Digits(n uint64, base int) (count int) {
	for count = 1; n >= uint64(base); n /= uint64(base) {
		count++
	}
	return count
}
