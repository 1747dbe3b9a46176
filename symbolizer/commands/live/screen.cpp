#include "symbolizer/commands/live/screen.h"

#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/console/terminal.h"

/// File: the terminal of `csink top`. Handlers only set flags; Wait looks at them after ppoll(2).
/// The signals are blocked all the time except in ppoll, which unblocks them atomically (ppoll(2)),
/// so none can arrive between the check of a flag and the wait.

namespace csink::tool {
namespace {

/// Set by the handler. Wait reads these flags, and clears all but g_end.
volatile sig_atomic_t g_end = 0;
volatile sig_atomic_t g_resized = 0;
volatile sig_atomic_t g_stop = 0;
volatile sig_atomic_t g_continued = 0;

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGWINCH};
constexpr int kJobSignals[] = {SIGTSTP, SIGCONT};  // Job control
constexpr char kEnter[] = "\033[?1049h\033[?25l";  // Alternate screen, hidden cursor (xterm)
constexpr char kLeave[] = "\033[?25h\033[?1049l";

/// The handler of all signals.
void OnSignal(int signal) {
  if (signal == SIGWINCH) {
    g_resized = 1;
  } else if (signal == SIGTSTP) {
    g_stop = 1;
  } else if (signal == SIGCONT) {
    g_continued = 1;
  } else {
    g_end = 1;
  }
}

/// The signals as a set.
template <std::size_t n>
sigset_t SetOf(const int (&signals)[n]) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  return set;
}

/// Whether the signal is ignored, as this process may have inherited it.
bool IsIgnored(int signal) {
  struct sigaction action = {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

/// Installs the handler and blocks the signals. They are unblocked only while waiting, so that none
/// can arrive between the check of a flag and the wait. An ignored SIGTSTP stays ignored.
template <std::size_t n>
void Catch(const int (&signals)[n]) {
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  for (const int signal : signals) {
    if (signal != SIGTSTP || !IsIgnored(signal)) sigaction(signal, &action, nullptr);
  }
  const sigset_t set = SetOf(signals);
  sigprocmask(SIG_BLOCK, &set, nullptr);
}

/// The first `rows` lines; more would scroll the terminal. No newline at the end, which would
/// scroll as well.
std::string Cut(const std::string& text, std::size_t rows) {
  std::size_t at = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto end = text.find('\n', at);
    if (end == std::string::npos) return text;
    at = end + 1;
  }
  return at == 0 ? "" : text.substr(0, at - 1);
}

}  // namespace

Screen::Screen(bool may_take) {
  Catch(kSignals);
  // Job control only with a screen: otherwise Ctrl-Z needs nothing to be restored.
  is_terminal_ = may_take && isatty(1);
  if (is_terminal_) Catch(kJobSignals);
  has_keys_ = is_terminal_ && isatty(0) && tcgetattr(0, &before_) == 0;
  Take();
}

Screen::~Screen() { Leave(); }

void Screen::Take() {
  if (has_keys_) {
    termios raw = before_;
    // ISIG stays set: Ctrl-C and Ctrl-Z remain signals.
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    tcsetattr(0, TCSANOW, &raw);
  }
  if (is_terminal_) (void)WriteAll(1, kEnter);
}

void Screen::GiveBack() {
  if (is_terminal_) (void)WriteAll(1, kLeave);
  if (has_keys_) tcsetattr(0, TCSANOW, &before_);
}

void Screen::Leave() {
  GiveBack();
  if (is_terminal_) {  // From here on, the kernel handles Ctrl-Z
    if (!IsIgnored(SIGTSTP)) signal(SIGTSTP, SIG_DFL);
    const sigset_t set = SetOf(kJobSignals);
    sigprocmask(SIG_UNBLOCK, &set, nullptr);
  }
  is_terminal_ = has_keys_ = false;
}

/// Stops the process as Ctrl-Z does; returns when it is continued. The terminal is given back
/// meanwhile. The kernel does not stop processes of an orphaned process group, because no shell
/// could continue them; then returns at once.
void Screen::Stop() {
  // The shell gets a terminal with echo and with its own text.
  GiveBack();
  struct sigaction stop = {};
  stop.sa_handler = SIG_DFL;
  struct sigaction ours = {};
  sigaction(SIGTSTP, &stop, &ours);
  (void)raise(SIGTSTP);
  const sigset_t set = SetOf(kJobSignals);
  sigprocmask(SIG_UNBLOCK, &set, nullptr);  // The stop happens here
  sigprocmask(SIG_BLOCK, &set, nullptr);
  sigaction(SIGTSTP, &ours, nullptr);
  // Also without a stop: the screen must be taken again.
  g_continued = 1;
}

bool Screen::Show(const std::string& text) {
  if (!is_terminal_) return Write(text + "\n");
  const std::size_t rows = std::max<std::size_t>(1, SizeOf(1).rows);
  // Overwrites from the top instead of clearing first, which would flicker.
  std::string screen = "\033[H";
  for (const char c : Cut(text, rows)) {
    if (c == '\n') screen += "\033[K";  // Clears the rest of a longer old line
    screen += c;
  }
  return Write(screen + "\033[K\033[J");
}

bool Screen::Write(const std::string& text) {
  const auto written = WriteAll(1, text);
  error_ = written.error();
  return written.has_value();
}

Wake Screen::Wait(double seconds, char& key) {
  timespec left = {};
  left.tv_sec = static_cast<time_t>(seconds);
  left.tv_nsec = static_cast<long>(std::fmod(seconds, 1) * 1e9);
  pollfd input = {has_keys_ ? 0 : -1, POLLIN, 0};
  sigset_t none;
  sigemptyset(&none);
  const int ready = ppoll(&input, 1, &left, &none);
  // Flags are looked at whatever ppoll returned: signals, keys and time may come together.
  if (g_end) return Wake::kEnd;
  if (g_stop) {
    g_stop = 0;
    Stop();
  }
  if (g_continued) {  // Also after SIGSTOP
    g_continued = 0;
    Take();
    return Wake::kRedraw;
  }
  if (g_resized) {
    g_resized = 0;
    return Wake::kRedraw;
  }
  if (ready <= 0) return Wake::kTime;
  if (read(0, &key, 1) == 1) return Wake::kKey;
  has_keys_ = false;  // The terminal was closed
  return Wake::kTime;
}

}  // namespace csink::tool
