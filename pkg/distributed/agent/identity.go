package agent

import (
	"net/netip"

	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
	"warp/pkg/recording"
	"warp/pkg/runinfo"
)

// identity is which client this is.
type identity struct {
	host   string
	listen netip.AddrPort
}

// header returns the header of a recording: the coordinator's description of the run, and which client this is.
func (i identity) header(st *protocol.Start, end *runinfo.Clock, corrected bool) (recording.Header, error) {
	config, err := runinfo.OfClient(st.Config, st.Plan, &runinfo.Client{
		ID:        st.ID,
		Host:      i.host,
		Listen:    i.listen.String(),
		Source:    st.Plan.Target.LocalAddr,
		Index:     st.Share.Index,
		Total:     st.Share.Total,
		Offset:    st.Clock.Offset,
		RTT:       st.Clock.RTT,
		End:       end,
		Corrected: corrected,
	})
	return recording.Header{
		Config:      config,
		CommandLine: st.CommandLine,
		Buckets:     st.Plan.Target.Buckets > 1,
		Copies:      bench.Copies(st.Plan),
	}, err
}
