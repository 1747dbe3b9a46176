-- The table of docs/tables.md in ClickHouse.
CREATE TABLE samples (
  profile String, label Nullable(String), command String, wall_seconds Float64, cpu_seconds Float64, verdict String,
  phase Nullable(String), host Nullable(String), pid Nullable(UInt64), generation Nullable(UInt64), processes UInt64,
  rank Nullable(UInt64), program Nullable(String), start_time Nullable(String), tid Nullable(UInt64),
  thread Nullable(String), merged UInt64, function String, module String, module_path Nullable(String),
  build_id Nullable(String), name_source String, file Nullable(String), line Nullable(UInt64), event String, unit String,
  samples UInt64, weight UInt64, weight_low Nullable(Float64), weight_high Nullable(Float64), share Float64,
  share_low Float64, share_high Float64, event_samples UInt64, event_weight UInt64, effective_samples Float64,
  missing Float64)
ENGINE = MergeTree() ORDER BY (event, function, profile);
