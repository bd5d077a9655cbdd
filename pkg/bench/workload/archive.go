package workload

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"hash/crc32"
	"io"
	"slices"
	"strconv"

	"github.com/klauspost/compress/s2"

	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3/ops"
)

// Archive is an archive of contents of a data set. Unless it is compressed, memory holds only the headers between contents. An Archive
// serves many requests, one after another.
type Archive struct {
	set      *dataset.DataSet
	body     *generator.Body
	text     []byte // headers of all files, and the end
	sections []section
	size     int64
	contents int64 // bytes of the files

	compressed bytes.Buffer
	compressor *s2.Writer
}

// section is a header in an archive, and the file that follows.
type section struct {
	from   int64 // offset of the header in the archive
	header int   // end of the header in the text
	index  uint64
	size   int64 // of the file
}

// NewArchive returns an empty archive.
func NewArchive(set *dataset.DataSet) *Archive { return &Archive{set: set, body: set.Body()} }

// Size returns the size of the archive, before it is compressed.
func (a *Archive) Size() int64 { return a.size }

// skeleton collects the headers that a library writes of an archive; the contents of files are only counted.
type skeleton struct {
	*Archive
	inFile bool
}

// Write keeps a header.
func (s *skeleton) Write(p []byte) (int, error) {
	if s.size += int64(len(p)); !s.inFile {
		s.text = append(s.text, p...)
	}
	return len(p), nil
}

// file writes the contents of a file; only their size counts.
func (s *skeleton) file(w io.Writer, flush func() error, index uint64, size int64) error {
	if err := flush(); err != nil {
		return err
	}
	s.sections = append(s.sections, section{index: index, size: size, header: len(s.text), from: s.size})
	s.inFile, s.contents = true, s.contents+size
	for left := size; left > 0; {
		n, err := w.Write(nothing[:min(left, int64(len(nothing)))])
		if err != nil {
			return err
		}
		left -= int64(n)
	}
	err := flush()
	s.inFile = false
	return err
}

var nothing [64 << 10]byte

// reset empties the archive.
func (a *Archive) reset() *skeleton {
	a.text, a.sections, a.size, a.contents = a.text[:0], a.sections[:0], 0, 0
	return &skeleton{Archive: a}
}

// tar makes it a tar archive of files with these names, and contents of the data set by index.
func (a *Archive) tar(n int, file func(k int) (name string, index uint64)) error {
	s := a.reset()
	w := tar.NewWriter(s)
	for k := range n {
		name, index := file(k)
		size := a.set.Size(index)
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o644}); err != nil {
			return err
		}
		if err := s.file(w, func() error { return nil }, index, size); err != nil {
			return err
		}
	}
	return w.Close()
}

// zip makes it a zip archive of files with these names, and contents of the data set by index, without compression.
func (a *Archive) zip(n uint64, file func(k uint64) (name string, index uint64)) error {
	s, sum, buffer := a.reset(), crc32.NewIEEE(), make([]byte, len(nothing))
	w := zip.NewWriter(s)
	for k := range n {
		name, index := file(k)
		size := a.set.Size(index)
		a.body.Reset(index, size)
		sum.Reset()
		if _, err := io.CopyBuffer(sum, struct{ io.Reader }{a.body}, buffer); err != nil {
			return err
		}
		f, err := w.CreateRaw(&zip.FileHeader{
			Name:               name,
			Method:             zip.Store,
			CRC32:              sum.Sum32(),
			CompressedSize64:   uint64(size),
			UncompressedSize64: uint64(size),
		})
		if err != nil {
			return err
		}
		if err := s.file(f, w.Flush, index, size); err != nil {
			return err
		}
	}
	return w.Close()
}

// ReadAt reads from the archive.
func (a *Archive) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) {
		at := off + int64(n)
		if at >= a.size {
			return n, io.EOF
		}
		// The last section with a file that begins at or before the offset, if any.
		i, found := slices.BinarySearchFunc(a.sections, at, func(s section, at int64) int { return int(max(-1, min(1, s.from-at))) })
		if !found {
			i--
		}
		begin, text := int64(0), 0 // of the header behind that file
		if i >= 0 {
			s := &a.sections[i]
			begin, text = s.from+s.size, s.header
			if at < begin {
				a.body.Reset(s.index, s.size)
				m, err := a.body.ReadAt(p[n:min(int64(len(p)), int64(n)+begin-at)], at-s.from)
				if n += m; m == 0 {
					return n, err
				}
				continue
			}
		}
		end := len(a.text)
		if i+1 < len(a.sections) {
			end = a.sections[i+1].header
		}
		n += copy(p[n:], a.text[text+int(at-begin):end])
	}
	return n, nil
}

// compressedBlock is what is compressed at a time, in bytes: the most that S2 allows.
const compressedBlock = 4 << 20

