package formats

import (
	"warp/pkg/op"
	"warp/pkg/trace"
)

// s3Operations are the operations of server access logs, by their names there.
var s3Operations = map[string]op.Kind{
	"REST.GET.OBJECT":     op.Get,
	"REST.PUT.OBJECT":     op.Put,
	"REST.POST.OBJECT":    op.Put,
	"REST.HEAD.OBJECT":    op.Stat,
	"REST.DELETE.OBJECT":  op.Delete,
	"REST.COPY.OBJECT":    op.Copy,
	"REST.GET.BUCKET":     op.List,
	"REST.POST.UPLOADS":   op.CreateUpload,
	"REST.PUT.PART":       op.PutPart,
	"REST.COPY.PART":      op.CopyPart,
	"REST.POST.UPLOAD":    op.CompleteUpload,
	"REST.DELETE.UPLOAD":  op.AbortUpload,
	"WEBSITE.GET.OBJECT":  op.Get,
	"WEBSITE.HEAD.OBJECT": op.Stat,
}

// s3Sources are the names of records about the sources of copies.
var s3Sources = []string{"REST.COPY.OBJECT_GET", "REST.COPY.PART_GET"}

// setS3 sets status, size, range and latency from an access log. Missing figures are Unknown.
func setS3(e *event, status, sent, size, milliseconds int64) {
	if e.Status, e.Size = int(max(0, status)), size; e.Kind == op.List {
		e.Size = trace.Unknown
	}
	if e.Kind == op.Get && status == 206 && sent > 0 {
		e.Offset, e.Length = trace.Unknown, sent
	} else if e.Kind == op.Get && size == trace.Unknown && status == 200 {
		e.Size = max(0, sent)
	}
	if milliseconds >= 0 {
		e.Latency = milliseconds * (second / 1000)
	}
}
