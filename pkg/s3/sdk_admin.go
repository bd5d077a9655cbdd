package s3

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// adminPath is where MinIO's admin API stands; other servers have none.
const adminPath = "/minio/admin/v3"

// ProfileKinds are the profiles that MinIO can make of its servers.
var ProfileKinds = []string{"cpu", "mem", "block", "mutex", "trace"}

// Profiler makes profiles of a MinIO cluster through its first host. The keys must be an administrator's.
type Profiler struct {
	host *sdkHost
	done func()
}

// NewProfiler makes a Profiler; it sends nothing yet.
func NewProfiler(cfg Config) (*Profiler, error) {
	if cfg.Signature == "S3V2" || cfg.anonymous() {
		return nil, errors.New("server profiles need access key, secret key and signature S3V4")
	}
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	cfg.Hosts = cfg.Hosts[:1]
	s, err := newSDK(cfg)
	if err != nil {
		return nil, err
	}
	return &Profiler{host: s.hosts[0], done: s.Close}, nil
}

// StartProfile starts profiles on all servers of the cluster: one of ProfileKinds, or several with commas between.
func (p *Profiler) StartProfile(ctx context.Context, kinds string) error {
	for kind := range strings.SplitSeq(kinds, ",") {
		if err := oneOf("--serverprof", kind, ProfileKinds...); err != nil {
			return err
		}
	}
	body, err := p.send(ctx, http.MethodPost, "/profiling/start", url.Values{"profilerType": {kinds}})
	if err != nil {
		return fmt.Errorf("start of server profiles (a MinIO server and its administrator's keys are needed): %w", err)
	}
	defer func() { _ = body.Close() }()
	var nodes []struct {
		Node    string `json:"nodeName"`
		Success bool   `json:"success"`
		Error   string `json:"error"`
	}
	if err := json.NewDecoder(io.LimitReader(body, 1<<20)).Decode(&nodes); err != nil {
		return fmt.Errorf("start of server profiles: answer: %w", toError(err))
	}
	for _, n := range nodes {
		if !n.Success {
			return fmt.Errorf("start of server profiles: node %s: %s", oneLine(n.Node), oneLine(n.Error))
		}
	}
	return nil
}

// StopProfile ends the profiles and writes them to w, as a zip archive with a file for each server and kind.
func (p *Profiler) StopProfile(ctx context.Context, w io.Writer) error {
	body, err := p.send(ctx, http.MethodGet, "/profiling/download", nil)
	if err != nil {
		return fmt.Errorf("download of server profiles: %w", err)
	}
	defer func() { _ = body.Close() }()
	if _, err := io.Copy(w, body); err != nil {
		return fmt.Errorf("download of server profiles: %w", err)
	}
	return nil
}

// Close closes connections.
func (p *Profiler) Close() { p.done() }

func (p *Profiler) send(ctx context.Context, method, path string, query url.Values) (io.ReadCloser, error) {
	x, ctx := newExchange(ctx)
	req, err := http.NewRequestWithContext(ctx, method, p.host.adminURL(path, query), nil)
	if err != nil {
		return nil, err
	}
	empty := sha256.Sum256(nil)
	req.Header.Set("X-Amz-Content-Sha256", hex.EncodeToString(empty[:]))
	resp, err := p.host.wire.RoundTrip(p.host.signer.sign(req, false))
	if err := x.outcome(err); err != nil {
		return nil, fmt.Errorf("%s: %w", p.host.url, err)
	}
	return resp.Body, nil
}

func (h *sdkHost) adminURL(path string, query url.Values) string {
	u := h.url + adminPath + path
	if len(query) > 0 {
		u += "?" + query.Encode()
	}
	return u
}
