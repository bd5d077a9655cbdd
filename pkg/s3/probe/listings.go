package probe

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// listedNames are the objects that listings must show.
var listedNames = []string{"a", "b", "d/e"}

// maxPages is how many pages a listing of them may have, and more.
const maxPages = 10

// lists makes objects, lists them, and returns an *Ignored unless the listing has the names, and as many prefixes
// that stand for keys with the delimiter.
func (o *Object) lists(ctx context.Context, l *ops.Listing, rolledUp int, want ...string) (failed error) {
	prefix := o.Key + ".list/"
	for _, name := range listedNames {
		id, err := o.put(ctx, prefix+name, Text)
		if err != nil {
			return err
		}
		defer func() { o.Remove(ctx, id, &failed) }()
	}
	if l.Prefix = prefix; l.StartAfter != "" {
		l.StartAfter = prefix + l.StartAfter
	}
	var names []string
	rolled, pages := 0, 0
	for more := true; more && pages < maxPages; pages++ {
		l.Token = l.Next
		c := o.Call()
		c.Size = -1
		if err := ops.List(ctx, o.S3, c, l); err != nil {
			return err
		}
		for _, e := range l.Entries {
			names = append(names, strings.TrimPrefix(e.Key, prefix))
		}
		rolled, more = rolled+l.RolledUp, l.Next != ""
	}
	if l.All {
		names = slices.Compact(names) // some servers repeat the last entry of a page on the next one, which runs know
	}
	if got, right := describe(names, rolled), describe(want, rolledUp); got != right {
		return o.ignored("the listing has %s, not %s", got, right)
	}
	if l.MaxKeys > 0 && pages == 1 {
		return o.ignored("the listing has more than --max-keys entries on a page")
	}
	return nil
}

// describe names what a listing holds.
func describe(names []string, rolledUp int) string {
	if rolledUp > 0 {
		names = append(slices.Clone(names), fmt.Sprintf("%d with the delimiter", rolledUp))
	}
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, " ")
}

func listFirst(ctx context.Context, o *Object) error {
	return o.lists(ctx, &ops.Listing{First: true}, 0, listedNames...)
}

func listPages(ctx context.Context, o *Object) error {
	return o.lists(ctx, &ops.Listing{MaxKeys: 2}, 0, listedNames...)
}

func startAfter(ctx context.Context, o *Object) error {
	return o.lists(ctx, &ops.Listing{StartAfter: listedNames[0]}, 0, listedNames[1:]...)
}

func delimiter(ctx context.Context, o *Object) error {
	return o.lists(ctx, &ops.Listing{Delimiter: "/"}, 1, listedNames[:2]...)
}

// listVersions lists versions page by page. Some servers end such a listing after the first page.
func listVersions(ctx context.Context, o *Object) error {
	return o.lists(ctx, &ops.Listing{All: true, MaxKeys: 2}, 0, listedNames...)
}

// listMetadata lists metadata. Most servers ignore that.
func listMetadata(ctx context.Context, o *Object) error {
	l := ops.Listing{Prefix: o.Key, Metadata: true}
	c := o.Call()
	c.Size = -1
	err := ops.List(ctx, o.S3, c, &l)
	if err == nil && l.Described == 0 && o.S3.Dialect().Name() == s3.StoreS3 { // others describe what has metadata
		err = o.ignored("the server ignores --metadata")
	}
	return err
}
