#include "symbolizer/commands/show/page_output.h"

#include "symbolizer/commands/show/annotate_command.h"
#include "symbolizer/report/html/page.h"

namespace csink::tool {

View PageView() {
  View view;
  view.needs = report::NeedsOf(ReportFormat::kHtml);
  view.sort_all = true;
  // A live page is made again and again. `csink view` of files shows progress again.
  view.quiet = true;
  return view;
}

std::vector<annotate::Annotation> AnnotationsOfPage(const report::Report& report,
                                                    const report::Resolver& resolve) {
  std::vector<annotate::Annotation> annotations;
  // The defaults: the page has no options, and CSINK_SOURCE_PREFIX is among them.
  const annotate::Settings settings = SettingsOf(AnnotateChoices{});
  for (const annotate::SampledFunction& function : report::FunctionsToAnnotate(report)) {
    annotations.push_back(annotate::Annotate(report, function, resolve, settings));
  }
  return annotations;
}

bool WriteReportWithSources(const report::Report& report, const OutputOptions& output,
                            const report::Resolver& resolve) {
  std::vector<annotate::Annotation> annotations;
  // Only the page shows sources. Reading them costs time in every other format.
  if (output.format == ReportFormat::kHtml) annotations = AnnotationsOfPage(report, resolve);
  return WriteReport(report, output, annotations);
}

}  // namespace csink::tool
