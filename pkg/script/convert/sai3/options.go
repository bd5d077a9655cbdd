package sai3

import "warp/pkg/script/convert/draft"

// options lists the keys, and what became of them. The last rows change nothing that is measured.
var options = draft.Rows([][3]string{
	{"target", "", "`hosts`, `bucket` and `store` of the target, and the first part of names: s3://, gs:// or az://ACCOUNT/CONTAINER/"},
	{"multi_endpoint.strategy", "round_robin", "`host-select` of the target: roundrobin, or weighed for least_connections"},
	{"multi_endpoint.endpoints", "", "`hosts` of the target"},
	{"duration", "60s", "`until: {time: ...}`"},
	{"concurrency", "16", "`load`: threads"},
	{"warmup_period", "0s", "`warmup`"},
	{"io_rate.iops", "", "`rate`, with as many operations at a time as concurrency"},
	{"io_rate.distribution", "exponential", "`arrivals`: poisson for exponential, else even"},
	{"error_handling.max_errors", "100", "`expect`: errors, which ends the run; only where it is written"},
	{"workload.op", "", "`get`, `put`, `list`, `stat` or `delete`; others are refused"},
	{"workload.weight", "", "`weight`"},
	{"workload.path", "", "the data set of prepare, or one with `existing: true`; of put: the first part of `keys`"},
	{"workload.concurrency", "", "a phase of its own, in parallel"},
	{"workload.object_size", "", "`size` of the data set"},
	{"workload.size_spec, workload.size_distribution", "", "`size` of the data set: one, uniform(...) or lognormal(...)"},
	{"workload.dedup_factor", "1", "`content: {duplicate: ...}`"},
	{"workload.compress_factor", "1", "`content: {compressible: ...}`"},
	{"workload.fill", "", "zero: `content: zero`; random and prand: random"},
	{"prepare.ensure_objects", "", "data sets and `prepare` steps; all objects are uploaded"},
	{"ensure_objects.base_uri", "", "first part of `keys`"},
	{"ensure_objects.count", "", "`objects` of the data set"},
	{"ensure_objects.min_size, ensure_objects.max_size", "1048576", "`size` of the data set"},
	{"ensure_objects.size_spec, ensure_objects.size_distribution", "", "as of workload"},
	{"ensure_objects.dedup_factor, ensure_objects.compress_factor, ensure_objects.fill", "", "as of workload"},
	{"ensure_objects.key_prefix_shards, prepare.key_prefix_shards", "0", "`keys` with as many directories, drawn by the seed"},
	{"prepare.directory_structure", "", "a data set whose `keys` have directories, with a comment"},
	{"prepare.cleanup", "false", "without it `keep` of data sets"},
	{"prepare.post_prepare_delay", "0", "`wait`"},
	{"distributed.agents", "", "a comment: --warp-client"},
	{"distributed.stages", "", "phases by order: execute, prepare and cleanup; custom: `exec`"},
	{"range_engine", "", "`part.size` of get"},
	{"s3dlio_optimization", "", "enable_range_downloads: `part.size` of get"},

	{"prepare.cleanup_only", "", "refused: warp clean deletes what a run kept"},
	{"op_log_path, perf_log, prepare.prepare_strategy", "", "nothing"},
	{"prepare.skip_verification, prepare.cleanup_mode, prepare.force_overwrite", "", "nothing"},
	{"page_cache_mode, processes, processing_mode", "", "nothing"},
	{"cache_checkpoint_interval_secs, enable_metadata_cache, live_stats_tracker", "", "nothing"},
	{"distributed.ssh, distributed.deployment", "", "nothing"},
	{"distributed.barrier_sync, distributed.start_delay, distributed.tree_creation_mode", "", "nothing"},
	{"distributed.path_selection, distributed.path_template, distributed.shared_filesystem, distributed.partition_overlap", "", "nothing"},
	{"distributed.grpc_*, distributed.kv_cache_dir", "", "nothing"},
	{"ensure_objects.use_multi_endpoint, workload.use_multi_endpoint, error_handling.*", "", "nothing"},
})

// commandOptions lists the options of `sai3-bench run`, and whether they have a value.
var commandOptions = map[string]bool{
	"config": true, "dry-run": false, "prepare-only": false, "skip-prepare": false, "verify": false, "no-cleanup": false,
	"cleanup-only": false, "tsv-name": true, "results-dir": true, "op-log": true, "v": false, "vv": false, "verbose": false,
	"skip-verification": false,
}
