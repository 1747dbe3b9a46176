#include "symbolizer/commands/live/view_command.h"

#include <sys/stat.h>
#include <time.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>

#include "core/util/parse.h"
#include "symbolizer/commands/console/exit_codes.h"
#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/console/number_checks.h"
#include "symbolizer/commands/console/usage.h"
#include "symbolizer/commands/live/browser.h"
#include "symbolizer/commands/live/live_page.h"
#include "symbolizer/commands/live/page_server.h"
#include "symbolizer/commands/live/private_page.h"
#include "symbolizer/commands/load/live_spools.h"
#include "symbolizer/commands/load/load_profile.h"
#include "symbolizer/commands/load/spool_files.h"
#include "symbolizer/commands/load/targets.h"
#include "symbolizer/commands/load/view.h"
#include "symbolizer/commands/show/output.h"
#include "symbolizer/commands/show/page_output.h"

namespace csink::tool {
namespace {

/// Text behind the options in --help.
constexpr char kNotes[] =
    "FILE, FOLDER: writes the page into a private folder, where it stays for a day. PID of a\n"
    "running program: a live page, served on 127.0.0.1 only, until Ctrl-C, the end of the "
    "program,\n"
    "or 150 seconds after the page was closed. Without an argument: the newest spool.\n"
    "BROWSER is the browser's command, else xdg-open.\n"
    "Exit status: 0; 1 nothing to show, not readable, or the port is in use; 2 wrong use.\n"
    "Examples: csink view $(pidof app); csink view --no-browser app.csink";

/// The last state is kept for this long after a page got it, for other pages.
constexpr double kLastStateSeconds = 3;

/// CLOCK_MONOTONIC: waiting must not follow a change of the clock.
double MonotonicSeconds() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The pid, if the argument is the number of a running process and not the name of a file.
std::optional<std::uint32_t> RunningPid(const std::string& target) {
  struct stat status;
  const auto number = ParseUnsigned(target);
  if (!number || *number == 0 || *number > 0x7fffffff) return std::nullopt;
  if (stat(target.c_str(), &status) == 0) return std::nullopt;
  const auto pid = static_cast<std::uint32_t>(*number);
  return StartTicks(pid) ? std::optional(pid) : std::nullopt;
}

/// Makes a private page. Prints an error and returns nullopt if there is no place for it.
std::optional<PrivatePage> MakePage() {
  const std::vector<std::string> roots = PrivateRoots();
  Result<PrivatePage> page = MakePrivatePage(roots);
  if (page) return std::move(*page);
  Complain("cannot make a private folder in " + roots.back() + " (" +
           std::strerror(page.error().sys_errno) + "); TMPDIR=FOLDER selects another place");
  return std::nullopt;
}

/// Shows the file in a browser, unless the options say otherwise. A browser that does not start is
/// no failure: the address was printed.
void Open(const ViewOptions& options, const std::string& path) {
  if (options.no_browser) return;
  const auto commands = BrowserCommands(BrowserSettingsOfEnvironment(), FileAddress(path));
  if (!StartBrowser(commands)) Warn("no browser could be started; open the address above");
}

/// Writes the page of spools to a private file and opens it.
int ViewFiles(const ViewOptions& options, const report::Resolver& resolve) {
  std::size_t failed = 0;
  const std::vector<std::string> paths =
      options.targets.empty() ? NewestSpools() : SpoolsOfAll(options.targets, failed);
  if (paths.empty()) {
    if (options.targets.empty()) Complain("no spool was found; usage: csink view FILE|FOLDER|PID");
    return kExitNothing;
  }
  View view = PageView();
  view.quiet = false;
  Profile profile = LoadProfile(paths, failed, MergeOptionsOf(view));
  if (profile.processes.empty() || !HasSamples(profile, view, paths[0])) return kExitNothing;
  const report::Report report = MakeReport(std::move(profile), view, std::nullopt, resolve);
  const auto page = MakePage();
  if (!page) return kExitNothing;
  OutputOptions output;
  output.format = ReportFormat::kHtml;
  output.fd = page->fd.get();
  if (!WriteReportWithSources(report, output, resolve)) {
    page->Remove();
    return kExitNothing;
  }
  if (!Print(FileAddress(page->path) + "\n")) {
    page->Remove();
    return kExitNothing;
  }
  Open(options, page->path);
  return failed == 0 ? 0 : kExitNothing;
}

/// A page that leads to the live page. The browser's command line is visible to all users, so it
/// must not have the token.
std::optional<PrivatePage> MakeWay(const std::string& address) {
  auto page = MakePage();
  if (!page) return std::nullopt;
  const auto written = WriteAll(page->fd.get(),
                                "<!doctype html>\n<meta charset=\"utf-8\">\n<title>csink</title>\n"
                                "<meta http-equiv=\"refresh\" content=\"0;url=" +
                                    address + "\">\n");
  if (written) return page;
  (void)ComplainUnwritten(written.error());
  page->Remove();
  return std::nullopt;
}

/// The life of a live page: what is answered, and when it ends.
class LiveView {
 public:
  LiveView(std::uint32_t pid, std::uint64_t ticks, bool tree, const report::Resolver& resolve)
      : page_(pid, ticks, tree, resolve) {}

