#include "core/presets/preset_columns.h"

#include "core/presets/csv_line.h"

namespace csink {
namespace {

enum Column : std::size_t { kName, kDerived, kPostfix, kShort, kLong, kNote, kFirstNative };

/// Fills `request`; false: `sentence` says what is wrong.
bool FillRequest(const std::vector<CsvField>& fields, PresetRequest& request,
                 std::string& sentence) {
  if (fields.size() <= kFirstNative) {
    sentence = Quoted(fields[kName].text) +
               " needs seven columns at least: name, derived, postfix, short description, long "
               "description, note, native event";
    return false;
  }
  if (!DerivationFromName(fields[kDerived].text, request.derivation)) {
    sentence = Quoted(fields[kDerived].text) + " is no derivation" +
               NearestHint(NearestDerivationName(fields[kDerived].text));
    return false;
  }
  request.name = fields[kName].text;
  request.formula = fields[kPostfix].text;
  request.short_description = fields[kShort].text;
  request.long_description = fields[kLong].text;
  request.note = fields[kNote].text;
  for (std::size_t i = kFirstNative; i < fields.size(); ++i) {
    request.bases.emplace_back(fields[i].text);
  }
  return true;
}

}  // namespace

std::vector<PresetColumnsLine> ReadPresetColumns(std::string_view file_name, std::string_view text,
                                                 ComplaintList& complaints) {
  std::vector<PresetColumnsLine> requests;
  std::vector<CsvField> fields;
  std::deque<std::string> unescaped;
  std::string sentence;
  TextLines lines(text);
  bool may_be_title = true;
  for (std::string_view line; lines.Next(line);) {
    if (const std::string_view problem = LineProblem(line); !problem.empty()) {
      complaints.Add(file_name, lines.number(), problem);
      continue;
    }
    line = TrimBlanks(line);
    if (line.empty() || line.front() == '#') continue;
    PresetColumnsLine next{{}, lines.number()};
    if (!SplitCsvLine(line, fields, unescaped, sentence)) {
      complaints.Add(file_name, lines.number(), sentence);
      continue;
    }
    const bool is_title = std::exchange(may_be_title, false) && fields[kName].text == "name";
    if (is_title) continue;
    while (fields.size() > 1 && fields.back().text.empty()) fields.pop_back();
    if (FillRequest(fields, next.request, sentence)) {
      requests.push_back(std::move(next));
    } else {
      complaints.Add(file_name, lines.number(), sentence);
    }
  }
  return requests;
}

}  // namespace csink
