package ycsb

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
	"warp/pkg/units"
)

// dataSet says which objects there are.
func (y *converter) dataSet() *script.DataSet {
	s := y.Set("usertable")
	s.Objects = y.value("recordcount", strconv.FormatUint(y.inserted(), 10))
	s.Size = y.value("fieldlength", y.size(s))
	element := "fnv"
	if y.text("insertorder") != "hashed" {
		element = "i"
	}
	if first := y.whole("insertstart"); first > 0 {
		element += fmt.Sprintf("+%d", first)
	}
	if n := y.whole("zeropadding"); n > maxDigits {
		y.fail("zeropadding", "(want at most %d)", maxDigits)
	} else if n > 1 {
		element += fmt.Sprintf(":0%d", n)
	}
	s.Keys = script.Text("user{" + element + "}").At(s.Pos)
	if y.number("insertproportion") > 0 && y.whole("insertstart")+y.inserted() < y.whole("recordcount") {
		draft.AddNote(&s.Head, "Approximated: new records are numbered on from the last one here, in the original from %d on.",
			y.whole("recordcount"))
	}
	return s
}

// maxDigits is the most digits of a number in a key.
const maxDigits = 20

// maxObject is the largest object of S3.
const maxObject = 5 << 40

// size returns the sizes of objects. The S3 binding draws one length for all fields of a record.
func (y *converter) size(s *script.DataSet) string {
	fields, length, least := y.whole("fieldcount"), y.whole("fieldlength"), y.whole("minfieldlength")
	if length > 0 && fields > maxObject/length || fields*length == 0 {
		y.fail("fieldlength", "with fieldcount=%s: objects of %g bytes", y.text("fieldcount"), float64(fields)*float64(length))
		return ""
	}
	size := func(n uint64) string { return units.ExactSize(int64(fields * n)) }
	switch dist := y.text("fieldlengthdistribution"); {
	case dist == "constant", length == least && dist != "histogram":
		return size(length)
	case dist == "histogram":
		y.fail("fieldlengthdistribution", "cannot be converted: write its sizes as fieldlengthdistribution=uniform, or as a scenario")
	case least > length:
		y.fail("minfieldlength", "is more than fieldlength=%d", length)
	case dist == "uniform":
		return fmt.Sprintf("uniform(%s,%s,step=%s)", size(least), size(length), size(1))
	case dist == "zipfian":
		draft.AddNote(&s.Head, "Approximated: sizes have the zipfian shares for each doubling, and are uniform within it.")
		return "hist(" + strings.Join(zipfClasses(least, length, fields), ",") + ")"
	default:
		y.fail("fieldlengthdistribution", "(want constant, uniform or zipfian)")
	}
	return ""
}

// theta is the exponent of YCSB's zipfian distributions.
const theta = 0.99

// zipfClasses returns classes of sizes with their weights. Of the lengths from least to most, the k-th is k^-theta as likely as the first.
func zipfClasses(least, most, fields uint64) (classes []string) {
	if least > 0 {
		classes = append(classes, units.ExactSize(int64(least*fields))+":0")
	}
	count := most - least + 1
	for from := uint64(1); from <= count; from *= 2 {
		to := min(2*from, count+1) // rank
		weight := math.Round(1e4 * (zipfSum(to) - zipfSum(from)))
		classes = append(classes, fmt.Sprintf("%s:%.0f", units.ExactSize(int64((least+to-1)*fields)), weight))
	}
	return classes
}

// zipfSum returns about the sum of k^-theta for the ranks below n.
func zipfSum(n uint64) (sum float64) {
	const exact = 1000
	for k := uint64(1); k < min(n, exact); k++ {
		sum += math.Pow(float64(k), -theta)
	}
	if n > exact {
		sum += (math.Pow(float64(n)-0.5, 1-theta) - math.Pow(exact-0.5, 1-theta)) / (1 - theta)
	}
	return sum
}