  /// Answers a request. `version` is that of the data that the page has; a page with the newest
  /// version gets no body.
  PageAnswer Answer(Asked asked, std::uint64_t version) {
    was_asked_ = true;
    last_request_ = MonotonicSeconds();
    PageAnswer answer;
    if (asked == Asked::kPage) {
      answer.body = page_.Page();
    } else if (asked == Asked::kData && page_.Newest().version > version) {
      answer.body = page_.Newest().text;
      answer.type = "application/json";
    }
    answer.version = page_.Newest().version;
    answer.has_ended = page_.has_ended();
    // A page that asked for the data gets the last state; one that only says that it is open has it
    // if its version is the newest.
    const bool has_last = asked == Asked::kData || version >= answer.version;
    if (answer.has_ended && has_last && !delivered_) delivered_ = last_request_;
    return answer;
  }

  /// Looks at the program. Returns false when the page is no longer needed.
  bool Tick() {
    const bool had_ended = page_.has_ended();
    const bool runs = page_.Look();
    const double now = MonotonicSeconds();
    // The page gets the last state in its next request, so the server stays for it.
    if (!runs && !had_ended) end_ = now;
    if (delivered_) return now < *delivered_ + kLastStateSeconds;
    // Before the first request, the user may still be about to open the address.
    if (runs) return !was_asked_ || now < last_request_ + kPageIsGoneSeconds;
    return now < std::max(end_, last_request_) + kPageIsGoneSeconds;
  }

  const LivePage& page() const { return page_; }

 private:
  LivePage page_;
  bool was_asked_ = false;
  double last_request_ = 0;
  double end_ = 0;
  /// When a page got the last state.
  std::optional<double> delivered_;
};

/// Listens on the port. Prints an error and returns an empty descriptor if that is not possible.
UniqueFd Listen(std::uint16_t& port) {
  Result<UniqueFd> listener = ListenOnLoopback(port);
  if (listener) return std::move(*listener);
  const int error = listener.error().sys_errno;
  if (error == EADDRINUSE) {
    Complain("port " + std::to_string(port) +
             " is in use; choose another with --port, or leave out --port for a free one");
  } else {
    Complain("cannot listen on 127.0.0.1 port " + std::to_string(port) + " (" +
             std::strerror(error) + ")");
  }
  return UniqueFd();
}

/// Serves the page of a running program until LiveView says that it is no longer needed.
int ViewLive(const ViewOptions& options, std::uint32_t pid, const report::Resolver& resolve) {
  const auto ticks = StartOfProfiled(pid, options.tree);
  if (!ticks) return kExitNothing;
  const Result<std::string> token = RandomToken();
  if (!token) {
    Complain(token.error().what);
    return kExitNothing;
  }
  std::uint16_t port = options.port;
  // Before the page is made, which takes longer: a port that is in use is reported at once.
  UniqueFd listener = Listen(port);
  if (!listener) return kExitNothing;
  LiveView live(pid, *ticks, options.tree, resolve);
  PageServer server(std::move(listener), port, *token, [&](Asked asked, std::uint64_t version) {
    return live.Answer(asked, version);
  });
  if (!server) {
    Complain("the server of the page cannot be started");
    return kExitNothing;
  }
  const std::string address = "http://127.0.0.1:" + std::to_string(port) + "/" + *token + "/";
  if (!Print(address + "\n")) return kExitNothing;
  // Removed at the end: the browser has followed it by then.
  std::optional<PrivatePage> way;
  if (!options.no_browser && (way = MakeWay(address))) Open(options, way->path);
  (void)live.Tick();  // So that the first answer has data
  server.Run([&] { return live.Tick(); });
  if (way) way->Remove();
  if (!live.page().has_ended() || live.page().has_samples()) return 0;
  Complain("process " + std::to_string(pid) + " ended without a sample");
  return kExitNothing;
}

}  // namespace

void AddView(CLI::App& app, ViewOptions& options) {
  CLI::App& view = *app.add_subcommand("view", "Show a profile or a running program in a browser");
  view.add_flag("--no-browser", options.no_browser, "Print the address only");
  view.add_option("--port", options.port, "Port of a live page (a free one)")
      ->check(NumberIn(1, 65535))
      ->type_name("N");
  view.add_flag("--tree", options.tree, "Of a running process: include the descendants");
  view.add_option("target", options.targets, "A spool, a folder of spools, or a process number")
      ->expected(0, 1)
      ->type_name("FILE|FOLDER|PID");
  view.formatter(std::make_shared<Usage>(" [FILE|FOLDER|PID]"));
  view.footer(kNotes);
}

int RunView(const ViewOptions& options, const report::Resolver& resolve) {
  if (options.targets.size() > 1) {
    Complain("only one file, folder or process can be viewed; csink merge adds several up");
    return kExitUsage;
  }
  const auto pid = options.targets.empty() ? std::nullopt : RunningPid(options.targets[0]);
  if (pid) return ViewLive(options, *pid, resolve);
  if (options.port != 0 || options.tree) {
    Complain("--port and --tree need the number of a running process");
    return kExitUsage;
  }
  return ViewFiles(options, resolve);
}

}  // namespace csink::tool
