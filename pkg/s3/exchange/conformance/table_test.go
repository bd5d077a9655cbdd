package conformance

import "strings"

// ending is what a server does behind a response.
type ending int

const (
	stays ending = iota // reads the next request
	ends                // ends TLS, and then the connection
	cuts                // ends the connection without a word about TLS
	resets
)

// verdict is what an engine makes of a response.
type verdict struct {
	class  string // of the error; empty: there is none
	body   string
	header string // X-A
	first  int    // number of the piece with the first byte of the final response, which is when that was received
	resent int
	reused bool // the connection
}

// raced is verdict.resent if it depends on whether the next request or the end of the connection comes first.
const raced = -1

// none is verdict.first if nothing of a final response was received.
const none = -1

// row is what a server says to a request, and the verdict of both engines.
type row struct {
	name   string
	send   string   // request: GET if empty, HEAD, DELETE, PUT, or EXPECT: a PUT that asks before it sends its body
	after  int      // other responses over the same connection before
	excess bool     // bytes follow the response; net/http may use the connection again before it sees them
	pieces []string // of the response, with a pause before each but the first
	end    ending
	want   verdict
}

func pieces(text ...string) []string { return text }

// fine is a response of status 200.
func fine(rest string) []string { return []string{"HTTP/1.1 200 OK\r\n" + rest} }

const (
	hello  = "Content-Length: 5\r\n\r\nhello"
	chunks = "Transfer-Encoding: chunked\r\n\r\n"
	hints  = "HTTP/1.1 103 Early Hints\r\nX-A: c\r\n\r\n"
)

var (
	taken   = verdict{body: "hello", reused: true}
	once    = verdict{body: "hello"} // the connection is not used again
	short   = verdict{class: "short body"}
	bad     = verdict{class: "bad answer"}
	closed  = verdict{class: "connection closed"}
	reset   = verdict{class: "connection reset"}
	nothing = verdict{class: "connection closed", first: none}
)

// table is what servers may say, and what both engines make of it.
var table = [][]row{connectionRows, headerRows, lengthRows, interimRows, endRows}

// connectionRows are about connections that are kept, or not.
var connectionRows = []row{
	{name: "fine", pieces: fine("X-A: b\r\n" + hello), want: verdict{body: "hello", header: "b", reused: true}},
	{name: "close", pieces: fine("Connection: close\r\n" + hello), want: once},
	{name: "close, keep-alive", pieces: fine("Connection: close, keep-alive\r\n" + hello), want: once},
	{name: "keep-alive, close", pieces: fine("Connection: keep-alive, close\r\n" + hello), want: once},
	{name: "close, keep-alive in two lines", pieces: fine("Connection: close\r\nConnection: keep-alive\r\n" + hello), want: once},
	{name: "Close among others", pieces: fine("Connection: x, Close\r\n" + hello), want: once},
	{name: "HTTP/1.0", pieces: pieces("HTTP/1.0 200 OK\r\n" + hello), want: once},
	{name: "HTTP/1.0, keep-alive", pieces: pieces("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n" + hello), want: taken},
	{name: "HTTP/1.2", pieces: pieces("HTTP/1.2 200 OK\r\n" + hello), want: bad},
	{name: "HTTP/2.0", pieces: pieces("HTTP/2.0 200 OK\r\n" + hello), want: bad},
	{name: "no reason", pieces: pieces("HTTP/1.1 200\r\n" + hello), want: taken},
	{name: "no blank behind the status", pieces: pieces("HTTP/1.1 200OK\r\n" + hello), want: bad},
	{name: "status of two digits", pieces: pieces("HTTP/1.1 20 OK\r\n" + hello), want: bad},
	{name: "status of four digits", pieces: pieces("HTTP/1.1 2000 OK\r\n" + hello), want: bad},
	{name: "status below 100", pieces: pieces("HTTP/1.1 099 OK\r\n" + hello), want: bad},
	{name: "status in words", pieces: pieces("HTTP/1.1 two OK\r\n" + hello), want: bad},
	{name: "empty line before the response", pieces: pieces("\r\nHTTP/1.1 200 OK\r\n" + hello), want: bad},
	{name: "garbage", pieces: pieces("hello?\r\n\r\n"), want: bad},
	{name: "alert of TLS", pieces: pieces("\x15\x03\x01\x00\x02\x02\x46\n"), want: verdict{class: "plain HTTP to a TLS port"}},
	{name: "error", pieces: pieces("HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\n\r\n"), want: verdict{class: "503 Service Unavailable", reused: true}},
	{name: "101", pieces: pieces("HTTP/1.1 101 Switching Protocols\r\n\r\n"), want: verdict{class: "101 Switching Protocols"}},
}

