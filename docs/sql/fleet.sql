-- The queries of docs/tables.md: plain SQL for SQLite, DuckDB and ClickHouse.

-- view
CREATE VIEW fleet_profiles AS
SELECT label, profile, event, max(event_weight * 1e0) AS total, max(effective_samples * 1e0) AS effective
FROM samples WHERE event_weight > 0
GROUP BY label, profile, event;

-- view
CREATE VIEW fleet_functions AS
SELECT label, profile, event, function, module, sum(weight * 1e0) AS spent, max(event_weight * 1e0) AS total
FROM samples WHERE event_weight > 0
GROUP BY label, profile, event, function, module;

-- query twice: Profiles that were imported twice.
SELECT profile, event, sum(weight * 1e0) AS imported, max(event_weight * 1e0) AS measured
FROM samples GROUP BY profile, event
HAVING sum(weight * 1e0) > 1.5e0 * max(event_weight * 1e0)
ORDER BY profile, event;

-- query slower: Functions that got slower between two releases: docs/tables.md explains the error.
SELECT function, module, profiles_a, profiles_b, share_a, share_b, change,
       change - 1.96e0 * error AS change_low, change + 1.96e0 * error AS change_high, score
FROM (
  SELECT function, module, profiles_a, profiles_b, share_a, share_b, change, error,
         (change / error) * (1e0 - 1e0 / (4e0 * freedom))
           / sqrt(1e0 + (change / error) * (change / error) / (2e0 * freedom)) AS score
  FROM (
    SELECT function, module, profiles_a, profiles_b, share_a, share_b, share_b - share_a AS change,
           sqrt((CASE WHEN between_a > sampling_a THEN between_a ELSE sampling_a END)
              + (CASE WHEN between_b > sampling_b THEN between_b ELSE sampling_b END)) AS error,
           (CASE WHEN profiles_a < profiles_b THEN profiles_a ELSE profiles_b END) - 1e0 AS freedom
    FROM (
      SELECT function, module, profiles_a, profiles_b, share_a, share_b,
             profiles_a / (profiles_a - 1e0)
               * (square_a - 2e0 * share_a * product_a + share_a * share_a * squares_a) / (total_a * total_a) AS between_a,
             profiles_b / (profiles_b - 1e0)
               * (square_b - 2e0 * share_b * product_b + share_b * share_b * squares_b) / (total_b * total_b) AS between_b,
             (share_a * n_a + 2e0) / (n_a + 4e0) * (1e0 - (share_a * n_a + 2e0) / (n_a + 4e0)) / (n_a + 4e0) AS sampling_a,
             (share_b * n_b + 2e0) / (n_b + 4e0) * (1e0 - (share_b * n_b + 2e0) / (n_b + 4e0)) / (n_b + 4e0) AS sampling_b
      FROM (
        SELECT function, module, profiles_a, profiles_b, total_a, total_b, squares_a, squares_b, square_a, square_b,
               product_a, product_b, spent_a / total_a AS share_a, spent_b / total_b AS share_b,
               total_a * total_a / inverse_a AS n_a, total_b * total_b / inverse_b AS n_b
        FROM (
          SELECT function, module,
                 sum(CASE WHEN label = '1.0' THEN spent ELSE 0e0 END) AS spent_a,
                 sum(CASE WHEN label = '1.0' THEN spent * spent ELSE 0e0 END) AS square_a,
                 sum(CASE WHEN label = '1.0' THEN spent * total ELSE 0e0 END) AS product_a,
                 sum(CASE WHEN label = '1.1' THEN spent ELSE 0e0 END) AS spent_b,
                 sum(CASE WHEN label = '1.1' THEN spent * spent ELSE 0e0 END) AS square_b,
                 sum(CASE WHEN label = '1.1' THEN spent * total ELSE 0e0 END) AS product_b
          FROM fleet_functions WHERE event = 'task-clock:u' AND label IN ('1.0', '1.1')
          GROUP BY function, module) AS functions
        CROSS JOIN (
          SELECT sum(CASE WHEN label = '1.0' THEN 1e0 ELSE 0e0 END) AS profiles_a,
                 sum(CASE WHEN label = '1.0' THEN total ELSE 0e0 END) AS total_a,
                 sum(CASE WHEN label = '1.0' THEN total * total ELSE 0e0 END) AS squares_a,
                 sum(CASE WHEN label = '1.0' THEN total * total / effective ELSE 0e0 END) AS inverse_a,
                 sum(CASE WHEN label = '1.1' THEN 1e0 ELSE 0e0 END) AS profiles_b,
                 sum(CASE WHEN label = '1.1' THEN total ELSE 0e0 END) AS total_b,
                 sum(CASE WHEN label = '1.1' THEN total * total ELSE 0e0 END) AS squares_b,
                 sum(CASE WHEN label = '1.1' THEN total * total / effective ELSE 0e0 END) AS inverse_b
          FROM fleet_profiles WHERE event = 'task-clock:u' AND label IN ('1.0', '1.1')) AS releases
        WHERE profiles_a > 1 AND profiles_b > 1) AS shares) AS variances) AS changes) AS scores
