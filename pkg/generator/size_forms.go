package generator

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"warp/pkg/units"
)

// Laws of Sizes, in addition to Random and Buckets.
const (
	lawUniform   = "uniform"   // from Min to Max
	lawNormal    = "normal"    // Center is the mean, Spread the standard deviation
	lawLogNormal = "lognormal" // Center is the median, Spread the standard deviation of the logarithm
	lawSequence  = "sequence"  // Buckets in order: their weights are numbers of objects. The last one goes on
)

// sizeForms is the distributions that ParseSizes takes by name, for usage texts and errors.
const sizeForms = "uniform(1KiB,1MiB), log2(1MiB), lognormal(median=1MiB,sigma=0.8,max=64MiB), normal(1MiB,200KiB), " +
	"hist(4KiB:60,64KiB:30), choice(4KiB:1,1MiB:1), sequence(1MiB:100,2MiB:100), file(sizes.csv) or preset(NAME)"

// presets are sizes that benchmarks of others have published, by name. MLPerf Storage's are sizes of one file.
var presets = map[string]string{
	"mlperf-unet3d":    "normal(146600628,68341808,min=1MiB)",
	"mlperf-cosmoflow": "normal(2828486,71311)",
	"mlperf-resnet50":  "143439660", // 1251 records of 114660 bytes
	"mlperf-retinanet": "322957",
}

