package formats

import (
	"io"

	"warp/internal/unpack"
)

// maxWindow is the maximum memory in bytes that a zstd frame may demand.
const maxWindow = 64 << 20

// decompressed returns the text of a file, which may be compressed by gzip, zstd or xz, and a function that releases its memory.
func decompressed(src io.Reader) (io.Reader, func(), error) {
	t, err := unpack.New(src, maxWindow)
	if err != nil {
		return nil, func() {}, err
	}
	if t.Compression == unpack.None {
		return t, t.Close, nil
	}
	return &unpacked{t}, t.Close, nil
}

// damage is the error of a compressed file that is truncated or damaged. The text before the damage can be read.
type damage struct{ error }

// unpacked turns errors of decompression into damage; errors of the file stay as they are.
type unpacked struct{ text *unpack.Text }

func (u *unpacked) Read(b []byte) (int, error) {
	n, err := u.text.Read(b)
	switch {
	case err == nil || err == io.EOF:
		return n, err
	case u.text.Failure() != nil:
		return n, u.text.Failure()
	}
	return n, &damage{err}
}
