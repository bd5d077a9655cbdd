package connect

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"warp/internal/option"
	"warp/pkg/s3"
)

// adminPath is where MinIO's admin API stands; other servers have none.
const adminPath = "minio/admin/v3"

// ProfileKinds are the profiles that MinIO can make of its servers.
var ProfileKinds = []string{"cpu", "cpuio", "mem", "block", "mutex", "trace", "threads", "goroutines"}

// CheckProfiles is an error unless kinds are profiles that MinIO makes, separated by commas: cpu, cpuio, mem, block, mutex, trace, threads
// or goroutines.
func CheckProfiles(kinds string) error {
	for kind := range strings.SplitSeq(kinds, ",") {
		if err := option.OneOf("serverprof", kind, ProfileKinds...); err != nil {
			return err
		}
	}
	return nil
}

// Profiler makes profiles of a MinIO cluster through its first host. The keys must be an administrator's.
type Profiler struct{ store *store }

// NewProfiler makes a Profiler; it sends nothing yet.
func NewProfiler(cfg s3.Config) (*Profiler, error) {
	if cfg.Signature == "S3V2" || cfg.Anonymous() {
		return nil, errors.New("server profiles need access key, secret key and signature S3V4")
	}
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg.SetBucket("")
	cfg.Hosts, cfg.Lookup, cfg.Engine = cfg.Hosts[:1], "path", "auto"
	s, err := newStore(cfg)
	return &Profiler{s}, err
}

// StartProfile starts profiles on all servers of the cluster; see CheckProfiles.
func (p *Profiler) StartProfile(ctx context.Context, kinds string) error {
	if err := CheckProfiles(kinds); err != nil {
		return err
	}
	var nodes []struct {
		Node    string `json:"nodeName"`
		Success bool   `json:"success"`
		Error   string `json:"error"`
	}
	c := &s3.Call{Key: adminPath + "/profiling/start"}
	c.Begin(http.MethodPost, s3.NoAccess)
	c.Query = append(c.Query, s3.Param{Name: "profilerType", Value: kinds})
	c.Parse = func(r io.Reader) error {
		if err := json.NewDecoder(io.LimitReader(r, 1<<20)).Decode(&nodes); err != nil {
			return fmt.Errorf("response: %w", s3.Classify(err))
		}
		return nil
	}
	if err := p.send(ctx, c); err != nil {
		return fmt.Errorf("start of server profiles (a MinIO server and its administrator's keys are needed): %w", err)
	}
	for _, n := range nodes {
		if !n.Success {
			return fmt.Errorf("start of server profiles: node %s: %s", s3.OneLine(n.Node), s3.OneLine(n.Error))
		}
	}
	return nil
}

// StopProfile ends the profiles and writes them to w, as a zip archive with a file for each server and kind.
func (p *Profiler) StopProfile(ctx context.Context, w io.Writer) error {
	c := &s3.Call{Key: adminPath + "/profiling/download", Size: -1, Into: w}
	c.Begin(http.MethodGet, s3.NoAccess)
	if err := p.send(ctx, c); err != nil {
		return fmt.Errorf("download of server profiles: %w", err)
	}
	return nil
}

// Close closes connections.
func (p *Profiler) Close() { p.store.Close() }

// send sends a request without a body. MinIO wants the hash of that to be signed.
func (p *Profiler) send(ctx context.Context, c *s3.Call) error {
	empty := sha256.Sum256(nil)
	c.Payload = hex.EncodeToString(empty[:])
	if err := p.store.Session(0).Do(ctx, c); err != nil {
		return fmt.Errorf("%s: %w", p.store.endpoints[0].URL, err)
	}
	return nil
}
