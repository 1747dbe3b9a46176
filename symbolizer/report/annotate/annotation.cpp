#include "symbolizer/report/annotate/annotation.h"

#include <algorithm>
#include <unordered_map>

#include "profil/reading/model/saturating.h"
#include "profil/statistics/statistics.h"
#include "symbolizer/names/resolve/code_file.h"
#include "symbolizer/report/annotate/code_listing.h"
#include "symbolizer/report/annotate/source_listing.h"
#include "symbolizer/report/tables/cells.h"
#include "symbolizer/report/tables/names.h"
#include "symbolizer/report/verdict/explained.h"

/// File: annotates one function in five steps. (1) The function's samples are summed up by address
/// and by source line. (2) The code is decoded and the rows to show are chosen. (3) Addresses
/// without samples (other instructions, branch targets, the function's first byte) are resolved in
/// one request, because the resolver reads each symbol and line table once per request. (4) Cells
/// are computed; what no shown row has is the remainder. (5) The sources are searched and listed.

namespace csink::annotate {
namespace {

using symbolizer::CodeFile;
using symbolizer::Detail;
using symbolizer::Location;
using symbolizer::NameSource;

using Counts = std::vector<EventCount>;

/// Adds `more` to `sum`, which may still be empty.
void Add(Counts& sum, const Counts& more) {
  sum.resize(more.size());
  for (std::size_t e = 0; e < more.size(); ++e) AddTo(sum[e], more[e]);
}

/// Options with the root alone. Without `fetch`, debuginfod is not asked.
symbolizer::Options OptionsOf(const std::string& root) {
  symbolizer::Options options;
  options.root = root;
  return options;
}

/// Annotates one function, step by step. Each step needs what the steps before it stored in the
/// members, so Run fixes their order.
class Work {
 public:
  Work(const report::Report& report, const SampledFunction& function,
       const report::Resolver& resolve, const Settings& settings)
      : report_(report),
        function_(function),
        resolve_(resolve),
        settings_(settings),
        module_(report.profile.modules[function.module_index]),
        file_(CodeFile::Open(report::RequestOf(module_, {}, Detail::kLines),
                             OptionsOf(settings.root))) {}

  Annotation Run();

 private:
  void GatherSamples();
  void ListCode();
  void ListPython();
  void PlaceCode(const std::vector<Piece>& pieces, const std::vector<std::size_t>& shown);
  void LookUp(const std::vector<std::uint64_t>& vaddrs);
  std::string NameOf(std::uint64_t vaddr) const;
  void FindOwnLines(const std::vector<Piece>& pieces);