// headerRows are about the form of header lines (RFC 9112, 5; RFC 9110, 5.5).
var headerRows = []row{
	{name: "lower case", pieces: fine("x-a: b\r\ncontent-length: 5\r\n\r\nhello"), want: verdict{body: "hello", header: "b", reused: true}},
	{name: "upper case", pieces: fine("X-A: b\r\nCONTENT-LENGTH: 5\r\n\r\nhello"), want: verdict{body: "hello", header: "b", reused: true}},
	{name: "no blank behind the colon", pieces: fine("X-A:b\r\nContent-Length:5\r\n\r\nhello"), want: verdict{body: "hello", header: "b", reused: true}},
	{name: "tabs and blanks around values", pieces: fine("X-A: \t b \t\r\nContent-Length:\t5 \r\n\r\nhello"), want: verdict{body: "hello", header: "b", reused: true}},
	{name: "blank before the colon", pieces: fine("Content-Length : 5\r\n\r\nhello"), want: bad},
	{name: "no name", pieces: fine(": b\r\n" + hello), want: bad},
	{name: "no colon", pieces: fine("no colon\r\n" + hello), want: bad},
	{name: "no value", pieces: fine("X-A:\r\n" + hello), want: taken},
	{name: "folded line", pieces: fine("X-A: b\r\n c\r\n" + hello), want: verdict{body: "hello", header: "b c", reused: true}},
	{name: "folded line with a tab", pieces: fine("X-A: b\r\n\tc\r\n" + hello), want: verdict{body: "hello", header: "b c", reused: true}},
	{name: "folded length", pieces: fine("Content-Length:\r\n 5\r\n\r\nhello"), want: taken},
	{name: "folded first line", pieces: fine(" X-A: b\r\n" + hello), want: bad},
	{name: "CR in a value", pieces: fine("X-A: b\rc\r\n" + hello), want: bad},
	{name: "NUL in a value", pieces: fine("X-A: b\x00c\r\n" + hello), want: bad},
	{name: "bytes above ASCII in a value", pieces: fine("X-A: \xc3\xa4\xff\r\n" + hello), want: verdict{body: "hello", header: "\xc3\xa4\xff", reused: true}},
	{name: "bare LF at the end of lines", pieces: pieces("HTTP/1.1 200 OK\nX-A: b\nContent-Length: 5\n\nhello"), want: verdict{body: "hello", header: "b", reused: true}},
	{name: "a header twice", pieces: fine("X-A: b\r\nX-A: c\r\n" + hello), want: verdict{body: "hello", header: "b", reused: true}},
	{name: "almost too long", pieces: fine("X-B: " + strings.Repeat("x", 15<<10) + "\r\n" + hello), want: taken},
	{name: "too long", pieces: fine("X-B: " + strings.Repeat("x", 2<<20) + "\r\n" + hello), want: bad},
}

