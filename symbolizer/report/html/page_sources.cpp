#include <charconv>
#include <string>
#include <unordered_map>

#include "symbolizer/report/html/json_lists.h"
#include "symbolizer/report/html/page_data.h"

/// File: the annotated functions of the page. Rows are lists, not objects: names of members would
/// take more room than the numbers.

namespace csink::report {
namespace {

/// "401a0c"
std::string HexOf(std::uint64_t number) {
  char text[16];
  return std::string(text, std::to_chars(text, text + sizeof text, number, 16).ptr);
}

/// [samples,weight,samples,weight,...] for all events; [] without samples.
void WriteCells(PageJson& json, const annotate::Cells& cells) {
  json.List(cells, [&](const auto& cell) {
    json.Value(cell.samples);
    json.Value(cell.weight);
  });
}

/// One source file: lines are [number, text or null, cells].
void WriteSource(PageJson& json, const annotate::Source& source) {
  json.BeginObject();
  json.Member("recorded", source.recorded);
  json.Member("found", source.found);
  json.Member("problem", source.problem);
  json.Key("warnings").List(source.warnings);
  json.Member("own", source.is_own);
  json.Key("lines").List(source.lines, [&](const annotate::SourceLine& line) {
    json.BeginArray();
    json.Value(line.number);
    // null: the file has no such line. An empty line is an empty text.
    if (line.is_in_file) {
      json.Value(line.text);
    } else {
      json.Value(nullptr);
    }
    WriteCells(json, line.cells);
    json.EndArray();
  });
  json.EndObject();
}

/// The instructions: [address, text, label, target, file, line, inlined, cells]. `file` is an index
/// into "files". Addresses are hexadecimal texts, because JSON numbers have 53 bits.
void WriteCode(PageJson& json, const annotate::Code& code) {
  std::vector<std::string_view> files;
  std::unordered_map<std::string_view, std::uint64_t> index;
  json.BeginObject();
  json.Member("problem", code.problem);
  json.Member("start", HexOf(code.start));
  json.Member("instructions", code.instructions);
  WriteCells(json.Key("outside"), code.outside);
  json.Key("lines").List(code.lines, [&](const annotate::CodeLine& line) {
    // Each path once: thousands of instructions are of a few files.
    const auto [it, is_new] = index.emplace(line.file, files.size());
    if (is_new) files.push_back(line.file);
    json.BeginArray();
    json.Value(HexOf(line.vaddr));
    json.Value(line.text);
    json.Value(line.label);
    json.Value(line.goes_to);
    json.Value(it->second);
    json.Value(line.line);
    json.Value(line.inlined);
    WriteCells(json, line.cells);
    json.EndArray();
  });
  json.Key("files").List(files);
  json.EndObject();
}

}  // namespace

// Source and code were read from this machine when the page was made (docs/html.md, "Size").
void WriteSources(const std::vector<annotate::Annotation>& annotations, PageJson& json) {
  json.Key("sources").List(annotations, [&](const annotate::Annotation& annotation) {
    json.BeginObject();
    json.Member("function", annotation.function);
    json.Member("module", annotation.module);
    json.Member("module_path", annotation.module_path);
    WriteCells(json.Key("counts"), annotation.of_program);
    WriteCells(json.Key("no_line"), annotation.no_line);
    json.Member("no_line_reason", annotation.no_line_reason);
    json.Key("sources").List(annotation.sources,
                             [&](const annotate::Source& source) { WriteSource(json, source); });
    WriteCode(json.Key("code"), annotation.code);
    json.EndObject();
  });
}

}  // namespace csink::report
