package gcsjson

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"time"

	"warp/internal/clock"
	"warp/internal/responder"
)

const metadataField = "metadata"

// nameLimit is the reason, to be said otherwise, that a name was written just before.
const nameLimit = "nameLimit"

// perform does what a request asks for.
func (s *Store) perform(q *request) response {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case q.action == "batch":
		return s.batch(q)
	case q.action == "unknown":
		return fails(http.StatusNotFound, "")
	case q.bucket == "":
		return s.createBucket(q)
	case q.upload && q.method != http.MethodPost:
		return s.resume(q)
	}
	b := s.buckets[q.bucket]
	switch {
	case b == nil:
		return fails(http.StatusNotFound, noBucket)
	case q.upload:
		return s.insert(q, b)
	case q.action == "objects":
		return s.list(q, b)
	case q.action == "rewriteTo":
		return s.rewrite(q, b)
	case q.action == "compose":
		return s.compose(q, b)
	case q.key == "":
		return s.onBucket(q, b)
	}
	return s.onObject(q, b)
}

func (s *Store) createBucket(q *request) response {
	var asked struct{ Name string }
	switch {
	case q.method != http.MethodPost:
		return fails(http.StatusNotImplemented, "")
	case json.Unmarshal(q.document, &asked) != nil || asked.Name == "":
		return fails(http.StatusBadRequest, "")
	case s.buckets[asked.Name] != nil:
		return fails(http.StatusConflict, "")
	}
	s.buckets[asked.Name] = s.newBucket()
	return response{status: http.StatusOK, document: map[string]any{"kind": "storage#bucket", "name": asked.Name}}
}

func (s *Store) onBucket(q *request, b *bucket) response {
	switch q.method {
	case http.MethodDelete:
		if b.holds() {
			return fails(http.StatusConflict, "")
		}
		delete(s.buckets, q.bucket)
		return response{status: http.StatusNoContent}
	case http.MethodPatch:
		var asked struct {
			Versioning *struct{ Enabled bool }
		}
		if json.Unmarshal(q.document, &asked) != nil {
			return fails(http.StatusBadRequest, "")
		}
		if asked.Versioning != nil {
			b.versioned = asked.Versioning.Enabled
		}
	case http.MethodGet:
	default:
		return fails(http.StatusMethodNotAllowed, "")
	}
	soft := "0"
	if s.SoftDelete {
		soft = "604800"
	}
	place, kind := "region", "STANDARD"
	if s.Zonal {
		place, kind = "zone", "RAPID"
	}
	return response{status: http.StatusOK, document: map[string]any{
		"kind": "storage#bucket", "name": q.bucket, "location": "US-EAST1", "locationType": place, "storageClass": kind,
		"versioning":       map[string]any{"enabled": b.versioned},
		"softDeletePolicy": map[string]any{"retentionDurationSeconds": soft},
		"iamConfiguration": map[string]any{"uniformBucketLevelAccess": map[string]any{"enabled": true}},
	}}
}

// unmet returns the refusal of a request whose conditions an object does not meet; nil stands for none.
func (q *request) unmet(o *object) (refusal response, refused bool) {
	generation := "0"
	if o != nil {
		generation = strconv.FormatUint(o.generation, 10)
	}
	match, none := q.query.Get("ifGenerationMatch"), q.query.Get("ifGenerationNotMatch")
	for _, text := range []string{match, none} {
		if _, err := strconv.ParseUint(text, 10, 64); text != "" && err != nil {
			return fails(http.StatusBadRequest, ""), true
		}
	}
	switch {
	case match != "" && match != generation:
		return fails(http.StatusPreconditionFailed, ""), true
	case none != "" && none == generation && q.method == http.MethodGet:
		return response{status: http.StatusNotModified}, true
	case none != "" && none == generation:
		return fails(http.StatusPreconditionFailed, ""), true
	}
	return response{}, false
}

// limited returns the refusal of a write to a name that was written just before.
func (s *Store) limited(b *bucket, key string) (refusal response, refused bool) {
	n := b.names[key]
	if s.NameLimit == 0 || n == nil || clock.Now().Sub(n.written) >= s.NameLimit {
		return response{}, false
	}
	return fails(http.StatusTooManyRequests, nameLimit), true
}

