package shell

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"warp/internal/clock"
)

// dateForms are the conversions of date as layouts of package time.
var dateForms = map[byte]string{
	'Y': "2006", 'm': "01", 'd': "02", 'H': "15", 'M': "04", 'S': "05", 'y': "06", 'F': "2006-01-02", 'T': "15:04:05", 'R': "15:04",
	'D': "01/02/06", 'b': "Jan", 'h': "Jan", 'B': "January", 'a': "Mon", 'A': "Monday", 'Z': "MST", 'z': "-0700", 'e': "_2", 'I': "03",
	'p': "PM", 'j': "002", 'k': "15", 'c': "Mon Jan _2 15:04:05 2006", 'x': "01/02/06", 'X': "15:04:05",
}

func (t *tool) date() bool {
	now, format := clock.Wall(), "+%a %b %e %H:%M:%S %Z %Y"
	for _, a := range t.args {
		switch {
		case a == "-u" || a == "--utc":
			now = now.UTC()
		case strings.HasPrefix(a, "+"):
			format = a
		case strings.HasPrefix(a, "-I") || strings.HasPrefix(a, "--iso-8601"):
			if format = "+%F"; strings.HasSuffix(a, "seconds") || a == "-Is" {
				format = "+%Y-%m-%dT%H:%M:%S%z"
			}
		default:
			return false
		}
	}
	text, ok := formatDate(now, format[1:])
	return ok && t.print(text)
}

// formatDate formats a time as date does; false: a conversion is not known.
func formatDate(now time.Time, format string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		if (format[i] == '-' || format[i] == '_') && i+1 < len(format) {
			i++ // digits without padding are not worth their rules
		}
		switch form, ok := dateForms[format[i]]; {
		case ok:
			b.WriteString(now.Format(form))
		case format[i] == 's':
			b.WriteString(strconv.FormatInt(now.Unix(), 10))
		case format[i] == 'N':
			fmt.Fprintf(&b, "%09d", now.Nanosecond())
		case format[i] == '3' && i+1 < len(format) && format[i+1] == 'N':
			i++
			fmt.Fprintf(&b, "%03d", now.Nanosecond()/1e6)
		case format[i] == 'u':
			b.WriteString(strconv.Itoa((int(now.Weekday())+6)%7 + 1))
		case format[i] == 'n':
			b.WriteByte('\n')
		case format[i] == 't':
			b.WriteByte('\t')
		case format[i] == '%':
			b.WriteByte('%')
		default:
			return "", false
		}
	}
	return b.String(), true
}

// hostname returns the name of this machine.
func hostname() string {
	name, err := os.Hostname()
	if err != nil {
		return "localhost"
	}
	return name
}

func (t *tool) hostname() bool {
	name := hostname()
	switch strings.Join(t.args, " ") {
	case "", "-f", "--fqdn", "--long":
		return t.print(name)
	case "-s", "--short":
		short, _, _ := strings.Cut(name, ".")
		return t.print(short)
	}
	return false
}

func (t *tool) uname() bool {
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	switch strings.Join(t.args, " ") {
	case "", "-s":
		return t.print(strings.ToUpper(runtime.GOOS[:1]) + runtime.GOOS[1:])
	case "-n":
		return t.print(hostname())
	case "-m":
		if arch == "" {
			arch = runtime.GOARCH
		}
		return t.print(arch)
	}
	return false
}

func (t *tool) nproc() bool { return t.print(strconv.Itoa(runtime.NumCPU())) }
