#include "symbolizer/commands/show/output.h"

#include <string>

#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/show/output_name.h"
#include "symbolizer/report/formats/parts/facts.h"
#include "symbolizer/report/html/page.h"
#include "symbolizer/report/json/json.h"
#include "symbolizer/report/text/text.h"

namespace csink::tool {
namespace {

/// Writes the report in its format to `fd`.
Result<void> WriteTo(int fd, const report::Report& report, const OutputOptions& options,
                     const std::vector<annotate::Annotation>& annotations) {
  if (options.format == ReportFormat::kText) {
    return WriteAll(fd, report::WriteText(report, StyleFor(fd, options)));
  }
  if (options.format == ReportFormat::kJson) return WriteAll(fd, report::WriteJson(report));
  report::Sink sink([fd](std::string_view bytes) { return WriteAll(fd, bytes); });
  if (options.format == ReportFormat::kHtml) return report::WritePage(report, annotations, sink);
  report::FormatOptions details = options.details;
  details.top = options.top;
  return report::WriteFormat(report, options.format, details, sink);
}

/// Opens the output file and writes the report to it. `path` receives its name, also after an
/// error.
Result<void> WriteFile(const report::Report& report, const OutputOptions& options,
                       const std::vector<annotate::Annotation>& annotations, std::string& path) {
  const Replaces replaces = options.only_reports ? Replaces::kOwnReports
                            : options.only_older ? Replaces::kOlderFiles
                                                 : Replaces::kAnyFile;
  const auto fd = OpenOutput(options.file, report.profile, options.of_one_process, path, replaces);
  if (!fd) return fd.error();
  return WriteTo(fd->get(), report, options, annotations);
}

/// Prints the error, if there is one worth printing. Returns whether everything was written.
bool IsWritten(const Result<void>& written) {
  if (!written) ComplainUnwritten(written.error());
  return written.has_value();
}

/// Prints the verdict for a format that cannot contain it.
void TellVerdict(const report::Report& report) {
  const auto lines = report::VerdictLines(report);
  if (!lines.empty()) (void)!WriteAll(2, "csink: verdict " + lines[0] + "\n");
}

}  // namespace

report::TextStyle StyleFor(int fd, const OutputOptions& options) {
  report::TextStyle style;
  style.top = options.top;
  style.min_share = options.min_share;
  style.call_tree = options.call_tree;
  style.per_thread = options.per_thread;
  style.time_line = options.time_line;
  style.utf8 = LocaleIsUtf8();
  style.verbose = options.verbose;
  style.by = options.by;
  style.sort = options.sort;
  style.width = SizeOf(fd).columns;
  style.colour = MayColour(fd, options.colour);
  return style;
}

bool WriteReport(const report::Report& report, const OutputOptions& options,
                 const std::vector<annotate::Annotation>& annotations) {
  // gmon.out has no place for text.
  if (options.format == ReportFormat::kGmon) TellVerdict(report);
  if (options.file.empty()) {
    return IsWritten(WriteTo(options.fd, report, options, annotations));
  }
  std::string path;
  const auto written = WriteFile(report, options, annotations, path);
  if (written) return true;
  const std::string what = "cannot write the report to " + path + " (" + WordsOf(written.error());
  // Bytes on the terminal would be of no use.
  if (NameOf(options.format).is_binary) {
    Complain(what + ")");
    return false;
  }
  Complain(what + "); the report follows on stderr");
  (void)WriteTo(2, report, options, annotations);
  return false;
}

bool WriteMade(const Profile& profile, const OutputOptions& options,
               const std::function<std::string(const report::TextStyle& style)>& make) {
  const auto to = [&](int fd) { return WriteAll(fd, make(StyleFor(fd, options))); };
  if (options.file.empty()) return IsWritten(to(options.fd));
  std::string path;
  const auto fd = OpenOutput(options.file, profile, options.of_one_process, path);
  const Result<void> written = fd ? to(fd->get()) : Result<void>(fd.error());
  if (written) return true;
  Complain("cannot write the report to " + path + " (" + WordsOf(written.error()) +
           "); the report follows on stderr");
  (void)to(2);
  return false;
}

}  // namespace csink::tool