WHERE score > 4
ORDER BY score DESC;

-- query hottest: The hottest functions of a release.
SELECT function, module, share, share - 1.96e0 * sqrt(share * (1e0 - share) / n) AS share_low,
       share + 1.96e0 * sqrt(share * (1e0 - share) / n) AS share_high, in_profiles
FROM (
  SELECT function, module, in_profiles, spent_all / total_all AS share, total_all * total_all / inverse AS n
  FROM (
    SELECT function, module, sum(spent) AS spent_all, count(*) AS in_profiles
    FROM fleet_functions WHERE event = 'task-clock:u' AND label = '1.1'
    GROUP BY function, module) AS functions
  CROSS JOIN (
    SELECT sum(total) AS total_all, sum(total * total / effective) AS inverse
    FROM fleet_profiles WHERE event = 'task-clock:u' AND label = '1.1') AS release) AS shares
ORDER BY share DESC
LIMIT 20;

-- query lines: Where in a function.
SELECT file, line, label, sum(weight * 1e0) AS spent, sum(samples) AS hits
FROM samples WHERE event = 'task-clock:u' AND function = 'Parse' AND label IN ('1.0', '1.1')
GROUP BY file, line, label
ORDER BY file, line, label;

-- query hosts: Hosts on which a function costs more: its distance from the fleet's share in standard errors of sampling.
SELECT host, share_here, share_fleet, (share_here - share_fleet) / sqrt(share_fleet * (1e0 - share_fleet) / n) AS distance
FROM (
  SELECT host, spent_here / total_here AS share_here, spent_all / total_all AS share_fleet,
         n_all * total_here / total_all AS n
  FROM (
    SELECT host, sum(CASE WHEN function = 'Parse' THEN weight * 1e0 ELSE 0e0 END) AS spent_here,
           sum(weight * 1e0) AS total_here
    FROM samples WHERE event = 'task-clock:u' AND label = '1.1'
    GROUP BY host) AS hosts
  CROSS JOIN (
    SELECT spent_all, total_all, n_all FROM (
      SELECT sum(CASE WHEN function = 'Parse' THEN weight * 1e0 ELSE 0e0 END) AS spent_all
      FROM samples WHERE event = 'task-clock:u' AND label = '1.1') AS one
    CROSS JOIN (
      SELECT sum(total) AS total_all, sum(total) * sum(total) / sum(total * total / effective) AS n_all
      FROM fleet_profiles WHERE event = 'task-clock:u' AND label = '1.1') AS all_profiles) AS fleet) AS distances
WHERE share_fleet > 0 AND share_fleet < 1
ORDER BY distance DESC;

-- query builds: Builds of a module in the fleet.
SELECT module, build_id, count(DISTINCT host) AS hosts, count(DISTINCT profile) AS profiles, sum(weight * 1e-9) AS cpu
FROM samples WHERE unit = 'ns'
GROUP BY module, build_id
ORDER BY cpu DESC;

-- query days: A function's share by day.
SELECT day, sum(spent_here) / sum(spent_all) AS share_of_day
FROM (
  SELECT substr(start_time, 1, 10) AS day, sum(CASE WHEN function = 'Parse' THEN weight * 1e0 ELSE 0e0 END) AS spent_here,
         sum(weight * 1e0) AS spent_all
  FROM samples WHERE event = 'task-clock:u'
  GROUP BY start_time) AS starts
GROUP BY day
ORDER BY day;

-- query trust: Profiles that cannot be trusted.
SELECT profile, label, command, verdict, max(missing) AS most_missing
FROM samples WHERE verdict <> 'good' OR missing > 0.01
GROUP BY profile, label, command, verdict
ORDER BY profile;
