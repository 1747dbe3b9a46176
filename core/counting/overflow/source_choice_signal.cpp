#include <sys/utsname.h>

#include "core/counting/overflow/source_choice.h"
#include "core/counting/signals/thread_signals.h"
#include "core/machine/valgrind.h"
#include "core/util/parse.h"
#include "core/util/raw_syscall.h"

// File: the facts are collected by LookAtMachine, the choice is made from them alone
// (ChooseSource), so that the tests can try machines that they do not run on.

namespace csink {
namespace {

/// Parses the number at the front of `text`, and moves `text` behind it and one more byte.
std::uint64_t LeadingNumber(std::string_view& text) noexcept {
  std::size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
  const auto number = ParseUnsigned(text.substr(0, digits));
  text.remove_prefix(digits < text.size() ? digits + 1 : digits);
  return number ? *number : 0;
}

}  // namespace

bool IsSigtrapRelease(std::string_view release) noexcept {
  const std::uint64_t major = LeadingNumber(release);
  const std::uint64_t minor = LeadingNumber(release);
  // Synchronous SIGTRAP exists since Linux 5.13. Before 6.1 the kernel could drop such a signal
  // (commit ca6c21327c6a, "perf: Fix missing SIGTRAPs").
  return major > 6 || (major == 6 && minor >= 1);
}

SourceFacts LookAtMachine() noexcept {
  SourceFacts facts;
  utsname names = {};
  if (RawSyscall(SYS_uname, SyscallArg(&names)) == 0) {
    facts.sigtrap_kernel = IsSigtrapRelease(names.release);
  }
  facts.traced = IsTraced();
  facts.on_valgrind = RunsOnValgrind();
  return facts;
}

Result<SourceChoice> ChooseSource(const SourceFacts& facts, std::span<const OverflowArming> armings,
                                  OverflowMode mode, OverflowSourceKind forced) noexcept {
  using Kind = OverflowSourceKind;
  // The two modes that leave no choice come first.
  if (mode == OverflowMode::kForcedSoftware) {
    if (forced != Kind::kAutomatic && forced != Kind::kTimer) {
      return Error{Errc::kInvalid, 0, "software overflow can be delivered by the timer only"};
    }
    return SourceChoice{Kind::kTimer, "software overflow was requested"};
  }
  if (mode == OverflowMode::kReported || forced == Kind::kReported) {
    if (mode != OverflowMode::kReported ||
        (forced != Kind::kAutomatic && forced != Kind::kReported)) {
      return Error{Errc::kInvalid, 0, "only counters that a library keeps can be reported"};
    }
    return SourceChoice{
        Kind::kReported,
        "the library that keeps the counter reports overflows, or a timer polls them"};
  }
  if (forced == Kind::kTimer) {
    return Error{Errc::kInvalid, 0, "the timer source is for software overflow only"};
  }
  bool kernel_mode = false;
  for (const OverflowArming& arming : armings) kernel_mode = kernel_mode || arming.kernel_mode;
  // One source serves the whole set, so one event that counts in kernel mode decides for all.
  const char* against = nullptr;
  if (!facts.sigtrap_kernel) {
    against = "SIGTRAP of perf events is reliable since Linux 6.1, and this kernel is older";
  } else if (facts.traced) {
    against = "the process is traced, and a debugger would stop at each SIGTRAP";
  } else if (facts.on_valgrind) {
    against = "the program runs on valgrind, and a SIGTRAP in valgrind's own code would end it";
  } else if (kernel_mode) {
    against =
        "an event also counts kernel mode, and a SIGTRAP that is pending during exec kills the "
        "process";
  }
  // A forced source (for tests) is refused only where the kernel lacks it.
  if (forced == Kind::kSigtrap && !facts.sigtrap_kernel) {
    return Error{Errc::kUnsupported, 0, against};
  }
  if (forced == Kind::kSigtrap || (forced == Kind::kAutomatic && !against)) {
    return SourceChoice{Kind::kSigtrap, "synchronous, at the interrupted instruction"};
  }
  return SourceChoice{Kind::kSignal, against ? against : "the signal source was requested"};
}

}  // namespace csink
