#include <unordered_map>

#include "symbolizer/report/html/json_lists.h"
#include "symbolizer/report/html/page_data.h"

/// File: the annotated functions of the page. Rows are lists, not objects: names of members would
/// take more room than the numbers.

namespace csink::report {
namespace {

/// "key":[samples,weight,samples,weight,...] for all events; [] without samples.
/// Without a key only the list is written, as an element of a row.
void WriteCells(Sink& sink, std::string_view key, const annotate::Cells& cells) {
  if (!key.empty()) sink << '"' << key << "\":";
  sink << '[';
  for (std::size_t e = 0; e < cells.size(); ++e) {
    sink << (e == 0 ? "" : ",") << cells[e].samples << ',' << cells[e].weight;
  }
  sink << ']';
}

/// One source file: lines are [number, text or null, cells].
void WriteSource(Sink& sink, const annotate::Source& source) {
  sink << '{';
  WriteMember(sink, "recorded", source.recorded);
  sink << ',';
  WriteMember(sink, "found", source.found);
  sink << ',';
  WriteMember(sink, "problem", source.problem);
  sink << ',';
  WriteTexts(sink, "warnings", source.warnings, [](const std::string& text) { return text; });
  sink << ",\"own\":" << (source.is_own ? "true" : "false") << ",\"lines\":";
  WriteList(sink, source.lines, [&](const annotate::SourceLine& line) {
    sink << '[' << std::uint64_t{line.number} << ',';
    // null: the file has no such line. An empty line is an empty text.
    if (line.is_in_file) {
      WriteJsonString(sink, line.text);
    } else {
      sink << "null";
    }
    sink << ',';
    WriteCells(sink, "", line.cells);
    sink << ']';
  });
  sink << '}';
}

/// The instructions: [address, text, label, target, file, line, inlined, cells]. `file` is an index
/// into "files". Addresses are hexadecimal texts, because JSON numbers have 53 bits.
void WriteCode(Sink& sink, const annotate::Code& code) {
  std::vector<std::string_view> files;
  std::unordered_map<std::string_view, std::uint64_t> index;
  sink << '{';
  WriteMember(sink, "problem", code.problem);
  sink << ",\"start\":\"";
  sink.Hex(code.start);
  sink << "\",\"instructions\":" << std::uint64_t{code.instructions} << ',';
  WriteCells(sink, "outside", code.outside);
  sink << ",\"lines\":";
  WriteList(sink, code.lines, [&](const annotate::CodeLine& line) {
    // Each path once: thousands of instructions are of a few files.
    const auto [it, is_new] = index.emplace(line.file, files.size());
    if (is_new) files.push_back(line.file);
    sink << "[\"";
    sink.Hex(line.vaddr);
    sink << "\",";
    WriteJsonString(sink, line.text);
    sink << ',' << std::uint64_t{line.label} << ',' << std::uint64_t{line.goes_to} << ','
         << it->second << ',' << std::uint64_t{line.line} << ',';
    WriteJsonString(sink, line.inlined);
    sink << ',';
    WriteCells(sink, "", line.cells);
    sink << ']';
  });
  sink << ',';
  WriteTexts(sink, "files", files, [](std::string_view file) { return file; });
  sink << '}';
}

}  // namespace

// Source and code were read from this machine when the page was made (docs/html.md, "Size").
void WriteSources(const std::vector<annotate::Annotation>& annotations, Sink& sink) {
  WriteList(sink, annotations, [&](const annotate::Annotation& annotation) {
    sink << '{';
    WriteMember(sink, "function", annotation.function);
    sink << ',';
    WriteMember(sink, "module", annotation.module);
    sink << ',';
    WriteMember(sink, "module_path", annotation.module_path);
    sink << ',';
    WriteCells(sink, "counts", annotation.of_program);
    sink << ',';
    WriteCells(sink, "no_line", annotation.no_line);
    sink << ',';
    WriteMember(sink, "no_line_reason", annotation.no_line_reason);
    sink << ",\"sources\":";
    WriteList(sink, annotation.sources,
              [&](const annotate::Source& source) { WriteSource(sink, source); });
    sink << ",\"code\":";
    WriteCode(sink, annotation.code);
    sink << '}';
  });
}

}  // namespace csink::report
