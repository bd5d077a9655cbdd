package bench

import (
	"context"
	"fmt"

	"warp/pkg/generator"
	"warp/pkg/s3/ops"
)

// removeDirectories removes the empty directories of a data set, where the store keeps them. Those that others may use too stay.
func (rm *remover) removeDirectories(ctx context.Context, keys generator.Keys) {
	if rm.show != nil {
		return
	}
	for _, dir := range keys.OwnDirs() {
		if ctx.Err() != nil {
			return
		}
		err := rm.retry(ctx, func() (bool, error) { return false, ops.RemoveDirectories(ctx, rm.sessions[0], dir) })
		if err != nil {
			rm.add(&rm.kept.listings, 1, fmt.Errorf("remove empty directories below %q: %w", dir, err))
		}
	}
}

// remark tells o what deletions have shown of the store.
func (rm *remover) remark(o Observer) {
	if rm.show != nil {
		return
	}
	for _, text := range ops.Remarks(rm.sessions[0]) {
		o.Notice("Clean-up: " + text + ".")
	}
}
