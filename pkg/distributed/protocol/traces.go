package protocol

// TraceFile is a part of a trace, in the compact form. The client fetches it chunk by chunk.
type TraceFile struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// FetchData requests the chunk of a trace at an offset (message "pull").
type FetchData struct {
	Trace  string `json:"trace"`
	Offset int64  `json:"offset"`
}

// DataChunk is a part of a trace (message "piece").
type DataChunk struct {
	Trace  string `json:"trace"`
	Offset int64  `json:"offset"`
	Bytes  []byte `json:"bytes"`
}

// DataChunkSize is the maximum length of DataChunk.Bytes.
const DataChunkSize = 512 << 10
