#include "symbolizer/report/annotate/annotation_json.h"

#include "symbolizer/report/json/groups.h"
#include "symbolizer/report/text/precision.h"
#include "symbolizer/report/verdict/words.h"

/// File: writes an annotation as JSON, in the order of docs/report.schema.json.

namespace csink::annotate {
namespace {

using report::CellsJson;
using report::Json;

/// One source file with the lines of its listing. Lines that only a mixed listing needs are left
/// out, because each instruction has its file and line.
Json SourceJson(const Source& source) {
  Json lines = Json::array();
  for (const SourceLine& line : source.lines) {
    if (!line.is_context) continue;
    lines.push_back({{"line", line.number},
                     {"text", line.is_in_file ? Json(line.text) : Json(nullptr)},
                     {"events", CellsJson(line.cells)}});
  }
  return {{"recorded", source.recorded}, {"file", source.found},
          {"problem", source.problem},   {"warnings", source.warnings},
          {"own", source.is_own},        {"events", CellsJson(source.cells)},
          {"lines", std::move(lines)}};
}

/// The instructions. Labels are texts "L1"; "" stands for none.
Json CodeJson(const Code& code) {
  Json lines = Json::array();
  for (const CodeLine& line : code.lines) {
    lines.push_back({{"address", line.vaddr},
                     {"bytes", line.size},
                     {"text", line.text},
                     {"indirect", line.is_indirect},
                     {"label", line.label == 0 ? "" : "L" + std::to_string(line.label)},
                     {"target", line.goes_to == 0 ? "" : "L" + std::to_string(line.goes_to)},
                     {"file", line.file},
                     {"line", line.line},
                     {"inlined", line.inlined},
                     {"events", CellsJson(line.cells)}});
  }
  return {{"start", code.start},       {"end", code.end},
          {"problem", code.problem},   {"instructions", code.instructions},
          {"lines", std::move(lines)}, {"elsewhere", CellsJson(code.outside)}};
}

}  // namespace

nlohmann::ordered_json AnnotationJson(const Annotation& annotation) {
  Json sources = Json::array();
  for (const Source& source : annotation.sources) sources.push_back(SourceJson(source));
  return {{"function", annotation.function},
          {"module", annotation.module},
          {"module_path", annotation.module_path},
          {"events", CellsJson(annotation.of_program)},
          {"sources", std::move(sources)},
          {"no_line", CellsJson(annotation.no_line)},
          {"no_line_reason", annotation.no_line_reason},
          {"code", CodeJson(annotation.code)}};
}

std::string WriteReportWithAnnotations(const report::Report& report,
                                       const std::vector<Annotation>& annotations) {
  Json json = report::ReportJson(report);
  Json list = Json::array();
  for (const Annotation& annotation : annotations) list.push_back(AnnotationJson(annotation));
  // A further key at the end, which readers of reports without annotations ignore.
  json["annotations"] = std::move(list);
  // Sources and names may contain bytes that are not UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string WriteAnnotationsJson(const report::Report& report,
                                 const std::vector<Annotation>& annotations) {
  // Only what an annotation needs of an event; the report of the same profile has the rest.
  Json events = Json::array();
  for (const EventTotals& event : report.profile.events) {
    events.push_back({{"name", event.name},
                      {"kind", report::WordFor(event.kind)},
                      {"precise_ip", event.precise_ip},
                      {"skid", report::WordFor(event.skid)},
                      {"precision", report::PrecisionText(event)},
                      {"samples", event.samples}});
  }
  Json functions = Json::array();
  for (const Annotation& annotation : annotations) functions.push_back(AnnotationJson(annotation));
  const Json json = {{"format", "csink-annotate"},
                     {"version", 1},
                     {"command", report.command},
                     {"events", std::move(events)},
                     {"functions", std::move(functions)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace csink::annotate
