#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "symbolizer/report/annotate/annotation.h"
#include "symbolizer/report/causes/instruction.h"
#include "symbolizer/report/tables/report.h"

/// File: the code of one side's functions, with the time that stands on each class of instructions.

namespace csink::report {

/// A function with its code. Times are seconds of a run, on average.
struct CodeFacts {
  std::string function;  ///< As in reports, without marks of clones
  std::string module;
  double seconds = 0;
  /// Of instructions of each class (by bit), or directly behind a slow one.
  std::array<double, kInstructionClasses> class_seconds{};
  std::array<std::size_t, kInstructionClasses> class_count{};
  std::size_t instructions = 0;
  std::size_t sampled_instructions = 0;
  unsigned vector_bytes = 0;            ///< Of the widest sampled packed instruction
  unsigned lane_bytes = 0;              ///< The smallest lane of its computations; 0: none
  std::vector<std::string> texts;       ///< WithoutAddresses, in the order of the addresses
  std::set<std::string> targets;        ///< Functions that it calls or jumps to
  std::set<std::string> inlined;        ///< Plain names of functions that were inlined into it
  std::map<std::string, double> lines;  ///< Time by the text of the source line
  std::string source;                   ///< Its own file as recorded; empty: not known

  double SecondsOf(InstructionClasses one) const;
  std::size_t CountOf(InstructionClasses one) const;
};

/// What is known of one side's code.
struct CodeSide {
  /// Function, without marks of clones (WithoutCloneSuffix), and module.
  using Key = std::pair<std::string, std::string>;
  std::map<Key, CodeFacts> functions;
  /// Compilers with their options, by module and by the base name of the source file.
  std::map<Key, std::string> producers;
  std::map<std::string, std::string> builds;  ///< Build-id by module, of all with samples
  /// Direct callers by samples, of each function: names without modules
  std::map<Key, std::set<std::string>> callers;
  std::vector<std::string> missing;  ///< "app: no file"; each once
  bool other_machine = false;        ///< Code that is not x86-64: its classes are not known
};

/// Reads the code of the functions `wanted` (keys as in reports). `report` is the sum of `runs`
/// runs and was built with BuildOptions::keep_addresses.
CodeSide ReadCode(const Report& report, const std::set<CodeSide::Key>& wanted, std::size_t runs,
                  const Resolver& resolve, const annotate::Settings& settings);

}  // namespace csink::report
