//go:build !noembed

package embedded

// SideCar gives options with which metadata is kept in files, as on systems without extended attributes.
func SideCar() Options { return Options{sidecar: true} }

// WithSideCar keeps metadata in files or not.
func (o Options) WithSideCar(on bool) Options { o.sidecar = on; return o }

// Pid is the process id of the child.
func (s *Server) Pid() int { return s.cmd.Process.Pid }

// Claim and Abandoned are how a server's directory is locked.
var (
	Claim     = claim
	Abandoned = abandoned
)