// writable returns the refusal of a write to a name.
func (s *Store) writable(q *request, b *bucket, key string) (refusal response, refused bool) {
	if refusal, refused = s.limited(b, key); refused {
		return refusal, true
	}
	return q.unmet(b.find(key, ""))
}

func (s *Store) onObject(q *request, b *bucket) response {
	o := b.find(q.key, q.query.Get("generation"))
	if o == nil {
		return fails(http.StatusNotFound, "notFound")
	}
	if refusal, refused := q.unmet(o); refused {
		return refusal
	}
	switch q.method {
	case http.MethodGet:
		if q.query.Get("alt") == "media" {
			return download(q, o)
		}
		return response{status: http.StatusOK, document: s.resource(q.bucket, o)}
	case http.MethodDelete:
		return s.delete(q, b, o)
	case http.MethodPatch:
		return s.patch(q, b, o)
	}
	return fails(http.StatusMethodNotAllowed, "")
}

// patch merges metadata into an object, which stays the generation that it is. Null removes one, or all.
func (s *Store) patch(q *request, b *bucket, o *object) response {
	var asked map[string]map[string]*string
	if json.Unmarshal(q.document, &asked) != nil {
		return fails(http.StatusBadRequest, "")
	}
	change, known := asked[metadataField]
	if !known || len(asked) > 1 {
		return fails(http.StatusNotImplemented, "")
	}
	if refusal, refused := s.limited(b, q.key); refused {
		return refusal
	}
	b.names[q.key].written = clock.Now()
	metadata := map[string]any{}
	if before, ok := o.described[metadataField].(map[string]any); ok && change != nil {
		maps.Copy(metadata, before)
	}
	for key, value := range change {
		if delete(metadata, key); value != nil {
			metadata[key] = *value
		}
	}
	o.described = maps.Clone(o.described) // a copy of the object has the same map
	if o.described[metadataField] = metadata; len(metadata) == 0 {
		delete(o.described, metadataField)
	}
	return response{status: http.StatusOK, document: s.resource(q.bucket, o)}
}

func (s *Store) delete(q *request, b *bucket, o *object) response {
	n := b.names[q.key]
	switch asked := q.query.Get("generation"); {
	case asked == "":
		s.retire(b, n)
	case o == n.current:
		n.current = nil
	default:
		for i := range n.older {
			if n.older[i] == o {
				n.older = append(n.older[:i:i], n.older[i+1:]...)
				break
			}
		}
	}
	b.tidy(q.key)
	return response{status: http.StatusNoContent}
}

func download(q *request, o *object) response {
	a := response{status: http.StatusOK, contents: o, length: o.size, header: http.Header{
		"X-Goog-Generation": {strconv.FormatUint(o.generation, 10)}, "X-Goog-Stored-Content-Length": {strconv.FormatInt(o.size, 10)},
		"Content-Type": {o.contentType}, "Etag": {fmt.Sprintf("C%d", o.generation)},
	}}
	if asked := q.header.Get("Range"); asked != "" {
		var ok bool
		if a.from, a.length, ok = responder.ParseRange(asked, o.size); !ok {
			return fails(http.StatusRequestedRangeNotSatisfiable, "")
		}
		a.status = http.StatusPartialContent
		a.header.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", a.from, a.from+a.length-1, o.size))
	}
	return a
}

// resource is an object as responses describe it. Numbers of 64 bits are texts.
func (s *Store) resource(bucket string, o *object) map[string]any {
	all := map[string]any{
		"kind": "storage#object", "bucket": bucket, "name": o.key, "size": strconv.FormatInt(o.size, 10),
		"generation": strconv.FormatUint(o.generation, 10), "metageneration": "1", "etag": fmt.Sprintf("C%d", o.generation),
		"contentType": o.contentType, "updated": time.Unix(1_795_594_363, 0).UTC().Format(time.RFC3339),
	}
	for field, value := range o.described {
		all[field] = value
	}
	return all
}
