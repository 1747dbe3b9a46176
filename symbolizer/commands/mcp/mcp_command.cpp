#include "symbolizer/commands/mcp/mcp_command.h"

#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "symbolizer/commands/console/exit_codes.h"
#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/mcp/protocol.h"
#include "symbolizer/commands/mcp/tools.h"

namespace csink::tool {
namespace {

/// Text behind the options in --help.
constexpr char kNotes[] =
    "A server on standard input and output. Tools: list, findings, show, diff, which only read; "
    "with\n"
    "--allow-run also run, whose profiles are removed at the end.\n"
    "Exit status: 0; 1 no place for profiles, or nobody reads.\n"
    "Example: {\"mcpServers\": {\"csink\": {\"command\": \"csink\", \"args\": [\"mcp\"]}}}";

/// A private folder that is removed at the end.
class RunFolder {
 public:
  RunFolder() {
    std::error_code error;
    std::string name = std::filesystem::temp_directory_path(error) / "csink-mcp-XXXXXX";
    if (!error && mkdtemp(name.data())) path_ = name;  // Mode 0700
  }
  ~RunFolder() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
  }
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// A signal asked for the end.
volatile sig_atomic_t g_ended = 0;

/// The lines of standard input. Next: the next line without its end, at most one byte more than a
/// message may have; what is longer is read and dropped. False at the end of the input.
class Lines {
 public:
  bool Next(std::string& line) {
    line.clear();
    for (;;) {
      if (begin_ == end_ && !Fill()) return !line.empty();
      const char c = buffer_[begin_++];
      if (c == '\n') return true;
      if (line.size() <= mcp::kMostMessageBytes) line += c;
    }
  }

 private:
  bool Fill() {
    ssize_t got = 0;
    do {
      got = read(STDIN_FILENO, buffer_, sizeof buffer_);
    } while (got < 0 && errno == EINTR && !g_ended);
    begin_ = 0;
    end_ = got > 0 && !g_ended ? static_cast<std::size_t>(got) : 0;
    return end_ > 0;
  }

  char buffer_[1 << 16];
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

bool WriteLine(std::string line) {
  line += '\n';
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t wrote = write(STDOUT_FILENO, line.data() + done, line.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    done += static_cast<std::size_t>(wrote);
  }
  return true;
}

}  // namespace

void AddMcp(CLI::App& app, McpOptions& options) {
  CLI::App& mcp = *app.add_subcommand("mcp", "Answer programs over the Model Context Protocol");
  mcp.add_flag("--allow-run", options.allow_run, "Also start programs, with your rights");
  mcp.footer(kNotes);
}

int RunMcp(const McpOptions& options) {
  std::optional<RunFolder> folder;
  if (options.allow_run) {
    folder.emplace();
    if (folder->path().empty()) {
      Complain("no folder for profiles could be made in TMPDIR or /tmp");
      return kExitNothing;
    }
  }
  // Without SA_RESTART: a read ends, and the folder is removed.
  struct sigaction action = {};
  action.sa_handler = [](int) { g_ended = 1; };
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaction(signal, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);
  const std::vector<mcp::Tool> tools = mcp::MakeTools(folder ? folder->path() : "");
  Lines lines;
  std::string line;
  while (lines.Next(line)) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const std::optional<std::string> reply = mcp::Reply(line, tools);
    if (reply && !WriteLine(*reply)) return kExitNothing;
  }
  return 0;
}

}  // namespace csink::tool
