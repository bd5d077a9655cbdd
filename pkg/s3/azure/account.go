package azure

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// account is what responses have said of the account. It is false until then.
type account struct {
	directories atomic.Bool // it has a hierarchical namespace: directories are there without blobs
	versions    atomic.Bool // it keeps versions
	softDelete  atomic.Bool // it keeps what is deleted, for a while
}

// made notes from the response to an upload whether the account keeps versions.
func (d *Dialect) made(c *s3.Call, err error) error {
	if err == nil && c.VersionID != "" && !d.account.versions.Load() {
		d.account.versions.Store(true)
	}
	return err
}

// deleted notes from the response to a deletion whether the account keeps what is deleted.
func (d *Dialect) deleted(permanent string) {
	if permanent == "false" && !d.account.versions.Load() && !d.account.softDelete.Load() {
		d.account.softDelete.Store(true)
	}
}

// Remarks are what the user should know of the account, as far as responses have said it.
func (d *Dialect) Remarks() (list []string) {
	if d.account.softDelete.Load() {
		list = append(list, "the account keeps what is deleted for a while (soft delete), and bills it until then")
	}
	return list
}

// ofService reports whether a request is about the account itself, not about a container.
func ofService(c *s3.Call) bool {
	for i := range c.Query {
		if c.Query[i].Name == "restype" {
			return c.Query[i].Value == "service"
		}
	}
	return false
}

// maxFacts is how much is read of a body whose headers say all.
const maxFacts = 64 << 10

// AskAccount asks what kind of account it is, and what it keeps. Without the right to ask the latter, that is not known.
func (d *Dialect) AskAccount(ctx context.Context, s s3.Session, c *s3.Call) (facts []s3.Fact, err error) {
	c.BeginKey("", http.MethodGet, s3.NoAccess)
	c.Act = s3.Act{Words: "ask what kind of account it is", Right: "Storage Blob Data Reader, or a SAS"}
	c.Query = append(c.Query, s3.Param{Name: "restype", Value: "account"})
	component(c, "properties")
	c.Want = append(c.Want, "x-ms-account-kind", "x-ms-sku-name", "x-ms-is-hns-enabled")
	c.Parse = func(r io.Reader) error {
		_, err := io.Copy(io.Discard, io.LimitReader(r, maxFacts))
		return err
	}
	if err := s.Do(ctx, c); err != nil {
		return nil, err
	}
	kind, sku, directories := c.Got[0], c.Got[1], c.Got[2] == "true"
	d.account.directories.Store(directories)
	facts = append(facts,
		s3.Fact{Name: "Account", Text: cmp.Or(kind, "kind not known") + ", " + cmp.Or(sku, "SKU not known")},
		s3.Fact{Name: "Hierarchical namespace", Text: yesNo(directories)})
	days, known := d.askRetention(ctx, s, c)
	switch {
	case !known:
		facts = append(facts, s3.Fact{Name: "Soft delete", Text: "not known"})
	case days == 0:
		facts = append(facts, s3.Fact{Name: "Soft delete", Text: "no"})
	default:
		facts = append(facts, s3.Fact{
			Name: "Soft delete", Text: fmt.Sprintf("%d days", days),
			Warning: fmt.Sprintf("soft delete is on: what is deleted is kept, and billed, for %d days", days),
		})
	}
	return facts, nil
}

// askRetention asks for how many days deleted blobs are kept; 0: they are not.
func (d *Dialect) askRetention(ctx context.Context, s s3.Session, c *s3.Call) (days int, known bool) {
	c.BeginKey("", http.MethodGet, s3.NoAccess)
	c.Query = append(c.Query, s3.Param{Name: "restype", Value: "service"})
	component(c, "properties")
	enabled := false
	c.Parse = func(r io.Reader) error {
		root, err := ops.WalkXML(r, func(e ops.Element) {
			switch {
			case e.Parent != "DeleteRetentionPolicy":
			case e.Name == "Enabled":
				enabled = string(e.Text) == "true"
			case e.Name == "Days":
				days, _ = strconv.Atoi(string(e.Text)) // a policy that is off has none
			}
		})
		known = err == nil && root == "StorageServiceProperties"
		return err
	}
	if s.Do(ctx, c) != nil || !known {
		return 0, false
	}
	if !enabled {
		days = 0
	}
	return days, true
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
