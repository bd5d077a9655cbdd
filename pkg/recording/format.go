// Package recording reads, writes and merges recordings.
//
// # Recordings
//
// A recording (NAME.csv.zst) is the list of the finished operations of a run, written while the run goes on: text, compressed
// with zstd. It extends the format of MinIO warp (https://github.com/minio/warp), which finds columns by name and so can
// read it too.
//
// The file is a series of independent zstd frames. Writer ends a frame when it holds 1 MiB of text and whenever Flush is
// called, which the Collector does twice a second; frames hold whole rows. A truncated file (a killed run, a full disk) is
// therefore complete up to its last whole frame. The concatenation of recordings of one run (cat a.csv.zst b.csv.zst) is a valid file.
//
// The text, in this order, every line ended by LF:
//
//	# warp-recording: 1              version of this format; readers find columns by name, so it rarely changes
//	# config: {...}                  one line of JSON: what was run, where, and the version; no secrets
//	idx	thread	op	...              the header line: names of the columns, separated by tabs
//	0	12	GET	...                  rows: one operation each, roughly in order of their ends
//	# commandline: warp get ...      no secrets; one such line for each line of the text
//	# end: {...}                     one line of JSON: how the run ended. A recording without this line was cut short.
//	                                 It may state the windows of the run, which speeds up analysis: see aggregate.Trailer
//
// Lines that begin with # are comments and may stand between any two rows. Rows of kinds that consist of others (op.Kind.IsComposite)
// stand in comments too: "# whole: " and the row. So no program that sums up all rows counts bytes, objects or requests twice.
// They are one line each: line breaks in their keys are written as spaces.
//
// These are the columns:
//
//	idx          number of the row in this recording, from 0
//	thread       thread of the client, 0 to 2^32-1
//	op           kind of operation: GET, PUT, DELETE, STAT, LIST, ...
//	client_id    load generator; thread ids are counted per client
//	n_objects    objects touched: 1, the batch length of a DELETE, the entries of a LIST
//	bytes        body bytes transferred
//	endpoint     URL of the host
//	file         object key, prefix of a LIST
//	error        empty if the operation succeeded, else "class: message"
//	start        when the operation started
//	first_byte   first byte of the response, empty if unknown
//	last_byte    last byte of the request's body sent, empty if unknown
//	end          when the operation ended
//	duration_ns  end - start in nanoseconds; readers ignore it
//	cat          decimal bit field of categories
//	due          when the operation was due (open loop), else empty
//	status       HTTP status, 0 without a response
//	retries      number of retries
//	own_late_ns  part of start - due in nanoseconds that the client caused: a worker was idle when the operation was due; empty if 0
//	unread_ns    how long the response lay in the client's kernel before it was read; empty if unknown
//	resent       how often a request was sent again because the server had closed its connection; empty if never
//	bucket       the bucket; only in recordings of runs with several
//	source       what was copied, as the header x-amz-copy-source has it; only in recordings of runs that copy
//	copied       bytes of that, 0 if they are unknown; only in recordings of runs that copy
//	phase        "prepare", the name of a phase in a scenario, or empty
//
// Times are RFC 3339 with up to nine digits of fraction (trailing zeros dropped), written in UTC. Numbers are decimal.
// A text is quoted only if it contains a tab, a quote, CR or LF, or begins with white space; quotes in it are doubled.
// All other bytes are literal, UTF-8 or not. In quotes a row can span lines. (Readers built on Go's encoding/csv drop the CR
// of a CR LF in quotes; Reader does not.) Texts are truncated to 64 KiB, so that no row is longer than MaxRow, 1 MiB.
//
// # What Reader accepts
//
// Every header that MinIO warp ever wrote: with and without n_objects, endpoint, client_id, first_byte, last_byte, cat, due,
// status, retries, phase, file; columns in any order, unknown ones ignored; separated by tabs or (2019) commas; lines ended
// by LF or CR LF; another header in the middle, as in concatenated recordings; times with any offset; any number of
// comments; compressed (zstd, gzip, xz) or not. Required are thread, op, bytes, error, start and end; n_objects is 1 where the column is
// missing. In recordings without the version line, comments below the header are the command line.
//
// MinIO warp writes keys without quoting. So a field that begins with a quote but does not end with one, or that is not
// quoted and contains quotes, is taken literally; and unless the header has our columns, quotes around a key contain no line
// break.
//
// An unreadable row (a wrong number of columns, an invalid value, more than MaxRow bytes) is skipped and reported. If a file
// is truncated within a frame, all whole rows that can still be decompressed are read. The last row of a file counts only if
// it is whole: with a line break at its end or, in a complete file of MinIO warp, all its columns.
package recording

import "encoding/json"

// Version is the format version written by Writer.
const Version = 1

// MaxRow is the maximum length of a row, or of a comment, in bytes. Reader skips longer ones, with a warning.
const MaxRow = 1 << 20

const (
	// frameText is the text in a frame, up to one row more.
	frameText = 1 << 20
	// pieceText is the text that is compressed at a time, 0.2 ms of a processor: operations of an open loop may have to wait for it.
	pieceText = 32 << 10
	// maxText is the maximum length of a text in a row before quoting: six texts, all quotes, stay below MaxRow.
	maxText = 64 << 10
)

// header names the columns written by Writer, in order: the columns of MinIO warp, then ours.
const header = "idx\tthread\top\tclient_id\tn_objects\tbytes\tendpoint\tfile\terror\tstart\tfirst_byte\tlast_byte\tend\tduration_ns\tcat" +
	"\tdue\tstatus\tretries\tphase\town_late_ns\tunread_ns\tresent"

// unreadColumn is the name of the column that says how long a response lay unread.
const unreadColumn = "unread_ns"

// bucketColumn is the name of the column behind these in recordings of runs with several buckets.
const bucketColumn = "bucket"

// sourceColumn and copiedColumn are the names of the last columns in recordings of runs that copy.
const (
	sourceColumn = "source"
	copiedColumn = "copied"
)

// Prefixes of the comment lines of a recording.
const (
	markVersion     = "# warp-recording: "
	markConfig      = "# config: "
	markCommandLine = "# commandline: "
	markEnd         = "# end: "
	markWhole       = "# whole: "
)

// Header is what a recording says about itself.
type Header struct {
	// Version of the format; 0 for recordings of MinIO warp. Writer ignores it and writes Version.
	Version int
	// Config is one JSON value that describes the run. It must hold no secrets.
	Config json.RawMessage
	// CommandLine is the command that was run, without secrets. It is stored at the end of a recording.
	CommandLine string
	// Buckets is whether each row names the bucket that it is about.
	Buckets bool
	// Copies is whether rows say what was copied.
	Copies bool
}
