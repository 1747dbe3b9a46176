#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "symbolizer/report/formats/formats.h"
#include "tests/symbolizer/report/sample_reports.h"

/// File: reports for the writers of formats, and what they write.

namespace csink::testing {

/// Everything kept, as `csink export` does.
inline report::Report MakeAll(const std::vector<const SpoolBuilder*>& spools,
                              const report::Resolver& names, bool inlines = false) {
  ProfileMerger merger({.keep_callers = true, .keep_phases = true, .keep_threads = true});
  for (const SpoolBuilder* spool : spools) AddTo(merger, *spool);
  return report::BuildReport(
      merger.Finish(), names,
      {.keep_addresses = true,
       .detail = inlines ? symbolizer::Detail::kInlines : symbolizer::Detail::kLines});
}

inline std::string Written(const report::Report& report, ReportFormat format,
                           const report::FormatOptions& options = {}) {
  std::string text;
  report::Sink sink([&](std::string_view bytes) -> Result<void> {
    text += bytes;
    return {};
  });
  const auto result = report::WriteFormat(report, format, options, sink);
  EXPECT_TRUE(result) << result.error().what;
  return text;
}

inline std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// kernel() has leaf() inlined in mid() at its offsets.
struct InliningNames {
  FakeResolver names = StacksNames();
  symbolizer::ModuleAnswer operator()(const symbolizer::ModuleRequest& request) const {
    symbolizer::ModuleAnswer answer = names(request);
    for (symbolizer::Location& location : answer.locations) {
      if (location.function.rfind("kernel", 0) != 0) continue;
      if (request.detail < symbolizer::Detail::kInlines) continue;
      location.file = "leaf.h";
      location.line = 7;
      location.inlined = {{"leaf()", "_Z4leafv", "mid.h", 21},
                          {"mid()", "_Z3midv", "kernel.c", 99}};
    }
    return answer;
  }
};

inline report::Report MakeStacksReport(bool inlines = false) {
  const SpoolBuilder spool = StacksSpool();
  return MakeAll({&spool}, InliningNames(), inlines);
}

/// The samples of one mark. The callers of all samples are still there.
inline report::Report MakeStacksOfMark(const std::string& mark) {
  ProfileMerger merger({.keep_callers = true, .only_phase = mark});
  AddTo(merger, StacksSpool());
  const FakeResolver names = StacksNames();
  return report::BuildReport(merger.Finish(), std::cref(names), {.keep_addresses = true});
}

inline report::Report MakeEmptyStacks() {
  const SpoolBuilder spool = EmptyStacksSpool();
  return MakeAll({&spool}, StacksNames());
}

}  // namespace csink::testing
