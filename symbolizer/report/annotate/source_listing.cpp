#include "symbolizer/report/annotate/source_listing.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "profil/reading/model/saturating.h"
#include "symbolizer/report/annotate/source_file.h"
#include "symbolizer/report/tables/cells.h"

/// File: for each file that the function's code refers to: finds the file (source_search.h),
/// compares it with what was compiled, chooses the line numbers, and makes the rows. Line numbers
/// come from the line table, which is not trusted: they may be as large as 2^32 - 1 and need not
/// exist in the file.

namespace csink::annotate {
namespace {

constexpr char kGuess[] =
    "may belong to another program: the folder of the compilation is not recorded";

/// Opens the first candidate that can be read. If an existing file was refused, the reason of the
/// first such file is reported as the problem, because it says more than "not found".
std::optional<SourceFile> FindSource(const SourcePlaces& places, Source& source) {
  for (const auto& [path, is_guess] : CandidatePaths(source.recorded, places)) {
    auto file = SourceFile::Open(path);
    if (file) {
      // The root is removed again: it is a folder of the tests.
      source.found = path.front() == '/' ? path.substr(places.root.size()) : path;
      source.problem.clear();
      if (is_guess) source.warnings.push_back(kGuess);
      return std::move(*file);
    }
    // ENOTDIR: a component of a mapped path is a file, so the candidate does not exist either.
    const bool is_missing = file.error().sys_errno == ENOENT || file.error().sys_errno == ENOTDIR;
    if (is_missing || !source.problem.empty()) continue;
    source.problem = path + " " + file.error().what;
    if (file.error().sys_errno != 0) {
      source.problem += std::string(": ") + std::strerror(file.error().sys_errno);
    }
  }
  if (source.problem.empty()) {
    source.problem = "not found; use --source-prefix FROM=TO to map the path";
  }
  return std::nullopt;
}

/// Why the file may not be what was compiled: according to the line table, or without its data, by
/// comparison with the age of the binary.
std::string Mismatch(const SourceFile& file, const symbolizer::SourceFacts& facts,
                     const symbolizer::CodeFile& module) {
  if (facts.size != 0 && facts.size != file.size()) {
    return "is not the file that was compiled: the file has " + std::to_string(file.size()) +
           " bytes, in the line table " + std::to_string(facts.size);
  }
  if (facts.changed != 0 && file.changed() != static_cast<std::int64_t>(facts.changed)) {
    return "may not be the file that was compiled: the modification time differs from the line "
           "table's";
  }
  if (facts.changed == 0 && module.changed() != 0 && file.changed() > module.changed()) {
    return "is newer than the binary: lines may have moved";
  }
  return {};
}

/// The last line with code, among the lines that were resolved.
std::uint32_t LastLine(const LinesOfFile& lines) {
  std::uint32_t last = lines.last;
  if (!lines.sampled.empty()) last = std::max(last, lines.sampled.rbegin()->first);
  if (!lines.beside_code.empty()) last = std::max(last, *lines.beside_code.rbegin());
  return last;
}

/// Adds the warnings that docs/annotate.md describes. A digest in the line table decides alone.
/// Size and time are compared only if the line table has no digest.
void CompareWithBinary(const SourceFile& file, const LinesOfFile& lines,
                       const symbolizer::CodeFile& module, Source& source) {
  const symbolizer::SourceFacts facts = module.FactsOf(source.recorded);
  if (facts.digest && *facts.digest == file.Digest()) {
    source.warnings.clear();  // Same contents: time and path do not matter
    return;
  }
  std::string mismatch =
      facts.digest ? "is not the file that was compiled: the MD5 differs from the line table's"
                   : Mismatch(file, facts, module);
  if (!mismatch.empty()) source.warnings.push_back(std::move(mismatch));
  if (const std::uint32_t last = LastLine(lines); last > file.lines()) {
    source.warnings.push_back("is not the file that was compiled: the file has " +
                              std::to_string(file.lines()) + " lines, the code refers to line " +
                              std::to_string(last));
  }
}

/// The numbers of the lines that are listed. Sampled lines are listed even beyond the end of the
/// file, all others only inside of it. The subtractions keep the numbers in 1..2^32-1.
std::set<std::uint32_t> Chosen(const LinesOfFile& lines, std::size_t in_file,
                               const Settings& settings) {
  std::set<std::uint32_t> chosen;
  const auto last_of_file = static_cast<std::uint32_t>(std::min<std::size_t>(in_file, 0xffffffff));
  const auto add = [&](std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t i = first; i <= std::min(last, last_of_file); ++i) chosen.insert(i);
  };
  for (const auto& [number, counts] : lines.sampled) {
    add(number - std::min(number - 1, settings.context),
        number + std::min(settings.context, 0xffffffff - number));
    chosen.insert(number);  // Listed even if the file does not have it
  }
  if (lines.first != 0 && lines.last >= lines.first &&
      (settings.show_all || lines.last - lines.first < kWholeLines)) {
    // The line with the function's name is often one before the first line with code.
    add(lines.first - std::min(lines.first - 1, 1u), lines.last);
  }
  return chosen;
}

}  // namespace

std::vector<Source> ListSources(const report::Report& report,
                                const std::vector<EventCount>& function, const LinesByFile& files,
                                const symbolizer::CodeFile& module, const SourcePlaces& places,
                                const Settings& settings) {
  std::vector<Source> sources;
  for (const auto& [path, lines] : files) {
    // The file has neither samples nor lines that are shown.
    if (lines.sampled.empty() && lines.first == 0 && lines.beside_code.empty()) continue;
    Source source;
    source.recorded = path;
    source.is_own = lines.first != 0;
    const auto file = FindSource(places, source);
    if (file) CompareWithBinary(*file, lines, module, source);
    const std::set<std::uint32_t> listed = Chosen(lines, file ? file->lines() : 0, settings);
    // Lines beside shown instructions are kept in addition, for the mixed listing.
    std::set<std::uint32_t> all = listed;
    all.insert(lines.beside_code.begin(), lines.beside_code.end());
    // Of all sampled lines, which Chosen has listed in any case.
    std::vector<EventCount> sum(function.size());
    for (const std::uint32_t number : all) {
      SourceLine line;
      line.number = number;
      line.is_context = listed.count(number) != 0;
      line.is_in_file = file && number <= file->lines();
      if (line.is_in_file) line.text = ShownLine(file->Line(number));
      if (const auto sampled = lines.sampled.find(number); sampled != lines.sampled.end()) {
        line.cells = CellsWithin(report, sampled->second, function);
        for (std::size_t e = 0; e < sum.size(); ++e) AddTo(sum[e], sampled->second[e]);
      }
      source.lines.push_back(std::move(line));
    }
    source.cells = CellsWithin(report, sum, function);
    sources.push_back(std::move(source));
  }
  std::stable_sort(sources.begin(), sources.end(), [](const Source& a, const Source& b) {
    if (a.is_own != b.is_own) return a.is_own;
    return report::CompareWeight(a.cells, b.cells) < 0;
  });
  return sources;
}

}  // namespace csink::annotate
