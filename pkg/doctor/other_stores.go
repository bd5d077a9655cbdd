package doctor

import (
	"bytes"
	"slices"

	"warp/pkg/doctor/finding"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/probe"
)

// checksOf are the checks of a kind of store: all of them of S3. Other kinds have those that operations of ours perform; what they lack is
// said, and not tried.
func checksOf(d s3.Dialect) []check {
	if d.Name() == s3.StoreS3 {
		return checks
	}
	list := []check{
		{groupNeeded, "put", "", true, tryPut},
		{groupNeeded, "stat", "", true, statOther},
		{groupNeeded, "get", "", true, getOther},
		{groupNeeded, "list", "", false, listOther},
		{groupNeeded, "delete", "", true, deleteOther},
	}
	for _, group := range []string{probe.Uploads, probe.Downloads, probe.Listings, probe.Tags, probe.Versioned} {
		if group == probe.Versioned {
			list = append(list, check{probe.Tags, "head-bucket", "", false, tryHeadBucket})
		}
		for _, c := range probe.All() {
			if c.Group == group {
				list = append(list, otherCheck(d, c))
			}
		}
	}
	return list
}

// otherCheck is the check of a capability.
func otherCheck(d s3.Dialect, c *probe.Capability) check {
	one := check{c.Group, c.Name, "", true, special[c]}
	switch lack := d.Lacks(c.Verb()); {
	case lack != "":
		one.object = false
		one.try = func(*trial) verdict { return verdict{result: finding.No, detail: lack} }
	case one.try == nil:
		one.try = func(t *trial) verdict { return t.probe(c) }
	}
	return one
}

func statOther(t *trial) verdict { return judge(ops.Stat(t.ctx, t.host.session, t.call())) }

func getOther(t *trial) verdict {
	var got bytes.Buffer
	c := t.call()
	c.Into = probe.AtMost(&got, maxText)
	err := ops.Get(t.ctx, t.host.session, c)
	if err == nil && !bytes.Equal(got.Bytes(), content) {
		return ignored(c.Status, "an object of %d bytes came back different", len(content))
	}
	return judge(err)
}

func listOther(t *trial) verdict {
	found, status, err := t.lists(ops.Listing{Prefix: t.prefix + objectKey}, t.prefix+objectKey)
	if err == nil && t.etag != "" && !found {
		return ignored(status, "an object that was just put is not listed")
	}
	return judge(err)
}

// lists reports whether a listing has a key. Pages before the one that has it may be empty.
func (t *trial) lists(l ops.Listing, key string) (found bool, status int, err error) {
	const most = 10
	var c s3.Call
	for range most {
		if err := ops.List(t.ctx, t.host.session, &c, &l); err != nil {
			return false, c.Status, err
		}
		found = slices.ContainsFunc(l.Entries, func(e ops.Entry) bool { return e.Key == key })
		if l.Token = l.Next; found || l.Token == "" {
			break
		}
	}
	return found, c.Status, nil
}

func deleteOther(t *trial) verdict {
	t.etag = ""
	c := t.call()
	if err := ops.Delete(t.ctx, t.host.session, c); err != nil {
		return judge(err)
	}
	if ops.Stat(t.ctx, t.host.session, t.call()) == nil {
		return ignored(c.Status, "the object is still there")
	}
	return yes("")
}
