#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "profil/reading/merge/merge.h"
#include "symbolizer/report/annotate/annotation.h"
#include "tests/fakes/spool_builder.h"
#include "tests/symbolizer/workshop.h"

/// File: profiles of binaries that a test has just built, whose samples the test chose.

namespace csink::annotate::testing {

using csink::testing::SpoolBuilder;
using symbolizer::testing::Workshop;

inline symbolizer::Options OptionsOf(const std::string& root) {
  symbolizer::Options options;
  options.root = root;
  return options;
}

/// A workshop whose folder stands for "/".
class AnnotateTest : public ::testing::Test {
 protected:
  symbolizer::ModuleAnswer Resolve(const symbolizer::ModuleRequest& request) const {
    return symbolizer::ResolveModule(request, OptionsOf(shop_.folder()));
  }

  /// A report over `path` (below the workshop) with so many samples at addresses of its own.
  report::Report ReportOf(const std::string& path,
                          const std::map<std::uint64_t, std::uint64_t>& samples,
                          const std::string& build_id = "") {
    SpoolBuilder builder;
    Add(builder, path, samples, build_id);
    return ReportOf(builder);
  }
  void Add(SpoolBuilder& builder, const std::string& path,
           const std::map<std::uint64_t, std::uint64_t>& samples, const std::string& build_id) {
    const auto region = builder.AddRegion({.path = path,
                                           .start = 0,
                                           .end = std::uint64_t{1} << 40,
                                           .build_id = build_id,
                                           .inode = 0});
    for (const auto& [vaddr, count] : samples) {
      builder.AddHits(region, 1, symbolizer::testing::OffsetOf(shop_, shop_.Path(path), vaddr),
                      count);
    }
  }
  report::Report ReportOf(const SpoolBuilder& builder) {
    ProfileMerger merger;
    auto spool = spool::ParseSpool(builder.Build());
    if (!spool) std::abort();
    merger.Add(*spool, ProcessState::kComplete, "/spools/app.csink");
    return report::BuildReport(merger.Finish(), resolver_,
                               {.keep_addresses = true, .detail = symbolizer::Detail::kInlines});
  }
  /// The one function of the report that fits.
  Annotation AnnotateOne(const report::Report& report, const std::string& name,
                         Settings settings = {}) {
    settings.root = shop_.folder();
    const auto functions = SampledFunctions(report);
    const Choice choice = ChooseFunction(functions, name);
    if (choice.functions.size() != 1) {
      ADD_FAILURE() << name << " means " << choice.functions.size() << " functions";
      return {};
    }
    return Annotate(report, functions[choice.functions[0]], resolver_, settings);
  }
  /// Both sums are the function's samples.
  static void ExpectAllAccounted(const Annotation& annotation) {
    const std::uint64_t all = annotation.of_program.at(0).samples;
    const auto of = [](const Cells& cells) { return cells.empty() ? 0 : cells[0].samples; };
    std::uint64_t lines = of(annotation.no_line);
    for (const Source& source : annotation.sources) {
      std::uint64_t in_file = 0;
      for (const SourceLine& line : source.lines) in_file += of(line.cells);
      EXPECT_EQ(in_file, of(source.cells)) << source.recorded;
      lines += in_file;
    }
    EXPECT_EQ(lines, all);
    std::uint64_t code = of(annotation.code.outside);
    for (const CodeLine& line : annotation.code.lines) code += of(line.cells);
    EXPECT_EQ(code, all);
  }

  Workshop shop_;
  report::Resolver resolver_ = [this](const symbolizer::ModuleRequest& request) {
    return Resolve(request);
  };
};

}  // namespace csink::annotate::testing
