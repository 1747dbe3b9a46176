#include <signal.h>

#include "core/util/inline_text.h"
#include "core/util/parse.h"
#include "core/util/signal_name.h"

// File: names by a table, real-time signals by arithmetic. libc's sigabbrev_np works the other way
// round, and lean code has no libc.

namespace csink {
namespace {

struct Named {
  InlineText<8> name;
  int number;
};
// SIGKILL and SIGSTOP are missing on purpose: no program can handle them.
constexpr Named kNames[] = {
    {"HUP", SIGHUP},     {"INT", SIGINT},   {"QUIT", SIGQUIT},     {"ILL", SIGILL},
    {"TRAP", SIGTRAP},   {"ABRT", SIGABRT}, {"BUS", SIGBUS},       {"FPE", SIGFPE},
    {"USR1", SIGUSR1},   {"SEGV", SIGSEGV}, {"USR2", SIGUSR2},     {"PIPE", SIGPIPE},
    {"ALRM", SIGALRM},   {"TERM", SIGTERM}, {"CHLD", SIGCHLD},     {"CONT", SIGCONT},
    {"TSTP", SIGTSTP},   {"TTIN", SIGTTIN}, {"TTOU", SIGTTOU},     {"URG", SIGURG},
    {"XCPU", SIGXCPU},   {"XFSZ", SIGXFSZ}, {"VTALRM", SIGVTALRM}, {"PROF", SIGPROF},
    {"WINCH", SIGWINCH}, {"IO", SIGIO},     {"POLL", SIGIO},       {"PWR", SIGPWR},
    {"SYS", SIGSYS},     {"STKFLT", 16},
};

// glibc keeps the kernel's real-time signals 32 and 33 for itself, so its SIGRTMIN is 34. SIGRTMIN
// is a function call in glibc; the constant is used because lean code avoids libc.
constexpr int kFirstRealTime = 34;
constexpr int kLastRealTime = 64;

char Upper(char c) noexcept { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }

// Removes `prefix` (in upper case) from the beginning of `text` in any case. Returns false and
// leaves `text` unchanged if it begins otherwise.
bool TakePrefix(std::string_view& text, std::string_view prefix) noexcept {
  if (text.size() < prefix.size()) return false;
  for (std::size_t i = 0; i < prefix.size(); ++i) {
    if (Upper(text[i]) != prefix[i]) return false;
  }
  text.remove_prefix(prefix.size());
  return true;
}

// Signal `from` plus or minus a distance. `text` is what follows RTMIN or RTMAX: empty, or `sign`
// and the distance.
int RealTime(int from, std::string_view text, char sign) noexcept {
  if (text.empty()) return from;
  if (text.front() != sign) return 0;
  const Result<std::uint64_t> distance = ParseUnsigned(text.substr(1));
  if (!distance || *distance > kLastRealTime - kFirstRealTime) return 0;
  return sign == '+' ? from + static_cast<int>(*distance) : from - static_cast<int>(*distance);
}

bool MayBeHandled(std::uint64_t number) noexcept {
  return number >= 1 && number <= kLastRealTime && number != SIGKILL && number != SIGSTOP &&
         (number < 32 || number >= kFirstRealTime);
}

}  // namespace

int SignalNumber(std::string_view name) noexcept {
  if (const Result<std::uint64_t> number = ParseUnsigned(name); number) {
    return MayBeHandled(*number) ? static_cast<int>(*number) : 0;
  }
  // The prefix is optional, so the result is not used.
  TakePrefix(name, "SIG");
  if (TakePrefix(name, "RTMIN")) return RealTime(kFirstRealTime, name, '+');
  if (TakePrefix(name, "RTMAX")) return RealTime(kLastRealTime, name, '-');
  for (const Named& named : kNames) {
    std::string_view rest = name;
    if (TakePrefix(rest, named.name) && rest.empty()) return named.number;
  }
  return 0;
}

}  // namespace csink
