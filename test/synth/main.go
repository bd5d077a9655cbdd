// Synth writes a synthetic recording of any length, for tests of speed:
//
//	go run ./test/synth -ops 20000000 -out big.csv.zst
//	go run ./test/synth -ops 20000000 -upstream -out big-of-minio-warp.csv.zst
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"os"

	"warp/pkg/recording"
	"warp/test/synth/model"
)

func main() {
	ops := flag.Int("ops", 1_000_000, "operations")
	out := flag.String("out", "", "file to write (.csv.zst)")
	objects := flag.Int("objects", 2500, "distinct objects")
	plain := flag.Bool("plain", false, "do not state the windows at the end, as recordings of other origin do not")
	upstream := flag.Bool("upstream", false, "write it as MinIO warp does: its columns, one zstd frame, by start")
	flag.Parse()
	if err := write(*out, model.Typical(*ops, *objects), *plain, *upstream); err != nil {
		fmt.Fprintln(os.Stderr, "synth:", err)
		os.Exit(1)
	}
}

// write writes a recording of a mixed run to path.
func write(path string, run model.Run, plain, upstream bool) (err error) {
	if path == "" {
		return errors.New("say where to write, with -out FILE")
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	buf := bufio.NewWriterSize(f, 1<<20)
	if upstream {
		_, err = run.Upstream(buf)
	} else {
		_, err = run.Record(buf, recording.Header{CommandLine: fmt.Sprintf("synth -ops %d", run.Ops)}, !plain)
	}
	return errors.Join(err, buf.Flush())
}
