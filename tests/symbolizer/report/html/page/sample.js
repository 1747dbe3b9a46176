// A small block of data: two functions in two modules, two threads of two processes, two phases, stacks.

export function sampleBlock(change = {}) {
  const event = {
    name: 'task-clock:u', kind: 'clock', samples: 10, weight: 10e6, effective_samples: 10, scale: 1,
  };
  return {
    format: 'csink-page', version: 1,
    profiles: [{
      report: {command: 'app', events: [event], derived: [], processes: [{pid: 7, program: 'app'}, {pid: 8, program: 'child'}]},
      verdict_lines: ['good'], missing: [0], names: ['f', 'g', 'main'], files: ['/a/f.c'],
      modules: {name: ['app', 'lib.so'], path: ['/bin/app', '/lib/lib.so'], build_id: ['', '']},
      functions: {name: [1, 0], module: [0, 1], aliases: [0, 0], source: [0, 0]},
      slots: [],
      lines: {file: [0], line: [3], name: [1], module: [0]},
      threads: {process: [0, 1], tid: [7, 8], merged: [0, 0], name: ['main', 'worker'], start_routine: ['', 'run'],
        cpu_ns: [6e6, 4e6], sampled_ns: [6e6, 4e6], lost_records: [0, 0], samples: [[6], [4]], weight: [[6e6], [4e6]]},
      times: {begin: [0, 1], end: [2, 2]},
      phases: {name: ['', 'solve'], marks: [0, 1], cpu_ns: [5e6, 5e6]},
      frames: {name: [2, 1, 0], module: ['app', 'app', 'lib.so'], inlined: 3, folded: 0},
      nodes: {parent: [0, 0, 1, 2], frame: [-1, 0, 1, 2]},
      samples: {
        function: [0, 0, 1], line: [0, -1, -1], node: [2, 2, 3], thread: [0, 1, 1], phase: [0, 1, 1],
        events: [{samples: [6, 1, 3], unit: 1e6}],
      },
      folded: {rows: 0, stacks: false, functions: 0, threads: false, share: []},
      sources: [],
      ...change,
    }],
  };
}

/**
 * The small block as side B, a second one as side A, and their comparison: g grew beyond chance, f shrank but not
 * beyond chance, old is gone and had too few samples. `change` replaces members of the comparison.
 */
export function sampleComparisonBlock(change = {}) {
  const block = sampleBlock();
  const [earlier] = sampleBlock().profiles;
  earlier.report.events = [{...earlier.report.events[0], name: 'cycles:u'}, earlier.report.events[0]];
  earlier.samples.events = [earlier.samples.events[0], earlier.samples.events[0]];
  earlier.missing = [0, 0];
  block.profiles.unshift(earlier);
  const side = {command: 'app', runs: 3, effective_samples: 30, cpu_seconds: 0.01, amount: 0.01, verdict: 'good'};
  block.comparison = {
    lines: [['A', 'before'], ['test', 'Holm'], ['result', '1 grew']], event: 'task-clock:u', amount_unit: 'seconds', tested: true,
    left_out: 0, ratio: 1.1, ratio_low: 1.05, ratio_high: 1.16, cpu_p_value: 0.01, renamed: [],
    sides: [{...side, name: 'before', profile: 0, frames: [-1, 0, 1]}, {...side, name: 'after', profile: 1, frames: [-1, 0, 1]}],
    names: ['app', 'f', 'g', 'lib.so', 'old'],
    rows: {
      function: [2, 1, 4], module: [0, 3, 0], share: [0.7, 0.29, null], was: [0.4, 0.33, 0.01], change: [0.3, -0.04, -0.01],
      ratio_low: [1.5, 0.7, 0], ratio_high: [2, 1.1, null], amount: [0.007, 0.003, 0], was_amount: [0.004, 0.0033, 0.0001],
      p_value: [1e-9, 0.2, null], adjusted_p_value: [0.00001, 0.4, null], findable: [0.2, 0.3, null],
      direction: [1, 0, 0], mark: ['t', '', ''], moved: ['', '', 'inlined now'],
    },
    ...change,
  };
  return block;
}