// lengthRows are about the length of bodies (RFC 9112, 6 and 7).
var lengthRows = []row{
	{name: "equal lengths", pieces: fine("Content-Length: 5\r\n" + hello), want: taken},
	{name: "unequal lengths", pieces: fine("Content-Length: 6\r\n" + hello), want: bad},
	{name: "lengths in one line", pieces: fine("Content-Length: 5, 5\r\n\r\nhello"), want: bad},
	{name: "length with a sign", pieces: fine("Content-Length: +5\r\n\r\nhello"), want: bad},
	{name: "negative length", pieces: fine("Content-Length: -5\r\n\r\nhello"), want: bad},
	{name: "length in words", pieces: fine("Content-Length: five\r\n\r\nhello"), want: bad},
	{name: "length without a value", pieces: fine("Content-Length:\r\n\r\nhello"), want: bad},
	{name: "length beyond 64 bits", pieces: fine("Content-Length: 99999999999999999999\r\n\r\nhello"), want: bad},
	{name: "longer than its length", pieces: fine("Content-Length: 4\r\n\r\nhello"), want: verdict{body: "hell"}},
	{name: "shorter than its length", pieces: fine("Content-Length: 6\r\n\r\nhello"), end: ends, want: short},
	{name: "shorter than its length, TLS cut", pieces: fine("Content-Length: 6\r\n\r\nhello"), end: cuts, want: short},
	{name: "no length", pieces: fine("\r\nhello"), end: ends, want: once},
	{name: "no length, TLS cut", pieces: fine("\r\nhello"), end: cuts, want: once}, // crypto/tls takes that for the end
	{name: "empty", pieces: fine("Content-Length: 0\r\n\r\n"), want: verdict{reused: true}},
	{name: "HEAD", send: "HEAD", pieces: fine("Content-Length: 5\r\n\r\n"), want: verdict{reused: true}},
	{name: "HEAD without a length", send: "HEAD", pieces: fine("\r\n"), want: verdict{reused: true}},
	{name: "HEAD in chunks", send: "HEAD", pieces: fine(chunks), want: verdict{reused: true}},
	{name: "HEAD with a body", send: "HEAD", excess: true, pieces: fine(hello), want: verdict{}},
	{name: "204", send: "DELETE", pieces: pieces("HTTP/1.1 204 No Content\r\n\r\n"), want: verdict{reused: true}},
	{name: "204 with a length", send: "DELETE", pieces: pieces("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n"), want: verdict{reused: true}},
	{name: "304 with a length", pieces: pieces("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"), want: verdict{class: "304 Not Modified", reused: true}},

	{name: "chunks", pieces: fine(chunks + "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"), want: taken},
	{name: "chunks, extended, with a trailer", pieces: fine(chunks + "5;x=y\r\nhello\r\n0\r\nX-T: 1\r\n\r\n"), want: taken},
	{name: "chunks in upper case", pieces: fine("TRANSFER-ENCODING: Chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"), want: taken},
	{name: "chunks and a length", pieces: fine("Content-Length: 3\r\n" + chunks + "5\r\nhello\r\n0\r\n\r\n"), want: taken},
	{name: "chunks of HTTP/1.0", pieces: pieces("HTTP/1.0 200 OK\r\n" + chunks + "5\r\nhello\r\n0\r\n\r\n"), end: ends, want: verdict{body: "5\r\nhello\r\n0\r\n\r\n"}},
	{name: "chunks twice", pieces: fine("Transfer-Encoding: chunked\r\n" + chunks + "5\r\nhello\r\n0\r\n\r\n"), want: bad},
	{name: "another coding", pieces: fine("Transfer-Encoding: gzip\r\n\r\nhello"), want: bad},
	{name: "bare LF behind a chunk's size", pieces: fine(chunks + "5\nhello\r\n0\r\n\r\n"), want: bad},
	{name: "chunk's size in words", pieces: fine(chunks + "five\r\nhello\r\n0\r\n\r\n"), want: bad},
	{name: "chunk longer than its size", pieces: fine(chunks + "4\r\nhello\r\n0\r\n\r\n"), want: bad},
	{name: "bytes behind chunks", pieces: fine(chunks + "5\r\nhello\r\n0\r\n\r\nmore"), want: once},
	{name: "two trailers", pieces: fine(chunks + "5\r\nhello\r\n0\r\nX-T: 1\r\nX-U: 2\r\n\r\n"), want: taken},
	{name: "trailer without end", pieces: fine(chunks + "5\r\nhello\r\n0\r\n" + strings.Repeat("X-T: 1\r\n", 2000)), want: bad},
	{name: "chunk's size with a sign", pieces: fine(chunks + "-1\r\nhello\r\n0\r\n\r\n"), want: bad},
	{name: "chunk's size beyond 64 bits", pieces: fine(chunks + strings.Repeat("f", 17) + "\r\nhello\r\n"), want: bad},
	{name: "chunk without a size", pieces: fine(chunks + "\r\nhello\r\n0\r\n\r\n"), want: bad},
	{name: "chunk's line without end", pieces: fine(chunks + "5;" + strings.Repeat("x", 5000) + "\r\nhello\r\n0\r\n\r\n"), want: bad},
	{name: "cut chunk", pieces: fine(chunks + "5\r\nhel"), end: ends, want: short},
	{name: "cut before the last chunk", pieces: fine(chunks + "5\r\nhello\r\n"), end: ends, want: short},
	{name: "cut behind the last chunk", pieces: fine(chunks + "5\r\nhello\r\n0\r\n"), end: ends, want: short},
}

