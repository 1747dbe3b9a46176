#include "symbolizer/report/html/page.h"

#include <algorithm>
#include <functional>
#include <string>

#include "core/version/number.h"
#include "symbolizer/report/html/comparison_data.h"
#include "symbolizer/report/html/first_view.h"
#include "symbolizer/report/html/page_assets.h"
#include "symbolizer/report/html/page_data.h"
#include "symbolizer/report/html/page_text.h"

namespace csink::report {
namespace {

/// Whether the function has a share of any event that is worth its source.
bool IsHot(const Report& report, const annotate::SampledFunction& function) {
  // Of any event: a function that is cold in the first event may be hot in another one.
  for (std::size_t e = 0; e < function.counts.size(); ++e) {
    const auto all = static_cast<double>(report.profile.events[e].weight);
    const auto own = static_cast<double>(function.counts[e].weight);
    if (all > 0 && own / all >= kLeastAnnotatedShare) return true;
  }
  return false;
}

/// Browsers ask a server for an icon where the page names none.
constexpr std::string_view kNoIcon = "<link rel=\"icon\" href=\"data:,\">\n";

/// Writes a page. `first_view` writes what is shown without JavaScript, `data` the block of data.
Result<void> WriteFile(const std::string& title, const std::string& left_out,
                       const std::function<void()>& first_view, const std::function<void()>& data,
                       Sink& sink, PageKind kind) {
  // Everything is in the file: it is sent as a mail or opened from a disk, without a network.
  const bool is_live = kind == PageKind::kLive;
  // The policy permits the texts whose hashes it has, and no request at all; a live page may ask
  // the server that it came from. The policy does not apply to the block of data, which no browser
  // executes.
  sink << "<!doctype html>\n<html lang=\"en\"" << (is_live ? " data-live=\"yes\"" : "")
       << ">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src "
          "data:; "
          "style-src '"
       << kPageStyleHash << "'; script-src '" << kPageScriptHash << "'";
  if (is_live) sink << " '" << kLiveScriptHash << "'; connect-src 'self'";
  sink << "; base-uri 'none'; form-action 'none'\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n"
          "<meta name=\"generator\" content=\"csink " CSINK_VERSION "\">\n"
       << (is_live ? kNoIcon : "") << "<title>" << HtmlText(title.substr(0, 200))
       << " - csink</title>\n<style>" << kPageStyle
       << "</style>\n</head>\n<body>\n<main id=\"first-view\">";
  first_view();
  sink << "<noscript><p>With JavaScript this page has " << left_out
       << ".</p></noscript></main>\n<script type=\"application/json\" id=\"csink-data\">";
  data();
  sink << "</script>\n<script>" << kPageScript << "</script>\n";
  if (is_live) sink << "<script>" << kLiveScript << "</script>\n";
  sink << "</body>\n</html>\n";
  return sink.Finish();
}

}  // namespace

std::vector<annotate::SampledFunction> FunctionsToAnnotate(const Report& report) {
  std::vector<annotate::SampledFunction> functions;
  for (annotate::SampledFunction& function : annotate::SampledFunctions(report)) {
    // They come hottest first, so what is left out is the coldest.
    if (functions.size() >= kMostAnnotated) break;
    if (IsHot(report, function)) functions.push_back(std::move(function));
  }
  return functions;
}

Result<void> WritePage(const Report& report, const std::vector<annotate::Annotation>& annotations,
                       Sink& sink, PageKind kind) {
  // Written piece by piece into the sink: the text of a large page is never in memory as a whole.
  return WriteFile(
      report.command, "all functions, lines, threads, call stacks and the annotated source",
      [&] { WriteFirstView(report, sink); },
      [&] { WritePageData(report, MakeSampleRows(report), annotations, sink); }, sink, kind);
}

// The same object as in the page: a difference would need a second schema
// (docs/design/commands.md).
Result<void> WriteLiveData(const Report& report,
                           const std::vector<annotate::Annotation>& annotations, Sink& sink) {
  WritePageData(report, MakeSampleRows(report), annotations, sink);
  return sink.Finish();
}

Result<void> WriteComparisonPage(const ComparedPage& page, Sink& sink) {
  const Comparison& comparison = page.comparison;
  return WriteFile(
      comparison.was.name + " and " + comparison.now.name,
      "all functions, the flame graph of the changes, and the profiles of both sides",
      [&] { WriteFirstComparison(comparison, sink); }, [&] { WriteComparedData(page, sink); }, sink,
      PageKind::kFile);
}

}  // namespace csink::report
