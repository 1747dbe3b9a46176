#pragma once

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/presets/complaint_list.h"
#include "core/presets/csv_line.h"
#include "core/presets/preset_definition.h"
#include "core/presets/preset_statement.h"

/// File: the format of PAPI's event files (man page PAPI_derived_event_files of 7.0):
///
///   # comment                                     blank lines are skipped, too
///   CPU,<pmu>                                     several CPU lines in a row make a list
///   PRESET,<name>,<derivation>[,<formula>],<event>...[,LDESC,<text>][,SDESC,<text>][,NOTE,<text>]
///   EVENT,...                                     the same as PRESET
///
/// A CPU line behind a PRESET or EVENT line begins a new section. Beyond PAPI: commas
/// within quotes are text, doubled quotes stand for one, `CPU,a,b` names two PMUs, `CPU,*`
/// and lines before the first CPU line apply to any machine.

namespace csink {

/// Reads one file, statement by statement, and skips the sections of other machines.
/// Borrows: the text, the PMUs and the complaints; statements point into the text and into
/// the reader. Threads: one at a time.
class PresetFileReader {
 public:
  PresetFileReader(std::string_view file_name, std::string_view text,
                   std::span<const PresentPmu> present, ComplaintList& complaints);

  /// The next good statement of this machine; false: the end. What is wrong with the lines
  /// between goes to the complaints.
  bool Next(PresetStatement& statement);

  /// The PMUs (indexes of `present`) that the last statement's section is for: the core PMUs
  /// it names, or if none of these is there the others. Empty: any machine.
  const std::vector<std::size_t>& pmus() const noexcept { return pmus_; }

  /// Definitions seen in sections of this machine, good or bad.
  std::size_t lines_for_us() const noexcept { return lines_for_us_; }
  /// Where in its line that text of the last statement begins, bytes from 1; 0: not there.
  int ColumnOf(std::string_view text) const noexcept;
  /// Lines that could not be read as such, in any section.
  std::size_t malformed() const noexcept { return malformed_; }

 private:
  enum class Command : unsigned char { kNone, kCpu, kDefinition };
  Command CommandOf(std::string_view line);
  void ReadCpu(std::string_view line);
  void AddPmu(std::string_view name);
  bool SectionIsOurs() noexcept;
  bool ReadDefinition(std::string_view line, PresetStatement& statement);
  bool ReadKeywords(std::size_t at, PresetStatement& statement);
  bool Complain(std::string_view sentence, int column);
  bool Complain(std::string_view sentence, const char* at);

  std::string_view file_name_;
  TextLines lines_;
  std::span<const PresentPmu> present_;
  ComplaintList& complaints_;
  std::vector<CsvField> fields_;
  std::deque<std::string> unescaped_;
  std::vector<std::size_t> pmus_;
  bool list_is_open_ = false;  ///< The last command was CPU
  bool for_any_ = true;        ///< Before the first CPU line, or "*" was named
  bool resolved_ = false;      ///< pmus_ was reduced to those that count
  std::size_t lines_for_us_ = 0;
  std::size_t malformed_ = 0;
  const char* line_ = nullptr;  ///< Where the present line begins
};

}  // namespace csink
