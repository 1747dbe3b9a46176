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
      lines: {file: [0], line: [3], name: [1], module: [0]},
      threads: {process: [0, 1], tid: [7, 8], merged: [0, 0], name: ['main', 'worker'], start_routine: ['', 'run'],
        cpu_ns: [6e6, 4e6], sampled_ns: [6e6, 4e6], lost_records: [0, 0], samples: [[6], [4]], weight: [[6e6], [4e6]]},
      times: {begin: [0, 1], end: [2, 2]},
      phases: {name: ['', 'solve'], marks: [0, 1], cpu_ns: [5e6, 5e6]},
      frames: {name: [2, 1, 0], module: ['app', 'app', 'lib.so'], folded: 0},
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
