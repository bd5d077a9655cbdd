package cli

import (
	"context"
	"errors"
	"net"
	"net/url"
	"slices"
	"strings"

	"warp/internal/option"
	"warp/pkg/s3"
	"warp/pkg/s3/target"
)

// headers are what is sent with every upload: storage class, metadata, tags.
func (t *targetFlags) headers() ([]s3.Header, error) {
	var errs []error
	var hs []s3.Header
	if t.class != "" {
		if printable(t.class) {
			hs = append(hs, s3.Header{Name: "X-Amz-Storage-Class", Value: t.class})
		} else {
			errs = append(errs, option.Invalid("storage-class", t.class, wantASCII))
		}
	}
	metadata, err := pairs("add-metadata", t.metadata, strings.EqualFold)
	errs = append(errs, err)
	for _, m := range metadata {
		if strings.ContainsFunc(m.key, notInName) || !printable(m.value) {
			errs = append(errs, option.Invalid("add-metadata", m.key+"="+m.value, "a key of letters, digits, - and _, and "+wantASCII+" as value"))
			continue
		}
		hs = append(hs, s3.Header{Name: "X-Amz-Meta-" + m.key, Value: m.value})
	}
	tags, err := pairs("tag", t.tags, func(a, b string) bool { return a == b })
	errs = append(errs, err)
	query := url.Values{}
	for _, tag := range tags {
		query.Add(tag.key, tag.value)
	}
	if len(query) > 0 {
		hs = append(hs, s3.Header{Name: "X-Amz-Tagging", Value: strings.ReplaceAll(query.Encode(), "+", "%20")}) // stores take a plus sign literally
	}
	return hs, errors.Join(errs...)
}

// wantASCII is what values of headers may be.
const wantASCII = "printable ASCII without blanks around it"

type pair struct{ key, value string }

// pairs are the values of a flag that is given as key=value, once for each key; same reports whether two keys are one.
func pairs(flag string, texts []string, same func(a, b string) bool) (list []pair, err error) {
	var errs []error
	for _, text := range texts {
		key, value, ok := strings.Cut(text, "=")
		switch {
		case !ok || key == "":
			errs = append(errs, option.Invalid(flag, text, "KEY=VALUE"))
		case slices.ContainsFunc(list, func(p pair) bool { return same(p.key, key) }):
			errs = append(errs, option.Errorf(flag, "%q is given twice", key))
		default:
			list = append(list, pair{key, value})
		}
	}
	return list, errors.Join(errs...)
}

// notInName reports whether the name of a header must not have a character.
func notInName(r rune) bool {
	return !(r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
}

// printable reports whether the value of a header arrives as it was sent: ASCII without control characters or blanks around it.
func printable(s string) bool {
	return s == strings.TrimSpace(s) && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

// resolveHosts makes every address of a host name a host of its own, with --resolve-host.
func (t *targetFlags) resolveHosts(ctx context.Context, c *s3.Config) (err error) {
	if !t.resolve {
		return nil
	}
	if c.Hosts, c.Names, err = target.ResolveHosts(ctx, c.Hosts, net.DefaultResolver.LookupNetIP); err != nil {
		return option.Wrap("resolve-host", err)
	}
	return nil
}
