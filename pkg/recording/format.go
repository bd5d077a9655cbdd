// Package recording writes, reads and merges recordings.
//
// A recording (NAME.csv.zst) is the list of the finished operations of a run, written while it goes on: text, compressed
// with zstd. It extends the established format of this kind of tool, whose readers find columns by name and so read it too.
//
// The file is a series of independent zstd frames. Writer ends a frame when it holds 1 MiB of text and whenever Flush is
// called, which the Collector does twice a second; frames hold whole rows. A file that was cut (a killed run, a full
// disk) is therefore complete up to its last whole frame. Several recordings written one behind the other
// (cat a.csv.zst b.csv.zst) are one valid file.
//
// The text, in this order, every line ended by LF:
//
//	# warp-recording: 1              version of this format; readers find columns by name, so it rarely changes
//	# config: {...}                  one line of JSON: what was run, where, by which version; no secrets
//	idx	thread	op	...              the header: names of the columns, separated by tabs
//	0	12	GET	...                  rows: one operation each, in about the order in which they ended
//	# commandline: warp get ...      no secrets; one such line for each line of the text
//	# end: {...}                     one line of JSON: how the run ended. A recording without this line was cut short.
//	                                 It may state the windows of the run, which make analysis quicker: see aggregate.Ending
//
// Lines that begin with # are comments and may stand between any two rows. These are the columns:
//
//	idx          counts rows of this recording from 0
//	thread       thread of the client, 0 to 2^32-1
//	op           kind of operation: GET, PUT, DELETE, STAT, LIST, ...
//	client_id    load generator; thread ids are counted per client
//	n_objects    objects touched: 1, the batch length of a DELETE, the entries of a LIST
//	bytes        body bytes moved
//	endpoint     URL of the host
//	file         object key, prefix of a LIST
//	error        empty if the operation succeeded, else "class: message"
//	start        when the operation started
//	first_byte   first byte of the answer, empty if unknown
//	last_byte    last byte of the request's body handed over, empty if unknown
//	end          when the operation was over
//	duration_ns  end - start in nanoseconds; readers ignore it
//	cat          decimal bit field of categories
//	due          when the operation should have started (open loop), else empty
//	status       HTTP status, 0 if no answer came
//	retries      how often the request was sent again
//	phase        "prepare", the name of a phase in a scenario, or empty
//
// Times are RFC 3339 with up to nine digits of fraction (trailing zeros dropped), written in UTC. Numbers are decimal.
// A text is put in quotes only if it holds a tab, a quote, CR or LF, or begins with white space; quotes in it are doubled.
// All other bytes stand for themselves, UTF-8 or not. In quotes a row can span lines. (Readers built on Go's
// encoding/csv drop the CR of a CR LF in quotes; Reader does not.) Texts are cut to 64 KiB, so that no row is longer
// than MaxRow, 1 MiB.
//
// # What Reader accepts
//
// Every header the established format ever had: with and without n_objects, endpoint, client_id, first_byte, last_byte,
// cat, due, status, retries, phase, file; columns in any order, others are passed over; separated by tabs or (2019)
// commas; lines ended by LF or CR LF; a header again in the middle, as in concatenated recordings; times with any offset;
// any number of comments; compressed or not. Required are thread, op, bytes, error, start and end; n_objects is 1 where
// the column is missing. In recordings without the version line, comments below the header are the command line.
//
// The established tool writes keys without quotes. So a field that begins with a quote but does not end with one, or that
// is not quoted and holds quotes, is taken as it stands; and unless the header has our columns, quotes around a key hold
// no line break.
//
// A row that cannot be read (a wrong number of columns, a value that is none, more than MaxRow bytes) is passed over and
// reported. If a file is cut in a frame, all whole rows that can still be decompressed are read. The last row of a file
// counts only if it is whole: with a line break at its end, or, in a complete file of the established tool, all its columns.
package recording

import "encoding/json"

// Version is the version of the recording format that Writer writes.
const Version = 1

// MaxRow is the greatest length of a row, or of a comment, in bytes. Reader passes over what is longer, with a warning.
const MaxRow = 1 << 20

const (
	// frameText is how much text a frame holds at most, give or take the rows of one Write.
	frameText = 1 << 20
	// maxText is the greatest length of a text in a row before quoting: six texts, all quotes, stay under MaxRow.
	maxText = 64 << 10
)

// header names the columns that Writer writes, in order: those of the established format, then ours.
const header = "idx\tthread\top\tclient_id\tn_objects\tbytes\tendpoint\tfile\terror\tstart\tfirst_byte\tlast_byte\tend\tduration_ns\tcat" +
	"\tdue\tstatus\tretries\tphase"

// What the comment lines of a recording begin with.
const (
	markVersion     = "# warp-recording: "
	markConfig      = "# config: "
	markCommandLine = "# commandline: "
	markEnd         = "# end: "
)

// Header is what a recording says about itself.
type Header struct {
	// Version of the recording format. 0: a recording of the established tool. Writer ignores it and writes Version.
	Version int
	// Config is one JSON value that describes the run. It must hold no secrets.
	Config json.RawMessage
	// CommandLine is the command that was run, without secrets. It stands at the end of a recording.
	CommandLine string
}
