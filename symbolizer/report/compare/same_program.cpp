#include "symbolizer/report/compare/same_program.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>

namespace csink::report {
namespace {

using Names = std::set<std::string>;

/// The programs that ran in any of these runs, without unknown ones.
Names ProgramsOf(const std::vector<Baseline>& runs) {
  Names names;
  for (const Baseline& run : runs) names.insert(run.programs.begin(), run.programs.end());
  names.erase("");
  return names;
}

/// The main program of all these runs. Empty if it differs between them, or is unknown.
std::string MainOf(const std::vector<Baseline>& runs) {
  std::string main;
  for (const Baseline& run : runs) {
    const std::string own = run.programs.empty() ? "" : run.programs[0];
    if (own.empty() || (!main.empty() && own != main)) return "";
    main = own;
  }
  return main;
}

/// The names that only the first set has.
Names Without(const Names& names, const Names& others) {
  Names rest;
  std::set_difference(names.begin(), names.end(), others.begin(), others.end(),
                      std::inserter(rest, rest.end()));
  return rest;
}

}  // namespace

std::vector<ProgramMatch> MatchPrograms(const std::vector<Baseline>& now,
                                        const std::vector<Baseline>& then) {
  const Names programs = ProgramsOf(now);
  const Names were = ProgramsOf(then);
  Names fresh = Without(programs, were);
  Names gone = Without(were, programs);
  std::vector<ProgramMatch> matches;
  const std::string main = MainOf(now);
  const std::string was_main = MainOf(then);
  // The main programs are one program only if neither ran on the other side. A program that ran on
  // both sides kept its name.
  if (fresh.count(main) != 0 && gone.count(was_main) != 0) {
    matches.push_back({was_main, main});
    fresh.erase(main);
    gone.erase(was_main);
  }
  if (fresh.size() == 1 && gone.size() == 1) matches.push_back({*gone.begin(), *fresh.begin()});
  return matches;
}

}  // namespace csink::report
