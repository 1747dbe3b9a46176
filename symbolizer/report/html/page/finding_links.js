// Where each finding is looked at: the view that has its numbers.

/** Kinds of findings (docs/report.schema.json) whose view is not that of a function. */
const VIEW_OF = {
  lock: 'waiting', wait: 'waiting', idle: 'time', 'no-processor': 'time', imbalance: 'parallel', ranks: 'parallel',
  kernel: 'threads', profiler: 'threads', 'too-short': 'functions',
};

/**
 * The change of the state that shows a finding. `views`: the ids of the views that the page has; `keyOf(name)`: the key
 * of the function with this name; "": the page has none.
 */
export function findingChange(finding, views, keyOf) {
  const key = finding.function ? keyOf(finding.function) : '';
  const wanted = VIEW_OF[finding.kind] || 'functions';
  // Waits that were not recorded are in the time of threads.
  const view = views.includes(wanted) ? wanted : wanted === 'waiting' ? 'time' : 'functions';
  // The view of waiting has functions without samples, too.
  const fn = key || (view === 'waiting' && finding.function ? ':' + finding.function : '');
  return {view, fn: view === 'functions' || view === 'waiting' || view === 'parallel' ? fn : '', sort: '', up: false, find: '', zoom: 0, callers: false};
}
