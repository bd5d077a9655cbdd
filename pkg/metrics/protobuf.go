package metrics

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// appendMessage appends a field that is a message, of what write appends.
func appendMessage(b []byte, n protowire.Number, write func([]byte) []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, n, protowire.BytesType), write(nil))
}

func appendString(b []byte, n protowire.Number, s string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, n, protowire.BytesType), s)
}

func appendVarint(b []byte, n protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, n, protowire.VarintType), v)
}

func appendZigZag(b []byte, n protowire.Number, v int64) []byte {
	return appendVarint(b, n, protowire.EncodeZigZag(v))
}

func appendFixed64(b []byte, n protowire.Number, v uint64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(b, n, protowire.Fixed64Type), v)
}

func appendDouble(b []byte, n protowire.Number, v float64) []byte {
	return appendFixed64(b, n, math.Float64bits(v))
}