// Presets returns the names of the presets, sorted.
func listPresets() (names []string) {
	for name := range presets {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

const (
	maxDeviations = 6       // without a largest size: standard deviations above the center
	largestSize   = 5 << 40 // of S3
	minInside     = 0.01    // share of the draws that must lie within the bounds
	maxSizeFile   = 1 << 20 // bytes
)

// parseForm parses a distribution by its name.
func parseForm(text string, read func(name string) ([]byte, error)) (Sizes, error) {
	c, err := parseCall(text)
	if err != nil {
		return Sizes{}, err
	}
	switch c.name {
	case lawUniform:
		return c.uniform()
	case "log2":
		return c.doublings()
	case lawNormal:
		return c.normal("normal(MEAN,DEVIATION,min=SIZE,max=SIZE)", "mean", "sd")
	case lawLogNormal:
		return c.normal("lognormal(median=SIZE,sigma=NUMBER,min=SIZE,max=SIZE)", "median", "sigma")
	case "hist":
		return parseBuckets(strings.Join(c.args, ","))
	case "choice":
		return parseChoice(c.args)
	case lawSequence:
		s, err := parseChoice(c.args)
		s.Law = lawSequence
		return s, err
	case "file":
		return sizeFile(strings.Join(c.args, ","), read)
	case "preset":
		if form := presets[strings.Join(c.args, ",")]; form != "" {
			return ParseSizes(form, false)
		}
		return Sizes{}, fmt.Errorf("unknown preset %q (want %s)", strings.Join(c.args, ","), strings.Join(listPresets(), ", "))
	}
	return Sizes{}, fmt.Errorf("unknown distribution %q (want %s)", c.name, sizeForms)
}

// parseAll parses sizes.
func parseAll(form string, texts ...string) (sizes []int64, err error) {
	for _, text := range texts {
		n, err := units.ParseSize(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", form, err)
		}
		sizes = append(sizes, n)
	}
	return sizes, nil
}

// uniform makes sizes from a smallest to a largest one.
func (c call) uniform() (s Sizes, err error) {
	const form = "uniform(MIN,MAX) or uniform(MIN,MAX,step=SIZE)"
	args, err := c.take(form, "min", "max", "step")
	if err != nil {
		return s, err
	}
	n, err := parseAll(form, args[0], args[1], cmp.Or(args[2], "0"))
	if err != nil {
		return s, err
	}
	return Sizes{Law: lawUniform, Min: n[0], Max: n[1], Step: n[2]}, nil
}

// doublings makes sizes with equal shares of all doublings.
func (c call) doublings() (s Sizes, err error) {
	const form = "log2(MAX) or log2(MIN,MAX)"
	args, err := c.take(form, "min", "max")
	if err != nil {
		return s, err
	}
	if args[1] == "" {
		args[0], args[1] = "0", args[0]
	}
	n, err := parseAll(form, args...)
	if err != nil {
		return s, err
	}
	return Sizes{Random: true, Min: n[0], Max: n[1]}, nil
}

// normal makes sizes of the normal laws.
func (c call) normal(form, center, spread string) (Sizes, error) {
	args, err := c.take(form, center, spread, "min", "max")
	if err != nil {
		return Sizes{}, err
	}
	s := Sizes{Law: c.name, Min: 1}
	for i, into := range []*int64{nil, nil, &s.Min, &s.Max} {
		if into == nil || args[i] == "" {
			continue
		}
		if *into, err = units.ParseSize(args[i]); err != nil {
			return Sizes{}, fmt.Errorf("%s: %w", form, err)
		}
	}
	middle, err := units.ParseSize(args[0])
	if err != nil {
		return Sizes{}, fmt.Errorf("%s: %w", form, err)
	}
	s.Center = float64(middle)
	if c.name == lawLogNormal {
		s.Spread, err = parseNumber(args[1])
	} else {
		var deviation int64
		deviation, err = units.ParseSize(args[1])
		s.Spread = float64(deviation)
	}
	if err != nil {
		return Sizes{}, fmt.Errorf("%s: %w", form, err)
	}
	if args[3] == "" {
		s.Max = int64(min(s.value(maxDeviations), largestSize))
	}
	return s, nil
}

// parseChoice parses sizes with their weights; a size without one has weight 1.
func parseChoice(args []string) (Sizes, error) {
	s := Sizes{Exact: true}
	for _, arg := range args {
		size, weight, weighted := strings.Cut(arg, ":")
		b := Bucket{Weight: 1}
		var err error
		if b.Size, err = units.ParseSize(size); err != nil {
			return Sizes{}, err
		}
		if weighted {
			if b.Weight, err = strconv.ParseInt(strings.TrimSpace(weight), 10, 64); err != nil {
				return Sizes{}, fmt.Errorf("invalid weight %q (want SIZE or SIZE:WEIGHT, with whole numbers as weights)", weight)
			}
		}
		s.Buckets = append(s.Buckets, b)
	}
	return s, nil
}

// sizeFile reads a file with a size in each line, and a weight behind it if there is a second column.
func sizeFile(name string, read func(name string) ([]byte, error)) (Sizes, error) {
	if read == nil {
		return Sizes{}, fmt.Errorf("file(%s): files cannot be read here", name)
	}
	text, err := read(name)
	if err != nil {
		return Sizes{}, err
	}
	if len(text) > maxSizeFile {
		return Sizes{}, fmt.Errorf("%s: %d bytes (want at most %s)", name, len(text), units.ExactSize(maxSizeFile))
	}
	var args []string
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") || n == 1 && strings.HasPrefix(strings.ToLower(line), "size") {
			continue
		}
		size, weight, weighted := strings.Cut(line, ",")
		arg := strings.TrimSpace(size)
		if weighted {
			arg += ":" + strings.TrimSpace(weight)
		}
		if _, err := parseChoice([]string{arg}); err != nil {
			return Sizes{}, fmt.Errorf("%s, line %d: %w", name, n, err)
		}
		args = append(args, arg)
	}
	if len(args) == 0 {
		return Sizes{}, fmt.Errorf("%s: no sizes (want one in each line, with a weight behind a comma if they differ)", name)
	}
	return parseChoice(args)
}

