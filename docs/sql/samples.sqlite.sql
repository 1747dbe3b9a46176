-- The table of docs/tables.md in SQLite.
CREATE TABLE samples (
  profile TEXT, label TEXT, command TEXT, wall_seconds REAL, cpu_seconds REAL, verdict TEXT, phase TEXT,
  host TEXT, pid INTEGER, generation INTEGER, processes INTEGER, rank INTEGER, program TEXT, start_time TEXT,
  tid INTEGER, thread TEXT, merged INTEGER,
  function TEXT, module TEXT, module_path TEXT, build_id TEXT, name_source TEXT, file TEXT, line INTEGER,
  event TEXT, unit TEXT, samples INTEGER, weight INTEGER, weight_low REAL, weight_high REAL,
  share REAL, share_low REAL, share_high REAL,
  event_samples INTEGER, event_weight INTEGER, effective_samples REAL, missing REAL);
