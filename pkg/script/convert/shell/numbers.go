package shell

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// number returns a whole number; 0 for any other text.
func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// padded writes a number with at least as many digits.
func padded(n, digits int) string { return fmt.Sprintf("%0*d", digits, n) }

func (t *tool) seq() bool {
	args, separator, width := t.args, "\n", false
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && (args[0][1] < '0' || args[0][1] > '9') {
		switch {
		case args[0] == "-w":
			width = true
		case args[0] == "-s" && len(args) > 1:
			separator, args = args[1], args[1:]
		case args[0][1] == 's':
			separator = args[0][2:]
		default:
			return false
		}
		args = args[1:]
	}
	first, step, last := 1.0, 1.0, 0.0
	digits := 0
	for i, a := range args {
		x, err := strconv.ParseFloat(a, 64)
		if err != nil {
			return false
		}
		if _, fraction, ok := strings.Cut(a, "."); ok {
			digits = max(digits, len(fraction))
		}
		switch {
		case i == len(args)-1:
			last = x
		case i == 0:
			first = x
		default:
			step = x
		}
	}
	if len(args) == 0 || len(args) > 3 || step == 0 || math.Abs((last-first)/step) > maxRange {
		return false
	}
	var list []string
	for i := 0; (first+float64(i)*step-last)*step <= 1e-9; i++ {
		list = append(list, strconv.FormatFloat(first+float64(i)*step, 'f', digits, 64))
	}
	if width && len(list) > 0 {
		n := max(len(list[0]), len(list[len(list)-1]))
		for i := range list {
			list[i] = strings.Repeat("0", n-len(list[i])) + list[i]
		}
	}
	return len(list) == 0 || t.print(strings.Join(list, separator))
}

// arithmetic computes an expression of whole numbers.
func (t *tool) arithmetic(text string) bool {
	expr, err := syntax.NewParser().Arithmetic(strings.NewReader(text))
	if err != nil || len(t.unknowns.in(text)) > 0 || strings.ContainsAny(text, ".=") {
		return false
	}
	n, err := expand.Arithm(&expand.Config{}, expr)
	return err == nil && t.print(strconv.Itoa(n))
}

func (t *tool) expr() bool { return t.arithmetic(strings.Join(t.args, " ")) }

func (t *tool) bc() bool {
	return t.arithmetic(t.read(nil))
}

// maxRange is how many words a range may have.
const maxRange = 10_000
