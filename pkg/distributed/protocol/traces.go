package protocol

// TraceFile is a part of a trace, in the compact form. The client pulls it piece by piece.
type TraceFile struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Pull requests the piece of a trace that begins at an offset.
type Pull struct {
	Trace  string `json:"trace"`
	Offset int64  `json:"offset"`
}

// Piece is that piece.
type Piece struct {
	Trace  string `json:"trace"`
	Offset int64  `json:"offset"`
	Bytes  []byte `json:"bytes"`
}

// PieceSize is the size of a piece at most.
const PieceSize = 512 << 10
