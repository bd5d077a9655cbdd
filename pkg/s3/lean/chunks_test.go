package lean

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/minio/minio-go/v7/pkg/signer"

	"warp/pkg/s3/checksum"
	"warp/pkg/s3/exchange"
)

// published are the keys and the date of the examples in the AWS documentation.
var (
	publishedKeys = exchange.Keys{Access: "AKIAIOSFODNN7EXAMPLE", Secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}
	publishedDate = time.Date(2013, time.May, 24, 0, 0, 0, 0, time.UTC)
)

// sign begins the signatures of chunks behind that of a request.
func sign(t *testing.T, c *exchange.Chunks, seed string) {
	t.Helper()
	s, err := newV4Signer(keys(publishedKeys), "us-east-1")
	if err == nil {
		err = s.at(publishedDate, "", nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	c.Sign(s, []byte(seed))
}

func readChunks(t *testing.T, c *exchange.Chunks) string {
	t.Helper()
	p, err := io.ReadAll(io.NewSectionReader(c, 0, c.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if n, err := c.ReadAt(make([]byte, 1), c.Len()); n != 0 || err != io.EOF {
		t.Errorf("behind the end: %d bytes, %v", n, err)
	}
	return string(p)
}

// TestPublishedChunks checks the examples of the AWS documentation ("Signature Calculations for the Authorization Header:
// Transferring Payload in Multiple Chunks", and the same "Including Trailing Headers").
func TestPublishedChunks(t *testing.T) {
	crc := checksum.Find("CRC32C")
	for seed, tc := range map[string]struct {
		chunks *exchange.Chunks
		want   string
	}{
		"4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9": {
			&exchange.Chunks{Signed: true},
			"10000;chunk-signature=ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648\r\n...\r\n" +
				"400;chunk-signature=0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497\r\n...\r\n" +
				"0;chunk-signature=b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9\r\n\r\n",
		},
		"106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e": {
			&exchange.Chunks{Signed: true, Trailer: crc.Header, Sum: crc.New()},
			"10000;chunk-signature=b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2\r\n...\r\n" +
				"400;chunk-signature=1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7\r\n...\r\n" +
				"0;chunk-signature=2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992\r\n" +
				"x-amz-checksum-crc32c:sOO8/Q==\r\n" +
				"x-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n\r\n",
		},
	} {
		tc.chunks.Reset(strings.NewReader(strings.Repeat("a", 66560)), 66560, nil)
		sign(t, tc.chunks, seed)
		got := readChunks(t, tc.chunks)
		for _, run := range []int{65536, 1024} {
			got = strings.Replace(got, strings.Repeat("a", run)+"\r\n", "...\r\n", 1)
		}
		if got != tc.want {
			t.Errorf("got\n%s\nwant\n%s", got, tc.want)
		}
	}
}

// plainSHA256 is the hash that the SDK's signer wants.
type plainSHA256 struct{ hash.Hash }

func (plainSHA256) Close() {}

// TestChunksLikeSDK compares the encoding with that of the SDK, which writes one line feed too many behind a trailer.
func TestChunksLikeSDK(t *testing.T) {
	for _, algorithm := range append(checksum.Names(), "") {
		for _, size := range []int64{1, 15, 16, 65535, 65536, 65537, 3 << 16, 300_001} {
			content := make([]byte, size)
			for i := range content {
				content[i] = byte(rand.Uint32())
			}
			req, err := http.NewRequest(http.MethodPut, "http://h/b/k", io.NopCloser(bytes.NewReader(content)))
			if err != nil {
				t.Fatal(err)
			}
			c := &exchange.Chunks{Signed: true}
			if a := checksum.Find(algorithm); a != nil {
				h := a.New()
				c.Trailer, c.Sum = a.Header, h
				h.Write(content)
				req.Trailer = http.Header{http.CanonicalHeaderKey(a.Header): {base64.StdEncoding.EncodeToString(h.Sum(nil))}}
			}
			req = sdk.StreamingSignV4(req, publishedKeys.Access, publishedKeys.Secret, "", "us-east-1", size, publishedDate, plainSHA256{sha256.New()})
			_, seed, _ := strings.Cut(req.Header.Get("Authorization"), "Signature=")
			body, err := io.ReadAll(req.Body)
			if err != nil {
				t.Fatal(err)
			}
			c.Reset(bytes.NewReader(content), size, nil)
			sign(t, c, seed)
			want := strings.Replace(string(body), "\n\r\nx-amz-trailer", "\r\nx-amz-trailer", 1)
			if got := readChunks(t, c); got != want {
				t.Errorf("%s, %d bytes: ends in %q, want %q", algorithm, size, got[max(0, len(got)-300):], want[max(0, len(want)-300):])
			}
		}
	}
}

// TestChunksReadAgain: the system may not take all that was read, so that a part is read again, or all of it for another try.
func TestChunksReadAgain(t *testing.T) {
	const size = 200_000
	content := make([]byte, size)
	for i := range content {
		content[i] = byte(i * 7 / 5)
	}
	a := checksum.Find("CRC64NVME")
	for _, signed := range []bool{false, true} {
		c := &exchange.Chunks{Signed: signed, Trailer: a.Header, Sum: a.New()}
		seed := strings.Repeat("0", exchange.SignatureLength)
		c.Reset(bytes.NewReader(content), size, nil)
		sign(t, c, seed)
		want := readChunks(t, c)
		r := rand.New(rand.NewPCG(1, 2))
		for try := range 20 {
			if try%2 == 0 {
				c.Reset(bytes.NewReader(content), size, nil)
			}
			sign(t, c, seed)
			got := make([]byte, c.Len())
			for read := 0; read < len(got); {
				from := max(0, read-r.IntN(1<<17)*r.IntN(2))
				to := min(len(got), read+1+r.IntN(1<<r.IntN(18)))
				if n, err := c.ReadAt(got[from:to], int64(from)); n != to-from || err != nil {
					t.Fatal(n, err)
				}
				read = to
			}
			if string(got) != want {
				t.Errorf("signed %v, try %d: another body", signed, try)
			}
		}
		c.Reset(bytes.NewReader(content), size, nil)
		sign(t, c, seed)
		if _, err := c.ReadAt(make([]byte, 10), c.Len()-10); err == nil {
			t.Errorf("signed %v: the end was read before the rest", signed)
		}
		c.Reset(bytes.NewReader(content[:size/2]), size, nil)
		sign(t, c, seed)
		if _, err := io.ReadAll(io.NewSectionReader(c, 0, c.Len())); err != io.ErrUnexpectedEOF {
			t.Errorf("signed %v: a body that is too short: %v", signed, err)
		}
	}
}