  const report::Report& report_;
  const SampledFunction& function_;
  const report::Resolver& resolve_;
  const Settings& settings_;
  const Module& module_;
  CodeFile file_;
  // Includes addresses that the module does not resolve; these have vaddr 0.
  CountsByAddress samples_;
  LinesByFile files_;
  Counts no_line_;
  std::unordered_map<std::uint64_t, Location> known_;  ///< By address
  Annotation result_;
};

/// Sums the places by address and by line. Several places have one address if the profile keeps
/// callers, marks or threads apart.
void Work::GatherSamples() {
  for (const std::size_t place : function_.places) {
    const Counts& counts = report_.profile.places[place].counts;
    const Location& location = report_.addresses.locations[report_.addresses.of_place[place]];
    Add(samples_[location.vaddr], counts);
    // Sampled addresses are resolved already and are not asked for again.
    known_.emplace(location.vaddr, location);
    if (location.line == 0 || location.file.empty()) {
      Add(no_line_, counts);
    } else {
      Add(files_[location.file].sampled[location.line], counts);
    }
  }
}

/// Resolves addresses that have no samples: their names and lines. The request must be sorted and
/// unique, and answers come in its order. Addresses outside of the executable segments, such as a
/// call target in another module, have no file offset and stay unknown.
void Work::LookUp(const std::vector<std::uint64_t>& vaddrs) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> offsets;  // Offsets, with their addresses
  for (const std::uint64_t vaddr : vaddrs) {
    if (known_.count(vaddr) != 0) continue;
    if (const auto offset = file_.OffsetOf(vaddr)) offsets.emplace_back(*offset, vaddr);
  }
  std::sort(offsets.begin(), offsets.end());
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  std::vector<std::uint64_t> wanted;
  for (const auto& [offset, vaddr] : offsets) wanted.push_back(offset);
  if (wanted.empty()) return;
  symbolizer::ModuleAnswer answer = resolve_(report::RequestOf(module_, wanted, Detail::kInlines));
  for (std::size_t i = 0; i < std::min(wanted.size(), answer.locations.size()); ++i) {
    known_.emplace(offsets[i].second, std::move(answer.locations[i]));
  }
}

/// The text for a call target: "function", or "function+12" inside of one (decimal). Empty if the
/// address has no name of its own; the listing then shows the address.
std::string Work::NameOf(std::uint64_t vaddr) const {
  const auto it = known_.find(vaddr);
  if (it == known_.end()) return "";
  const Location& location = it->second;
  if (location.source == NameSource::kNone || location.source == NameSource::kFde) return "";
  if (location.function_vaddr == vaddr) return location.function;
  return location.function + "+" + std::to_string(vaddr - location.function_vaddr);
}

/// Finds the lines of the function in its own file: from the line of its first instruction on, the
/// lines of all instructions that were not inlined.
void Work::FindOwnLines(const std::vector<Piece>& pieces) {
  const auto entry = known_.find(function_.vaddr);
  if (entry == known_.end() || entry->second.line == 0 || entry->second.file.empty()) return;
  LinesOfFile& own = files_[entry->second.file];
  own.first = own.last = entry->second.line;
  for (const Piece& piece : pieces) {
    const auto it = known_.find(piece.vaddr);
    if (it == known_.end() || it->second.file != entry->second.file) continue;
    if (it->second.inlined.empty()) own.last = std::max(own.last, it->second.line);
  }
}

/// Resolves what the listing refers to. The function's first byte is always among it: its line is
/// where the source listing begins, also when no decoder is installed.
void Work::PlaceCode(const std::vector<Piece>& pieces, const std::vector<std::size_t>& shown) {
  std::vector<std::uint64_t> wanted{function_.vaddr};
  // In a longer function the lines of all instructions would cost more than the listing is worth.
  if (pieces.size() <= kMostResolved) {
    for (const Piece& piece : pieces) wanted.push_back(piece.vaddr);
  }
  for (const std::size_t i : shown) {
    wanted.push_back(pieces[i].vaddr);
    if (pieces[i].target) wanted.push_back(*pieces[i].target);
  }
  LookUp(wanted);
  FindOwnLines(pieces);
}

/// Lists the instructions. A missing file or decoder is not an error: `problem` says why, and the
/// sources are still listed.
void Work::ListCode() {
  if (module_.is_python) return ListPython();
  Code& code = result_.code;
  symbolizer::FunctionCode bytes = file_.Function(function_.vaddr);
  code.start = bytes.start;
  code.end = bytes.end;
  code.problem = bytes.problem;
  // Without the mapped file, no address has a file offset, so nothing can be looked up.
  if (!file_.problem().empty()) return;
  std::vector<Piece> pieces;
  std::vector<std::size_t> shown;
  std::unique_ptr<Disassembler> disassembler;
  if (bytes.bytes.size() != 0 && settings_.with_code) {
    auto opened = OpenDisassembler(file_.machine(), settings_.syntax);
    if (opened) {
      disassembler = std::move(*opened);
      pieces = SplitCode(bytes, samples_, *disassembler);
      shown = ChooseShown(pieces, samples_, settings_);
    } else {
      code.problem = opened.error().what;
    }
  }
  PlaceCode(pieces, shown);
  if (!disassembler) return;
  FillLines(
      bytes, pieces, shown, *disassembler, [this](std::uint64_t vaddr) { return NameOf(vaddr); },
      code);
  // Lines that shown instructions refer to are kept for the mixed listing.
  for (CodeLine& line : code.lines) {
    const auto it = known_.find(line.vaddr);
    if (it == known_.end()) continue;
    line.file = it->second.file;
    line.line = it->second.line;
    if (!it->second.inlined.empty()) line.inlined = it->second.inlined.front().function;
    if (line.line != 0 && !line.file.empty()) files_[line.file].beside_code.insert(line.line);
  }
}

/// A function of Python has lines, and no code of its own. Its last line is not known.
void Work::ListPython() {
  const std::uint32_t index = spool::PythonCodeOf(function_.vaddr);
  if (index >= report_.profile.python_functions.size()) return;
  const PythonFunction& function = report_.profile.python_functions[index];
  LinesOfFile& own = files_[function.file];
  own.first = own.last = function.first_line;
  if (!own.sampled.empty()) own.last = std::max(own.last, own.sampled.rbegin()->first);
}

Annotation Work::Run() {
  result_.function = function_.name;
  result_.module = function_.module;
  result_.module_path = module_.path;
  result_.of_program = report::CellsOf(report_, function_.counts);
  GatherSamples();
  ListCode();
  // A sampled address always begins a row (SplitCode), so all samples of an address are in its row,
  // and the remainder is exact. Weights may saturate at 2^64 - 1; then the remainder is at least 0.
  Counts outside = function_.counts;
  for (CodeLine& line : result_.code.lines) {
    const auto it = samples_.find(line.vaddr);
    if (it == samples_.end()) continue;
    line.cells = CellsWithin(report_, it->second, function_.counts);
    for (std::size_t e = 0; e < outside.size(); ++e) {
      outside[e].samples -= it->second[e].samples;
      outside[e].weight = SaturatingSubtract(outside[e].weight, it->second[e].weight);
    }
  }
  const auto any = [](const EventCount& count) { return count.samples != 0; };
  if (std::any_of(outside.begin(), outside.end(), any)) {
    result_.code.outside = CellsWithin(report_, outside, function_.counts);
  }
  if (!no_line_.empty()) result_.no_line = CellsWithin(report_, no_line_, function_.counts);
  if (files_.empty()) {
    result_.no_line_reason = !file_.problem().empty()
                                 ? file_.problem()
                                 : "no line information: compile with -g, or install the debug "
                                   "package";
  }
  const SourcePlaces places{settings_.prefixes, module_.path, settings_.root};
  result_.sources = ListSources(report_, function_.counts, files_, file_, places, settings_);
  return std::move(result_);
}

}  // namespace

Cells CellsWithin(const report::Report& report, const std::vector<EventCount>& row,
                  const std::vector<EventCount>& function) {
  Cells cells(row.size());
  for (std::size_t e = 0; e < row.size(); ++e) {
    static_cast<EventCount&>(cells[e]) = row[e];
    const double all = static_cast<double>(function[e].weight);
    const double samples = static_cast<double>(report.profile.events[e].samples);
    // The function's part of the column's effective number of samples.
    const double effective = samples > 0 ? report.effective_samples[e] *
                                               static_cast<double>(function[e].samples) / samples
                                         : 0;
    cells[e].share = all > 0 ? std::min(1.0, static_cast<double>(row[e].weight) / all) : 0;
    const Interval interval = WithMissing(WilsonInterval(cells[e].share, effective),
                                          report::MissingPart(report.profile.events[e]));
    cells[e].low = interval.low;
    cells[e].high = interval.high;
  }
  return cells;
}

Annotation Annotate(const report::Report& report, const SampledFunction& function,
                    const report::Resolver& resolve, const Settings& settings) {
  return Work(report, function, resolve, settings).Run();
}

}  // namespace csink::annotate
