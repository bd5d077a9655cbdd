// Package target reads what a person says about where requests go: hosts, with ranges and files of them, their addresses, and
// credentials. It knows nothing of S3.
package target

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// MaxHosts is the most hosts that one specification may stand for.
const MaxHosts = 100_000

// ExpandHosts reads what a person says about hosts: a comma list of host, host:port, IPv6 address (brackets needed only
// with a port) or URL; with ranges such as {1...10} or {a...d} anywhere and more than once ({01...10} keeps its zeros);
// and file:PATH, a file with such an entry on each line (# begins a comment). Duplicates are dropped, the order is kept.
// tls is what URLs among the entries ask for, nil if there are none. A port that is not given is the scheme's.
func ExpandHosts(spec string, readFile func(string) ([]byte, error)) (hosts []string, tls *bool, err error) {
	x := hostExpander{seen: map[string]bool{}}
	for item := range strings.SplitSeq(spec, ",") {
		item = strings.TrimSpace(item)
		if path, isFile := strings.CutPrefix(item, "file:"); isFile {
			err = x.addFile(path, readFile)
		} else {
			err = x.add(item)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	if len(x.hosts) == 0 {
		return nil, nil, errors.New("no host found; give at least one, as host:port")
	}
	return x.hosts, x.tls, nil
}

// hostExpander collects hosts.
type hostExpander struct {
	hosts []string
	seen  map[string]bool
	tls   *bool
	made  int // entries expanded so far, duplicates too
}

func (x *hostExpander) addFile(path string, readFile func(string) ([]byte, error)) error {
	text, err := readFile(path)
	if err != nil {
		return fmt.Errorf("host file: %w", err)
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		for item := range strings.SplitSeq(line, ",") {
			if err := x.add(strings.TrimSpace(item)); err != nil {
				return fmt.Errorf("%s:%d: %w", path, n, err)
			}
		}
	}
	return nil
}

func (x *hostExpander) add(item string) error {
	if item == "" {
		return errors.New("empty host: remove the extra comma, or give one as host:port")
	}
	if strings.Contains(item, "@") { // the entry is not repeated: it may hold a secret
		return errors.New("an entry holds an @: credentials do not belong into a host; use --access-key and --secret-key")
	}
	all, err := expandRanges(item, MaxHosts-x.made)
	if err != nil {
		return fmt.Errorf("host %q: %w", item, err)
	}
	x.made += len(all)
	for _, one := range all {
		host, tls, err := parseHost(one)
		if err != nil {
			return fmt.Errorf("host %q: %w", one, err)
		}
		if tls != nil {
			if x.tls != nil && *x.tls != *tls {
				return fmt.Errorf("host %q: http:// and https:// cannot be mixed in one run", one)
			}
			x.tls = tls
		}
		if !x.seen[host] {
			x.seen[host] = true
			x.hosts = append(x.hosts, host)
		}
	}
	return nil
}

// parseHost checks one host and brings it into the form host or host:port.
func parseHost(s string) (host string, tls *bool, err error) {
	if scheme, rest, isURL := strings.Cut(s, "://"); isURL {
		secure := strings.EqualFold(scheme, "https")
		if !secure && !strings.EqualFold(scheme, "http") {
			return "", nil, fmt.Errorf("scheme %q is not known; use http or https", scheme)
		}
		tls, s = &secure, rest
	}
	s = strings.TrimSuffix(s, "/")
	if i := strings.IndexAny(s, "/?#"); i >= 0 {
		return "", nil, fmt.Errorf("%q does not belong to a host (want host:port alone, and the bucket in --bucket)", s[i:])
	}
	name, port, err := splitPort(s)
	if err != nil {
		return "", nil, err
	}
	if port == "" {
		return name, tls, nil
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", nil, fmt.Errorf("port %q is not a number from 1 to 65535", port)
	}
	return name + ":" + port, tls, nil
}

// splitPort splits host and port; IPv6 addresses get brackets. The port is empty if none is given.
func splitPort(s string) (name, port string, err error) {
	if inner, ok := strings.CutPrefix(s, "["); ok {
		addr, rest, closed := strings.Cut(inner, "]")
		if !closed {
			return "", "", errors.New("the bracket of the IPv6 address is not closed")
		}
		port, hasPort := strings.CutPrefix(rest, ":")
		if rest != "" && (!hasPort || port == "") {
			return "", "", fmt.Errorf("%q after the bracket is not a port; write [address]:port", rest)
		}
		name, err := bracket(addr)
		return name, port, err
	}
	if strings.Count(s, ":") > 1 {
		name, err := bracket(s)
		return name, "", err
	}
	name, port, hasPort := strings.Cut(s, ":")
	if hasPort && port == "" {
		return "", "", errors.New("the port is missing after the colon")
	}
	return name, port, checkName(name)
}

func bracket(addr string) (string, error) {
	a, err := netip.ParseAddr(addr)
	if err != nil || !a.Is6() || a.Zone() != "" {
		return "", fmt.Errorf("%q is not an IPv6 address; write [address]:port", addr)
	}
	return "[" + addr + "]", nil
}

func checkName(name string) error {
	if name == "" {
		return errors.New("the name is missing")
	}
	for _, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-', r == '_':
		case r == '{', r == '}':
			return errors.New("a range is written {1...10}")
		default:
			return fmt.Errorf("%q cannot be part of a name", r)
		}
	}
	return nil
}

// OnLoopback reports whether all hosts, as ExpandHosts returns them, are this machine.
func OnLoopback(hosts []string) bool {
	return !slices.ContainsFunc(hosts, func(host string) bool {
		name, _, err := net.SplitHostPort(host)
		if err != nil {
			name = host
		}
		a, err := netip.ParseAddr(strings.Trim(name, "[]"))
		return name != "localhost" && (err != nil || !a.IsLoopback())
	})
}
