package formats

import (
	"encoding/binary"

	"warp/pkg/op"
)

// oracleRecord is the length of a record of libCacheSim: time u32, object u64, size u32, next access i64, little-endian.
const oracleRecord = 24

// oracle reads traces of libCacheSim in the format oracleGeneral, which holds reads only.
type oracle struct{ within within }

func newOracle() parser { return new(oracle) }

func (p *oracle) parse(record []byte, out *events) error {
	e := out.add()
	e.Kind = op.Get
	e.Start = p.within.spread(int64(binary.LittleEndian.Uint32(record)) * second)
	e.Key = record[4:12]
	e.Size = int64(binary.LittleEndian.Uint32(record[12:]))
	return nil
}
