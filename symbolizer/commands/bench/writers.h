#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "symbolizer/commands/bench/comparison.h"
#include "symbolizer/report/data/comparison.h"
#include "symbolizer/report/text/table.h"

/// File: the result of a measurement as text, as JSON and as Markdown. The three have the same
/// numbers.

namespace csink::bench {

/// Everything that is shown.
struct Result {
  std::string a;  ///< The commands, as typed
  std::string b;
  Question question;
  Outcome outcome;
  std::size_t most_rounds = 0;
  /// Why the measurement ended early, in one line. Empty: it did not.
  std::string failure;
  /// Load average of the last minute and number of processors, for the advice on noise.
  double load = 0;
  std::size_t processors = 1;
  /// Why instructions were not counted. Empty: they were.
  std::string no_instructions;
  /// All rounds that were measured, for JSON.
  std::vector<Round> rounds;
  /// The functions of profiled runs, with A as the later side. nullopt: not compared.
  std::optional<report::Comparison> functions;
  /// Why functions could not be compared, in one line. Empty: they were, or nobody asked.
  std::string no_functions;
};

/// One sentence: the verdict with ratio and interval, and what to do if the machine is too noisy.
std::string VerdictText(const Result& result);

/// Each ends in a newline. Bytes of the commands that are not printable are replaced.
std::string WriteText(const Result& result, const report::TextStyle& style);
std::string WriteMarkdown(const Result& result);
/// docs/ci.md has the keys.
std::string WriteJson(const Result& result);

}  // namespace csink::bench
