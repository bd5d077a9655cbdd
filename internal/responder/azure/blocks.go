package azure

import (
	"encoding/base64"
	"encoding/xml"
	"net/http"
	"slices"

	"warp/internal/responder"
)

// Limits of blocks.
const (
	maxID     = 64 // bytes, decoded
	maxBlocks = 50_000
)

func (s *Store) putBlock(q *request, n *name) response {
	id := q.query.Get("blockid")
	decoded, err := base64.StdEncoding.DecodeString(id)
	if err != nil || len(decoded) == 0 || len(decoded) > maxID {
		return fails(http.StatusBadRequest, "InvalidQueryParameterValue")
	}
	var others []block
	if n.current != nil {
		others = n.current.blocks
	}
	for _, b := range slices.Concat(n.blocks, others) {
		if len(b.id) != len(id) {
			return fails(http.StatusBadRequest, "InvalidBlobOrBlock")
		}
	}
	b := block{id, q.size, q.content}
	if q.header.Get("X-Ms-Copy-Source") != "" {
		source, refusal := s.source(q)
		if source == nil {
			return refusal
		}
		from, length := int64(0), source.size
		if asked := q.header.Get("X-Ms-Source-Range"); asked != "" {
			var ok bool
			if from, length, ok = responder.ParseRange(asked, source.size); !ok {
				return fails(http.StatusRequestedRangeNotSatisfiable, "InvalidRange")
			}
		}
		if b.size = length; source.content != nil {
			b.content = source.content[from : from+length]
		}
	}
	n.blocks = append(slices.DeleteFunc(slices.Clone(n.blocks), func(old block) bool { return old.id == id }), b)
	return response{status: http.StatusCreated}
}

// blockList is a list of blocks to commit: where each is looked for, and its id.
type blockList struct {
	Blocks []struct {
		XMLName xml.Name
		ID      string `xml:",chardata"`
	} `xml:",any"`
}

// commit makes a blob of blocks.
func (s *Store) commit(q *request, c *container, n *name) response {
	if refusal, refused := q.unmet(n.current); refused {
		return refusal
	}
	var list blockList
	if xml.Unmarshal(q.document, &list) != nil {
		return fails(http.StatusBadRequest, "InvalidXmlDocument")
	}
	var committed []block
	if n.current != nil {
		committed = n.current.blocks
	}
	b := q.newBlob(blockBlob)
	for _, wanted := range list.Blocks {
		from := map[string][]block{
			"Latest": slices.Concat(n.blocks, committed), "Uncommitted": n.blocks, "Committed": committed,
		}[wanted.XMLName.Local]
		i := slices.IndexFunc(from, func(one block) bool { return one.id == wanted.ID })
		if i < 0 || len(b.blocks) == maxBlocks {
			return fails(http.StatusBadRequest, "InvalidBlockList")
		}
		b.blocks = append(b.blocks, from[i])
		b.size += from[i].size
		b.content = append(b.content, from[i].content...)
	}
	s.put(c, q.key, b)
	return made(b)
}

type listedBlock struct {
	Name string
	Size int64
}

type listedBlocks struct {
	XMLName     xml.Name      `xml:"BlockList"`
	Committed   []listedBlock `xml:"CommittedBlocks>Block"`
	Uncommitted []listedBlock `xml:"UncommittedBlocks>Block"`
}

func (n *name) listBlocks() response {
	if n.empty() {
		return fails(http.StatusNotFound, "BlobNotFound")
	}
	var a listedBlocks
	if n.current != nil {
		for _, b := range n.current.blocks {
			a.Committed = append(a.Committed, listedBlock{b.id, b.size})
		}
	}
	for _, b := range n.blocks {
		a.Uncommitted = append(a.Uncommitted, listedBlock{b.id, b.size})
	}
	return response{status: http.StatusOK, document: document(a)}
}
