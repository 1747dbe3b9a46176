#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "symbolizer/commands/bench/comparison.h"
#include "symbolizer/commands/launch/child.h"
#include "symbolizer/commands/launch/child_counter.h"

/// File: runs two commands in rounds and measures them. symbolizer/commands/bench says what the
/// rounds mean.

namespace csink::tool {

/// The number of instructions that a child of this process retires in user mode, with all its
/// descendants.
/// Owns:    an inherited perf event of this thread.
/// Threads: only the one that starts the children.
class InstructionCounter {
 public:
  /// Tries whether instructions can be counted; problem() says why not.
  InstructionCounter() { Restart(); }
  /// Opens a new event. The next child is counted, and no later one.
  void Restart();
  /// Instructions of the child, after its end. 0 if nothing is counted.
  std::uint64_t Read() const;
  /// Empty: instructions are counted.
  const std::string& problem() const { return problem_; }

 private:
  ChildCounter counter_;
  std::string problem_;
};

/// The two commands and how they are run.
struct BenchCommands {
  /// A and B: program and arguments, not empty.
  std::array<std::vector<std::string>, 2> words;
  /// stdin of every run, opened anew each time.
  std::string input = "/dev/null";
  /// Every run must write the same to stdout.
  bool check_output = false;
  /// The longest that one run may take, in seconds of wall time. 0: no limit.
  double timeout = 0;
};

/// Runs rounds of two commands.
/// Threads: one at a time; the process must have no other (RunChild).
class Rounds {
 public:
  /// `seed` decides the order of the runs.
  Rounds(BenchCommands commands, std::uint64_t seed);

  /// Runs both commands once, in random order, and stores what was measured in `round`. Returns ""
  /// or, in one line, why the round failed: a command was not found, ended by a signal or with an
  /// exit status other than 0, was killed because it took longer than the timeout, or wrote
  /// something else than the first run (check_output).
  std::string RunOne(bench::Round& round);

  /// Runs one command, A (0) or B (1), with this environment (as execve takes it). Otherwise like
  /// RunOne.
  std::string RunSide(std::size_t side, char* const* environment, bench::Run& run);

  /// The side that runs first in a round: 0 or 1 by chance, anew at each call.
  std::size_t NextFirst();
  /// The program of a side, as it was typed.
  const std::string& program(std::size_t side) const { return commands_.words[side][0]; }
  const InstructionCounter& instructions() const { return instructions_; }

 private:
  std::string CheckOutput(std::size_t side, int fd);

  BenchCommands commands_;
  InstructionCounter instructions_;
  std::uint64_t random_;
  /// Size and hash of the first run's output.
  bool has_output_ = false;
  std::uint64_t output_bytes_ = 0;
  std::uint64_t output_hash_ = 0;
};

}  // namespace csink::tool
