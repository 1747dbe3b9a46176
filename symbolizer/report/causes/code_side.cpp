#include "symbolizer/report/causes/code_side.h"

#include <elf.h>

#include <algorithm>
#include <bit>

#include "symbolizer/names/resolve/code_file.h"
#include "symbolizer/report/tables/names.h"
#include "symbolizer/report/wording/shorten.h"

namespace csink::report {
namespace {

using annotate::Annotation;
using annotate::CodeLine;

std::size_t IndexOf(InstructionClasses one) {
  return static_cast<std::size_t>(std::countr_zero(one));
}

double SecondsOf(const annotate::Cells& cells, std::size_t runs) {
  return cells.empty() ? 0 : static_cast<double>(cells[0].weight) / 1e9 / static_cast<double>(runs);
}

/// Adds the instructions of one function. Static functions of one name share the facts.
void AddCode(const Annotation& annotation, std::size_t runs, CodeFacts& facts) {
  InstructionClasses before = 0;
  for (const CodeLine& line : annotation.code.lines) {
    const InstructionClasses own = ClassesOf(line.text);
    const double seconds = SecondsOf(line.cells, runs);
    // The interrupt comes when the slow instruction has ended.
    const InstructionClasses counted = own | (before & kSlow);
    for (unsigned bit = 0; bit < kInstructionClasses; ++bit) {
      const InstructionClasses one = 1u << bit;
      if ((own & one) != 0) ++facts.class_count[bit];
      if ((counted & one) != 0) facts.class_seconds[bit] += seconds;
    }
    if (seconds > 0) ++facts.sampled_instructions;
    if (seconds > 0 && (own & kPacked) != 0) {
      facts.vector_bytes = std::max(facts.vector_bytes, VectorBytes(line.text));
      const unsigned lane = LaneBytes(line.text);
      if (lane != 0)
        facts.lane_bytes = facts.lane_bytes == 0 ? lane : std::min(lane, facts.lane_bytes);
    }
    if (const std::string_view target = TargetOf(line.text); !target.empty()) {
      facts.targets.emplace(target);
    }
    if (!line.inlined.empty()) facts.inlined.insert(annotate::PlainName(line.inlined));
    facts.texts.push_back(WithoutAddresses(line.text));
    before = own;
  }
  facts.instructions += annotation.code.instructions;
  for (const annotate::Source& source : annotation.sources) {
    if (source.is_own && facts.source.empty()) facts.source = source.recorded;
    for (const annotate::SourceLine& line : source.lines) {
      const double seconds = SecondsOf(line.cells, runs);
      if (seconds > 0) facts.lines[line.text] += seconds;
    }
  }
}

/// Adds a sentence once.
void Add(std::string missing, CodeSide& side) {
  if (std::find(side.missing.begin(), side.missing.end(), missing) == side.missing.end()) {
    side.missing.push_back(std::move(missing));
  }
}

}  // namespace

double CodeFacts::SecondsOf(InstructionClasses one) const { return class_seconds[IndexOf(one)]; }
std::size_t CodeFacts::CountOf(InstructionClasses one) const { return class_count[IndexOf(one)]; }

CodeSide ReadCode(const Report& report, const std::set<CodeSide::Key>& wanted, std::size_t runs,
                  const Resolver& resolve, const annotate::Settings& settings) {
  CodeSide side;
  for (const ModuleRow& row : report.modules) side.builds.emplace(row.module, row.build_id);
  for (const FunctionRow& row : report.functions) {
    const CodeSide::Key key{WithoutCloneSuffix(row.function), row.module};
    if (!wanted.contains(key)) continue;
    for (const NamedCells& caller : row.callers)
      side.callers[key].insert(WithoutCloneSuffix(caller.function));
  }
  std::set<std::uint32_t> modules;
  for (const annotate::SampledFunction& function : annotate::SampledFunctions(report)) {
    const CodeSide::Key key{WithoutCloneSuffix(function.name), function.module};
    if (!wanted.contains(key)) continue;
    const Annotation annotation = annotate::Annotate(report, function, resolve, settings);
    CodeFacts& facts = side.functions[key];
    facts.function = key.first;
    facts.module = function.module;
    if (!function.counts.empty()) {
      facts.seconds +=
          static_cast<double>(function.counts[0].weight) / 1e9 / static_cast<double>(runs);
    }
    AddCode(annotation, runs, facts);
    if (annotation.code.lines.empty() && !annotation.code.problem.empty()) {
      Add(function.module + ": " + annotation.code.problem, side);
    }
    modules.insert(function.module_index);
  }
  // Functions whose code could not be read say nothing.
  std::erase_if(side.functions, [](const auto& entry) { return entry.second.texts.empty(); });
  for (const std::uint32_t index : modules) {
    const Module& module = report.profile.modules[index];
    if (module.is_anonymous || module.is_vdso || module.is_python || module.is_unknown) continue;
    symbolizer::Options options;
    options.root = settings.root;
    const auto file =
        symbolizer::CodeFile::Open(RequestOf(module, {}, symbolizer::Detail::kLines), options);
    if (file.machine() != 0 && file.machine() != EM_X86_64) side.other_machine = true;
    for (const symbolizer::Producer& producer : file.Producers()) {
      side.producers.emplace(CodeSide::Key{BaseName(module.path), BaseName(producer.source)},
                             producer.text);
    }
  }
  return side;
}

}  // namespace csink::report
