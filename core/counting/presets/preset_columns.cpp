#include "core/counting/presets/preset_columns.h"

#include <iterator>
#include <utility>

#include "core/counting/presets/csv_line.h"
#include "core/counting/presets/name_hash.h"
#include "core/counting/presets/standard_presets.h"

// File: the format of papi_decode: a title line, then seven columns or more. A line becomes a
// request, as PAPI_encode_events would get it, with the position of each value for complaints.

namespace csink {
namespace {

constexpr std::string_view kTitle = "name";
/// Commands of the other format (preset_file.h), for a hint to the user.
constexpr std::string_view kCommands[] = {"CPU", "PRESET", "EVENT"};

constexpr std::size_t At(PresetColumn column) noexcept { return static_cast<std::size_t>(column); }

bool IsCommentOrEmpty(std::string_view line) noexcept {
  return line.empty() || line.front() == '#';
}

/// Reads the lines of one file in this format. fields_ and unescaped_ are reused from line to line.
class ColumnsReader {
 public:
  ColumnsReader(std::string_view file_name, std::string_view text, ComplaintList& complaints)
      : file_name_(file_name), lines_(text), complaints_(complaints) {}

  std::vector<PresetColumnsLine> All() {
    std::vector<PresetColumnsLine> all;
    bool may_be_title = true;
    for (std::string_view line; lines_.Next(line);) {
      line_ = line.data();
      // Before the line is trimmed, so that the column is that of the file.
      int column = 0;
      if (const std::string_view problem = LineProblem(line, &column); !problem.empty()) {
        Complain(column, problem);
        continue;
      }
      line = TrimBlanks(line);
      if (IsCommentOrEmpty(line)) continue;
      std::string sentence;
      const char* wrong = line_;
      if (!SplitCsvLine(line, fields_, unescaped_, sentence, &wrong)) {
        Complain(ColumnOf(wrong), sentence);
        continue;
      }
      // Only the first line with values may be the title; a later event may be called "name".
      if (std::exchange(may_be_title, false) && fields_[0].text == kTitle) continue;
      // A spreadsheet ends all lines with the same number of commas.
      while (fields_.size() > 1 && fields_.back().text.empty()) fields_.pop_back();
      PresetColumnsLine next{{}, lines_.number(), {}};
      if (Fill(next)) all.push_back(std::move(next));
    }
    return all;
  }

 private:
  // Every value points into the line (CsvField::at), so its column is a difference.
  int ColumnOf(const char* at) const noexcept { return static_cast<int>(at - line_) + 1; }

  // Adds a complaint about the current line and returns false.
  bool Complain(int column, std::string_view sentence) {
    complaints_.Add(file_name_, lines_.number(), column, sentence);
    return false;
  }

  // The complaint about a line with too few values. If the line begins with a command of the other
  // format, the complaint says so.
  bool LacksColumns() {
    const CsvField& name = fields_[0];
    for (std::string_view command : kCommands) {
      if (!SameName(name.text, command)) continue;
      return Complain(ColumnOf(name.at),
                      Quoted(name.text) +
                          " begins a line in the format of PAPI_USER_EVENTS_FILE; load such a file "
                          "with PAPI_set_opt(PAPI_USER_EVENTS_FILE)");
    }
    return Complain(ColumnOf(name.at),
                    Quoted(name.text) +
                        " needs seven columns at least: name, derived, postfix, short description, "
                        "long description, note, native event");
  }

  // Makes the request from the values of the current line. Returns false if the line is malformed.
  bool Fill(PresetColumnsLine& line) {
    constexpr std::size_t kDerived = At(PresetColumn::kDerived);
    const bool is_preset = StandardPresetIndex(fields_[0].text) != kStandardPresetCount;
    const bool has_native = fields_.size() > At(PresetColumn::kNative);
    // Only a preset may be without a native event, and its line still needs a derivation.
    if (!has_native && (!is_preset || fields_.size() <= kDerived)) return LacksColumns();
    PresetRequest& request = line.request;
    if (!DerivationFromName(fields_[kDerived].text, request.derivation)) {
      return Complain(ColumnOf(fields_[kDerived].at),
                      Quoted(fields_[kDerived].text) + " is not a derivation" +
                          NearestHint(NearestDerivationName(fields_[kDerived].text)));
    }
    request.name = Text(PresetColumn::kName);
    request.formula = Text(PresetColumn::kPostfix);
    request.short_description = Text(PresetColumn::kShort);
    request.long_description = Text(PresetColumn::kLong);
    request.note = Text(PresetColumn::kNote);
    for (std::size_t i = At(PresetColumn::kNative); i < fields_.size(); ++i) {
      request.bases.emplace_back(fields_[i].text);
    }
    for (const CsvField& field : fields_) line.columns.push_back(ColumnOf(field.at));
    return true;
  }

  // The value of a column; "": the line ends before it.
  std::string_view Text(PresetColumn column) const noexcept {
    return At(column) < fields_.size() ? fields_[At(column)].text : std::string_view();
  }

  std::string_view file_name_;
  TextLines lines_;
  ComplaintList& complaints_;
  const char* line_ = nullptr;  ///< Start of the current line
  std::vector<CsvField> fields_;
  std::deque<std::string> unescaped_;
};

}  // namespace

std::vector<PresetColumnsLine> ReadPresetColumns(std::string_view file_name, std::string_view text,
                                                 ComplaintList& complaints) {
  return ColumnsReader(file_name, text, complaints).All();
}

bool HasPresetColumns(std::string_view text) {
  TextLines lines(text);
  for (std::string_view line; lines.Next(line);) {
    line = TrimBlanks(line);
    if (IsCommentOrEmpty(line)) continue;
    return TrimBlanks(line.substr(0, line.find(','))) == kTitle;
  }
  return false;
}

}  // namespace csink
