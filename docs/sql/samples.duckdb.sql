-- The table of docs/tables.md in DuckDB. The types are written out because a guess from the first rows fails.
CREATE VIEW samples AS SELECT * FROM read_csv('fleet/*.csv', header = true, delim = ',', quote = '"', escape = '"',
  columns = {
    'profile': 'VARCHAR', 'label': 'VARCHAR', 'command': 'VARCHAR', 'wall_seconds': 'DOUBLE', 'cpu_seconds': 'DOUBLE',
    'verdict': 'VARCHAR', 'phase': 'VARCHAR', 'host': 'VARCHAR', 'pid': 'UBIGINT', 'generation': 'UBIGINT',
    'processes': 'UBIGINT', 'rank': 'UBIGINT', 'program': 'VARCHAR', 'start_time': 'VARCHAR', 'tid': 'UBIGINT',
    'thread': 'VARCHAR', 'merged': 'UBIGINT', 'function': 'VARCHAR', 'module': 'VARCHAR', 'module_path': 'VARCHAR',
    'build_id': 'VARCHAR', 'name_source': 'VARCHAR', 'file': 'VARCHAR', 'line': 'UBIGINT', 'event': 'VARCHAR',
    'unit': 'VARCHAR', 'samples': 'UBIGINT', 'weight': 'UBIGINT', 'weight_low': 'DOUBLE', 'weight_high': 'DOUBLE',
    'share': 'DOUBLE', 'share_low': 'DOUBLE', 'share_high': 'DOUBLE', 'event_samples': 'UBIGINT',
    'event_weight': 'UBIGINT', 'effective_samples': 'DOUBLE', 'missing': 'DOUBLE'});
