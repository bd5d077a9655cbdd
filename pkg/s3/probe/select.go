package probe

import (
	"bytes"
	"context"

	"warp/pkg/s3/ops"
)

// Select is the capability to perform queries on objects.
var Select = row(Downloads, "select", "s3:GetObject", selected)

func init() { register(Select) }

// selected has the only column of the only row of the object selected.
func selected(ctx context.Context, o *Object) error {
	var got bytes.Buffer
	c := o.Call()
	c.Into = AtMost(&got, longest)
	err := ops.Select(ctx, o.S3, c, ops.NewQuery("SELECT s._1 FROM S3Object s"))
	if err == nil && got.String() != Text+"\n" {
		err = o.ignored("the server selects something else than the contents of the object")
	}
	return err
}
