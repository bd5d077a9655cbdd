package trace

import "errors"

// The compact form is described in docs/reference/trace-format.md.
const (
	fileMagic = "warptrc1"
	// PerBlock is the number of operations, or objects, in a block.
	PerBlock = 4096
	// namesPerBlock is the number of names in a block: few, because they are read in random order.
	namesPerBlock = 64
	// version is that of files that are written. Files of earlier versions have no uploads in parts, and no details of copies and listings.
	version = 3
	// maxBlock bounds a block before compression.
	maxBlock = PerBlock * 64
	// maxFooter bounds the footer.
	maxFooter = 64 << 20
	// maxSummary bounds the footer without the lengths of blocks.
	maxSummary = 8 << 20
	// trailerSize is the size of the trailer: offset and length of the footer, and the magic.
	trailerSize = 8 + 8 + len(fileMagic)
)

// footer follows the last block of a file.
type footer struct {
	Version    int      `json:"version"`
	Summary    *Summary `json:"summary"`
	ObjectEnds []int64  `json:"object_blocks"`         // lengths of the blocks of objects, which follow the magic
	NameEnds   []int64  `json:"name_blocks,omitempty"` // lengths of the blocks of names, which follow; nil: there are none
	BlockEnds  []int64  `json:"operation_blocks"`      // lengths of the blocks of operations, which follow
}

// Columns of a block.
const (
	columnTime = iota
	columnFlags
	columnObject
	columnSize
	columnDetails
	columnStatus
	columnLatency
	columnClient
)

// errDamaged is the error of a file that was changed or truncated.
var errDamaged = errors.New("the trace is damaged")

// IsCompact reports whether a file that begins with these bytes is in the compact form.
func IsCompact(head []byte) bool {
	return len(head) >= len(fileMagic) && string(head[:len(fileMagic)]) == fileMagic
}

// MaxOperations is the maximum number of operations of a trace, and of objects.
const MaxOperations = 1 << 32

func blocksOf(n int64) int { return int((n + PerBlock - 1) / PerBlock) }
