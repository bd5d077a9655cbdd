package metrics

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// field appends a field that consists of others.
func field(b []byte, n protowire.Number, write func([]byte) []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, n, protowire.BytesType), write(nil))
}

func text(b []byte, n protowire.Number, s string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, n, protowire.BytesType), s)
}

func number(b []byte, n protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, n, protowire.VarintType), v)
}

func fixed(b []byte, n protowire.Number, v uint64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(b, n, protowire.Fixed64Type), v)
}

func double(b []byte, n protowire.Number, v float64) []byte {
	return fixed(b, n, math.Float64bits(v))
}