// validateLaw checks sizes that have a law.
func (s Sizes) validateLaw() error {
	switch {
	case s.Law == lawSequence && !s.Random:
		return validateBuckets(s.Buckets, true)
	case s.Random || len(s.Buckets) > 0:
		return errors.New("more than one distribution")
	case s.Min < 0 || s.Min > s.Max || s.Max > largestSize || s.Step < 0:
		return fmt.Errorf("sizes from %d to %d (want the smallest first, and at most 5 TiB)", s.Min, s.Max)
	case s.Law == lawUniform && s.Step > 0 && (s.Max-s.Min)%s.Step != 0:
		return fmt.Errorf("uniform: %s is no multiple of step %s above %s",
			units.ExactSize(s.Max), units.ExactSize(s.Step), units.ExactSize(s.Min))
	case s.Law == lawUniform:
		return nil
	case s.Law != lawNormal && s.Law != lawLogNormal:
		return fmt.Errorf("unknown law %q", s.Law)
	case !(s.Center >= 1 && s.Center <= largestSize) || !(s.Spread >= 0 && s.Spread <= largestSize),
		s.Law == lawLogNormal && s.Spread > 20:
		return fmt.Errorf("%s with %s and %s: out of range", s.Law, number(s.Center), number(s.Spread))
	}
	if inside := s.below(float64(s.Max)) - s.below(float64(s.Min)); s.Spread > 0 && inside < minInside {
		return fmt.Errorf("%s: only %.2g%% of all draws lie between %s and %s",
			s.Law, inside*100, units.ExactSize(s.Min), units.ExactSize(s.Max))
	}
	if s.Spread == 0 && (s.Center < float64(s.Min) || s.Center > float64(s.Max)) {
		return fmt.Errorf("%s: %s lies outside of its bounds", s.Law, number(s.Center))
	}
	return nil
}

// below returns the share of draws of the normal laws below a size.
func (s Sizes) below(size float64) float64 {
	x := (size - s.Center) / s.Spread
	if s.Law == lawLogNormal {
		x = math.Log(max(size, 0.5)/s.Center) / s.Spread
	}
	return 0.5 * math.Erfc(-x/math.Sqrt2)
}

// value returns the size at a number of standard deviations above the center.
func (s Sizes) value(deviations float64) float64 {
	if s.Law == lawLogNormal {
		return s.Center * exp(float64(s.Spread*deviations))
	}
	return s.Center + float64(s.Spread*deviations)
}

// lawSize draws a size. Those out of bounds are drawn again, so that none is more frequent for that.
func (s Sizes) lawSize(draw uint64) int64 {
	if s.Law == lawUniform {
		step := max(1, s.Step)
		return s.Min + step*int64(Uniform(draw, 0, uint64((s.Max-s.Min)/step)+1))
	}
	for try := range uint64(maxSizeTries) {
		if size := s.value(normal(Mix(draw, try))) + 0.5; size >= float64(s.Min) && size < float64(s.Max)+1 {
			return int64(size)
		}
	}
	return s.Min
}

// maxSizeTries bounds the draws for one size; of valid sizes, fewer than one in 10^40 need more.
const maxSizeTries = 10_000

// normal draws from the standard normal distribution, by the polar method of Marsaglia: no functions but logarithm and root.
func normal(draw uint64) float64 {
	for try := uint64(0); ; try += 2 {
		u, v := 2*fraction(Mix(draw, try))-1, 2*fraction(Mix(draw, try+1))-1
		if r := float64(u*u) + float64(v*v); r < 1 && r > 0 {
			return u * math.Sqrt(-2*log(r)/r)
		}
	}
}

// form returns the text form of sizes that have a law, or are exact.
func (s Sizes) form() string {
	low, high := units.ExactSize(s.Min), units.ExactSize(s.Max)
	switch s.Law {
	case lawUniform:
		if s.Step > 0 {
			high += ",step=" + units.ExactSize(s.Step)
		}
		return fmt.Sprintf("uniform(%s,%s)", low, high)
	case lawNormal:
		return fmt.Sprintf("normal(%s,%s,min=%s,max=%s)", units.ExactSize(int64(s.Center)), units.ExactSize(int64(s.Spread)), low, high)
	case lawLogNormal:
		return fmt.Sprintf("lognormal(median=%s,sigma=%s,min=%s,max=%s)", units.ExactSize(int64(s.Center)), number(s.Spread), low, high)
	}
	return cmp.Or(s.Law, "choice") + "(" + bucketText(s.Buckets) + ")"
}

// bucketText returns sizes with their weights.
func bucketText(buckets []Bucket) string {
	parts := make([]string, len(buckets))
	for i, b := range buckets {
		parts[i] = fmt.Sprintf("%s:%d", units.ExactSize(b.Size), b.Weight)
	}
	return strings.Join(parts, ",")
}

// Indexed returns the same sizes in a form from which one of many buckets is drawn at the cost of few.
func (s Sizes) Indexed() Sizes {
	s.sums = nil
	var total uint64
	for _, b := range s.Buckets {
		total += uint64(b.Weight)
		s.sums = append(s.sums, total)
	}
	return s
}