// compress compresses the archive.
func (a *Archive) compress() (*bytes.Reader, error) {
	a.compressed.Reset()
	if a.compressor == nil {
		// The fast mode overlooks repeats of 512 KiB, and no mode looks beyond a block.
		a.compressor = s2.NewWriter(nil, s2.WriterConcurrency(1), s2.WriterBetterCompression(), s2.WriterBlockSize(compressedBlock))
	}
	a.compressor.Reset(&a.compressed)
	if _, err := io.Copy(a.compressor, io.NewSectionReader(a, 0, a.size)); err != nil {
		return nil, err
	}
	if err := a.compressor.Close(); err != nil {
		return nil, err
	}
	return bytes.NewReader(a.compressed.Bytes()), nil
}

// PutArchive uploads n new objects as a tar archive, which the server extracts. The archive has the key of the first object. With compress
// it is compressed, and all objects have the contents of the first: contents of their own would not become smaller. PutArchive returns
// load.ErrDone if the store is full.
func (a *Archive) PutArchive(ctx context.Context, w *work.Worker, n int, compress bool) error {
	first := w.Set.NewBlock(uint64(n))
	object := func(k int) uint64 { return first + uint64(k)*w.Set.Part.Total }
	drop := func(sent bool) {
		for k := range n {
			w.Set.Failed(object(k), sent)
		}
	}
	err := a.tar(n, func(k int) (string, uint64) {
		if compress && k > 0 {
			w.Set.MarkOtherContents(object(k))
			return w.Set.Keys.Key(object(k)), first
		}
		return w.Set.Keys.Key(object(k)), object(k)
	})
	if err != nil {
		return err
	}
	if err := w.Set.Reserve(a.contents); err != nil {
		drop(false)
		return err
	}
	err = w.Op(ctx, op.Put, func(rec *op.Op) error {
		rec.Objects = n
		c := w.Object(dataset.Object{Key: w.Set.Keys.Key(first), Size: a.size}, rec)
		c.Body = a
		if compress {
			body, err := a.compress()
			if err != nil {
				return err
			}
			c.Body, c.Size = body, body.Size()
		}
		err := ops.PutArchive(ctx, w.S3, c)
		if err == nil {
			rec.Bytes = a.contents
		}
		return w.Set.Stored(first, c, err)
	})
	if err == nil {
		return nil
	}
	w.Set.Free(a.contents)
	drop(w.Call.MaybeSent)
	return err
}

// Files makes it the zip archive of n files that object i is; see File.
func (a *Archive) Files(i, n uint64) error {
	return a.zip(n, func(k uint64) (string, uint64) { return FileName(k), fileIndex(i, k) })
}

// PutFiles uploads object i as a zip archive of n files; see File.
func (a *Archive) PutFiles(ctx context.Context, w *work.Worker, i, n uint64) error {
	if err := a.Files(i, n); err != nil {
		return err
	}
	return w.PutAs(ctx, dataset.Object{Index: i, Key: w.Set.Keys.Key(i), Size: a.size}, a)
}

// FileName returns the name of file k of a zip archive.
func FileName(k uint64) string { return strconv.FormatUint(k, 10) + ".rnd" }

// fileIndex returns the index that determines size and contents of file k of archive i.
func fileIndex(i, k uint64) uint64 { return generator.Mix(i, k) }

// GetFile reads file k out of a zip archive. With verify it compares it with what was uploaded.
func GetFile(ctx context.Context, w *work.Worker, archive dataset.Object, k uint64, verify bool) error {
	i := fileIndex(archive.Index, k)
	o := dataset.Object{Index: i, Key: archive.Key + "/" + FileName(k), Size: w.Set.Size(i)}
	return w.Op(ctx, op.Get, func(rec *op.Op) error { return w.Read(ctx, rec, o, work.Piece{Zipped: true}, verify) })
}

// FanOut uploads the contents of one object, which the server stores as n new ones. It returns load.ErrDone if the store is full.
func FanOut(ctx context.Context, w *work.Worker, n int) error {
	first := w.Set.NewBlock(uint64(n))
	o := w.Set.Object(first)
	var keys []string
	drop := func(sent bool) {
		for k := range keys {
			w.Set.Failed(first+uint64(k)*w.Set.Part.Total, sent)
		}
	}
	for k := range uint64(n) {
		i := first + k*w.Set.Part.Total
		if keys = append(keys, w.Set.Keys.Key(i)); k > 0 {
			w.Set.MarkOtherContents(i) // it has the contents of the first object
		}
	}
	total := o.Size * int64(n)
	if err := w.Set.Reserve(total); err != nil {
		drop(false)
		return err
	}
	err := w.Op(ctx, op.Post, func(rec *op.Op) error {
		rec.Objects = n
		c := w.Object(o, rec)
		c.Body = w.Body(first, o.Size)
		err := ops.FanOut(ctx, w.S3, c, keys)
		if err == nil {
			rec.Bytes = total
		}
		return err
	})
	if err == nil {
		return nil
	}
	w.Set.Free(total)
	drop(w.Call.MaybeSent)
	return err
}
