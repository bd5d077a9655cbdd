package s3

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"warp/internal/naming"
	"warp/internal/option"
)

// SetBucket sets the name of the bucket, or a template of names: {b} is the number of a bucket from 0, {client} the number of the client.
// An invalid template stays, for CheckBucket.
func (c *Config) SetBucket(text string) {
	c.Bucket, c.BucketForm = text, ""
	if strings.ContainsAny(text, "{}") {
		c.BucketForm = text
		c.Bucket = c.BucketName(0)
	}
}

// OfClient returns the configuration of a client, given by its number, whose buckets may be its own.
func (c Config) OfClient(n uint64) Config {
	if c.Client = n; c.BucketForm != "" {
		c.Bucket = c.BucketName(0)
	}
	return c
}

// BucketPerClient reports whether each client has buckets of its own.
func (c *Config) BucketPerClient() bool {
	form, err := parseBucketForm(c.BucketForm)
	return err == nil && form.client
}

// BucketName returns the name of a bucket by its number. Without a template the first is Bucket; the others have their number, counted from
// 1, behind that.
func (c *Config) BucketName(number int) string {
	switch {
	case c.BucketForm != "":
		form, err := parseBucketForm(c.BucketForm)
		if err != nil {
			return c.BucketForm
		}
		return form.name(c.Client, uint64(number))
	case number == 0:
		return c.Bucket
	}
	return fmt.Sprintf("%s-%d", c.Bucket, number+1)
}

// BucketNames returns the names of all buckets; nil if there is only one.
func (c *Config) BucketNames() (names []string) {
	if c.Buckets > 1 {
		for n := range c.Buckets {
			names = append(names, c.BucketName(n))
		}
	}
	return names
}

// CheckBucket is an error if no bucket can have the name.
func (c *Config) CheckBucket() error {
	if c.BucketForm != "" {
		form, err := parseBucketForm(c.BucketForm)
		if err == nil && c.Buckets > 1 && !form.bucket {
			err = fmt.Errorf("the %d buckets would have one name (want {b} in %q)", c.Buckets, c.BucketForm)
		}
		if err == nil {
			err = form.checkLists(c.Buckets)
		}
		if err != nil {
			return option.Wrap("bucket", err)
		}
	}
	if kind := c.kind(); kind != nil { // or else that is what is wrong
		return kind.bucket(c.BucketName(max(1, c.Buckets) - 1))
	}
	return nil
}

// bucketForm is a template of the names of buckets.
type bucketForm struct {
	parts          []bucketPart
	bucket, client bool // it has these elements
}

// bucketPart is a literal text, or a number.
type bucketPart struct {
	text   string
	number naming.Number
	client bool     // the number is the client's
	list   []string // names by the number of the bucket
}

func parseBucketForm(text string) (f bucketForm, err error) {
	literal := func(s string) { f.parts = append(f.parts, bucketPart{text: s}) }
	err = naming.Scan(text, literal, func(inner string) error {
		if list, ok := strings.CutPrefix(inner, "b="); ok {
			f.parts = append(f.parts, bucketPart{list: strings.Split(list, "|")})
			f.bucket = true
			return nil
		}
		name, width, padded := strings.Cut(inner, ":")
		name, plus, more := strings.Cut(name, "+")
		if name != "b" && name != "client" {
			return errors.New("unknown (want {b}, {b:012}, {b+1}, {b=one|two}, {client}, {client+1} or {hostname})")
		}
		operations := ""
		if more {
			operations = "+" + plus
		}
		n, err := naming.ParseNumber(operations, width, padded)
		f.parts = append(f.parts, bucketPart{number: n, client: name == "client"})
		f.bucket, f.client = f.bucket || name == "b", f.client || name == "client"
		return err
	})
	return f, err
}

// checkLists returns an error if a list has fewer names than there are buckets, or the same twice.
func (f *bucketForm) checkLists(buckets int) error {
	for _, p := range f.parts {
		if p.list == nil {
			continue
		}
		if len(p.list) < buckets {
			return fmt.Errorf("%d names for %d buckets", len(p.list), buckets)
		}
		if n := len(slices.Compact(slices.Sorted(slices.Values(p.list)))); n < len(p.list) {
			return fmt.Errorf("the same name twice in {b=%s}", strings.Join(p.list, "|"))
		}
	}
	return nil
}

// name returns the name of a client's bucket.
func (f *bucketForm) name(client, bucket uint64) string {
	var b []byte
	for _, p := range f.parts {
		switch {
		case p.text != "":
			b = append(b, p.text...)
		case p.list != nil:
			b = append(b, p.list[bucket%uint64(len(p.list))]...)
		case p.client:
			b = p.number.Append(b, client)
		default:
			b = p.number.Append(b, bucket)
		}
	}
	return string(b)
}
