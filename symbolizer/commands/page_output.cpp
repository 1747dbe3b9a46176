#include "symbolizer/commands/page_output.h"

#include "symbolizer/commands/annotate_command.h"
#include "symbolizer/report/html/page.h"

namespace csink::tool {

bool WriteReportWithSources(const report::Report& report, const OutputOptions& output,
                            const report::Resolver& resolve) {
  std::vector<annotate::Annotation> annotations;
  if (output.format == ReportFormat::kHtml) {
    const annotate::Settings settings = SettingsOf(AnnotateChoices{});
    for (const annotate::SampledFunction& function : report::FunctionsToAnnotate(report)) {
      annotations.push_back(annotate::Annotate(report, function, resolve, settings));
    }
  }
  return WriteReport(report, output, annotations);
}

}  // namespace csink::tool
