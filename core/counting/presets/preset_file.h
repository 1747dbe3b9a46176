#pragma once

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/counting/presets/complaint_list.h"
#include "core/counting/presets/csv_line.h"
#include "core/counting/presets/preset_definition.h"
#include "core/counting/presets/preset_statement.h"

/// File: reads PAPI's event files (man page PAPI_derived_event_files of PAPI 7.0):
///
///   # comment                                     blank lines are skipped, too
///   CPU,<pmu>                                     several CPU lines in a row form a list
///   PRESET,<name>,<derivation>[,<formula>],<event>...[,LDESC,<text>][,SDESC,<text>][,NOTE,<text>]
///   EVENT,...                                     the same as PRESET
///
/// A CPU line after a PRESET or EVENT line begins a new section. Commands, derivations and keywords
/// are accepted in any case, as are the names of PMUs. Extensions to PAPI's format: commas within
/// quotes are text, a doubled quote stands for one quote, `CPU,a,b` names two PMUs, and `CPU,*` as
/// well as lines before the first CPU line apply to any machine.

namespace csink {

/// Reads one file statement by statement, skipping sections for other machines. Lines of skipped
/// sections are looked at for their command only.
/// Owns:    the current line's values. The text, the PMUs and the complaints must outlive it; a
/// statement points into the text and the reader.
/// Threads: one at a time. Signals: not safe (heap).
class PresetFileReader {
 public:
  /// `file_name` begins the complaints. `present`: the PMUs of this machine; statements refer to
  /// them by position.
  PresetFileReader(std::string_view file_name, std::string_view text,
                   std::span<const PresentPmu> present, ComplaintList& complaints);

  /// Stores the next valid statement for this machine, checked by CheckStatement; it is valid until
  /// the next call. Returns false at the end of the file. Mistakes in lines before the statement
  /// are added to the complaints.
  bool Next(PresetStatement& statement);

  /// The PMUs (indices in `present`, ascending) to which the last statement's section applies: the
  /// core PMUs that it names, or if it names none of those present, the others. A section for any
  /// machine applies to all core PMUs. Empty: such a section on a machine without a core PMU.
  const std::vector<std::size_t>& pmus() const noexcept { return pmus_; }

  /// The position in its line of a text of the last statement, in bytes from 1; 0: not found.
  /// Compares addresses, so the text must be the statement's own.
  int ColumnOf(std::string_view text) const noexcept;
  /// The number of malformed lines. A line of a skipped section is malformed only if its bytes are
  /// no text or its command is unknown.
  std::size_t malformed() const noexcept { return malformed_; }

 private:
  enum class Command : unsigned char { kNone, kCpu, kDefinition };
  /// The kind of a line by its first word; kNone: unknown, with a complaint.
  Command CommandOf(std::string_view line);
  /// Adds the line's PMUs to the list of the section, or begins a new list.
  void ReadCpu(std::string_view line);
  /// Adds the PMU if this machine has it. "*" stands for any machine.
  void AddPmu(std::string_view name);
  /// Whether the section applies to this machine.
  bool SectionIsOurs() noexcept;
  /// Fills in the statement from a line. Returns false if the line is malformed, with a complaint.
  bool ReadDefinition(std::string_view line, PresetStatement& statement);
  /// Reads LDESC, SDESC and NOTE from value `at` on.
  bool ReadKeywords(std::size_t at, PresetStatement& statement);
  /// Add a complaint about the current line and return false.
  bool Complain(std::string_view sentence, int column);
  bool Complain(std::string_view sentence, const char* at);

  std::string_view file_name_;
  TextLines lines_;
  std::span<const PresentPmu> present_;
  ComplaintList& complaints_;
  std::vector<CsvField> fields_;
  std::deque<std::string> unescaped_;
  std::vector<std::size_t> pmus_;
  bool list_is_open_ = false;  ///< The previous command was CPU
  bool for_any_ = true;        ///< Before the first CPU line, or after "*"
  bool resolved_ = false;      ///< pmus_ was reduced to the PMUs that the section applies to
  std::size_t malformed_ = 0;
  const char* line_ = nullptr;  ///< Start of the current line
};

}  // namespace csink