// interimRows are about responses before the final one.
var interimRows = []row{
	{name: "103", pieces: pieces(hints + fine(hello)[0]), want: taken},
	{name: "103 with a length", pieces: pieces("HTTP/1.1 103 Early Hints\r\nContent-Length: 7\r\n\r\n" + fine(hello)[0]), want: taken},
	{name: "103, pause", pieces: pieces(hints, fine(hello)[0]), want: verdict{body: "hello", first: 1, reused: true}},
	{name: "103 with a byte of the response", pieces: pieces(hints+"H", fine(hello)[0][1:]), want: taken},
	{name: "103 with a part of the status line", pieces: pieces(hints+"HTTP/1.1 ", fine(hello)[0][9:]), want: taken},
	{name: "103 with a part of the header", pieces: pieces(hints+"HTTP/1.1 200 OK\r\nX-A", ": b\r\n"+hello), want: verdict{body: "hello", header: "b", reused: true}},
	{name: "103 in two pieces, the second with a part of the status line", pieces: pieces(hints[:12], hints[12:]+"HTTP/1.1 ", fine(hello)[0][9:]), want: verdict{body: "hello", first: 1, reused: true}},
	{name: "103, cut in its end", pieces: pieces(hints[:len(hints)-1], "\n", fine(hello)[0]), want: verdict{body: "hello", first: 2, reused: true}},
	{name: "100 unasked, then 103", pieces: pieces("HTTP/1.1 100 Continue\r\n\r\n", hints, fine(hello)[0]), want: verdict{body: "hello", first: 2, reused: true}},
	{name: "100 and 103 with a part of the status line", pieces: pieces("HTTP/1.1 100 Continue\r\n\r\n"+hints+"HTTP/1.1", fine(hello)[0][8:]), want: taken},
	{name: "100 with a part of the response to an upload", send: "EXPECT", pieces: pieces(hints+"HTTP/1.1 ", "200 OK\r\nContent-Length: 0\r\n\r\n"), want: verdict{reused: true}},
	{name: "103 with bare LFs", pieces: pieces("HTTP/1.1 103 Early Hints\nX-A: c\n\nHTTP/1.1", fine(hello)[0][8:]), want: taken},
	{name: "31 interim responses", pieces: pieces(strings.Repeat(hints, 31) + fine(hello)[0]), want: taken},
	{name: "32 interim responses", pieces: pieces(strings.Repeat(hints, 32) + fine(hello)[0]), want: bad},
	{name: "nothing behind 103", pieces: pieces(hints), end: ends, want: nothing},
	{name: "reset behind 103", pieces: pieces(hints), end: resets, want: verdict{class: "connection reset", first: none}},
	{name: "nothing behind 103 over a reused connection", after: 1, pieces: pieces(hints), end: ends, want: nothing},
	{name: "reset behind 103 over a reused connection", after: 1, pieces: pieces(hints), end: resets, want: verdict{class: "connection reset", first: none}},
}

// endRows are about connections that end at each stage of a response. What a server cuts over TLS is no end of TLS.
var endRows = []row{
	{name: "nothing", end: ends, want: nothing},
	{name: "nothing, cut", end: cuts, want: nothing},
	{name: "nothing, reset", end: resets, want: verdict{class: "connection reset", first: none}},
	{name: "status line", pieces: pieces("HTTP/1.1 20"), end: ends, want: closed},
	{name: "status line, cut", pieces: pieces("HTTP/1.1 20"), end: cuts, want: closed},
	{name: "status line, reset", pieces: pieces("HTTP/1.1 20"), end: resets, want: reset},
	{name: "protocol", pieces: pieces("HTT"), end: ends, want: closed},
	{name: "behind the status line", pieces: pieces("HTTP/1.1 200 OK"), end: ends, want: closed},
	{name: "header line", pieces: fine("Content-Le"), end: ends, want: closed},
	{name: "header line, cut", pieces: fine("Content-Le"), end: cuts, want: closed},
	{name: "header line, reset", pieces: fine("Content-Le"), end: resets, want: reset},
	{name: "between header lines", pieces: fine("Content-Length: 5\r\n"), end: ends, want: closed},
	{name: "status line over a reused connection", after: 1, pieces: pieces("HTTP/1.1 20"), end: ends, want: closed},
	{name: "header line over a reused connection, reset", after: 1, pieces: fine("Content-Le"), end: resets, want: reset},
	{name: "behind the header", pieces: fine("Content-Length: 5\r\n\r\n"), end: ends, want: short},
	{name: "behind the header, reset", pieces: fine("Content-Length: 5\r\n\r\n"), end: resets, want: reset},
	{name: "body", pieces: fine("Content-Length: 5\r\n\r\nhel"), end: ends, want: short},
	{name: "body, cut", pieces: fine("Content-Length: 5\r\n\r\nhel"), end: cuts, want: short},
	{name: "body, reset", pieces: fine("Content-Length: 5\r\n\r\nhel"), end: resets, want: reset},
	{name: "chunk, reset", pieces: fine(chunks + "5\r\nhel"), end: resets, want: reset},
	{name: "no length, reset", pieces: fine("\r\nhello"), end: resets, want: reset},
	{name: "response", pieces: fine(hello), end: ends, want: verdict{body: "hello", resent: raced}},
	{name: "response, cut", pieces: fine(hello), end: cuts, want: verdict{body: "hello", resent: raced}},
	{name: "response, reset", pieces: fine(hello), end: resets, want: verdict{body: "hello", resent: raced}},

	{name: "nothing over a reused connection", after: 1, end: ends, want: verdict{body: "hello", resent: 1}},
	{name: "nothing over a reused connection, cut", after: 1, end: cuts, want: verdict{body: "hello", resent: 1}},
	{name: "nothing over a reused connection, reset", after: 1, end: resets, want: verdict{body: "hello", resent: 1}},
	{name: "nothing over a connection reused five times", after: 5, end: ends, want: verdict{body: "hello", resent: 1}},
	{name: "no upload over a reused connection", send: "PUT", after: 1, end: ends, want: verdict{resent: 1}},
	{name: "no upload over a reused connection, reset", send: "PUT", after: 1, end: resets, want: verdict{resent: 1}},
	{name: "nothing behind 100 over a reused connection", send: "EXPECT", after: 1, end: ends, want: nothing},
}
