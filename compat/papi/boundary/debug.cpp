#include "compat/papi/boundary/debug.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "compat/papi/boundary/error_text.h"
#include "compat/papi/threads/last_error.h"
#include "compat/papi/threads/thread_list.h"
#include "core/util/raw_syscall.h"
#include "core/util/text.h"

namespace csink::papi {
namespace {

/// The default debug handler. Prints "PAPI Error: Error Code -7,PAPI_ENOEVNT,No such event on this
/// machine: <message>", as PAPI does. Uses a buffer on the stack and a raw write, because a failing
/// call may be in a signal handler.
int SayFailure(int code) {
  const int level = DebugLevel();
  if (code >= 0 || level == PAPI_QUIET) return code;
  Text<1024> line;
  const char* words = ErrorSentence(code);
  const char* name = ErrorName(code);
  // The format is PAPI's, up to the words of the code. Our sentence follows.
  line.Add("PAPI Error: Error Code ").Signed(code).Add(",").Add(name ? name : "unknown");
  line.Add(",").Add(words ? words : "no code of PAPI");
  if (code == PAPI_ESYS && errno != 0) line.Add(": ").Add(std::strerror(errno));
  if (const std::string_view why = LastSentence(); !why.empty()) line.Add(": ").Add(why);
  line.Add('\n');
  RawSyscall(SYS_write, STDERR_FILENO, SyscallArg(line.c_str()), static_cast<long>(line.size()));
  if (level == PAPI_VERB_ESTOP) std::exit(EXIT_FAILURE);
  return code;
}

/// The PAPI code of an internal error. Total: without a default, so that the compiler warns about a
/// new Errc. kLimit has three codes: descriptors of the process or the system used up (EMFILE,
/// ENFILE) is PAPI_ESYS, another limit of the kernel (sys_errno set) is PAPI_ENOMEM, a limit of the
/// library itself is PAPI_ECOUNT. errno is not changed here (Complain sets it).
constexpr int ToPapi(const Error& error) noexcept {
  // kInvalid, kNotFound and kCorrupt are mistakes in what the caller passed: an argument or a file.
  switch (error.code) {
    case Errc::kOk:
      return PAPI_OK;
    case Errc::kPermission:
      return PAPI_EPERM;
    case Errc::kNoEvent:
      return PAPI_ENOEVNT;
    case Errc::kConflict:
      return PAPI_ECNFLCT;
    case Errc::kLimit:
      if (error.sys_errno == EMFILE || error.sys_errno == ENFILE) return PAPI_ESYS;
      return error.sys_errno == 0 ? PAPI_ECOUNT : PAPI_ENOMEM;
    case Errc::kInvalid:
    case Errc::kNotFound:
    case Errc::kCorrupt:
      return PAPI_EINVAL;
    case Errc::kAttribute:
      return PAPI_EATTR;
    case Errc::kCombination:
      return PAPI_ECOMBO;
    case Errc::kUnsupported:
      return PAPI_ENOSUPP;
    case Errc::kLost:
      return PAPI_ECLOST;
    case Errc::kSystem:
      return PAPI_ESYS;
  }
  return PAPI_EBUG;
}

std::atomic<int> g_level{PAPI_QUIET};
std::atomic<PAPI_debug_handler_t> g_handler{SayFailure};

}  // namespace

EventComplaint& Complaint() noexcept {
  if (ThreadContext* context = Threads().Current()) return context->complaint;
  // No memory for a context: all such threads write this one, and none reads it.
  static EventComplaint shared;
  return shared;
}

std::string_view LastSentence() noexcept {
  return t_context ? t_context->complaint.view() : SaidWithoutContext();
}

void ForgetSentence() noexcept {
  if (t_context) [[likely]] {
    t_context->complaint.Clear();
  } else {
    SayWithoutContext({});
  }
}

int Complain(int code, std::string_view sentence) noexcept {
  if (t_context) {
    t_context->complaint.Clear();
    t_context->complaint.Add(sentence);
  } else {
    SayWithoutContext(sentence);
  }
  return code;
}

/// errno is set for PAPI_ESYS, which programs explain by it. An Error without errno leaves errno
/// alone.
int Complain(const Error& error) noexcept {
  // The message of the place that found the mistake is more precise than the error's own.
  if (LastSentence().empty()) Complain(PAPI_OK, error.what);
  if (error.sys_errno > 0) errno = error.sys_errno;
  return ToPapi(error);
}

// The code is stored first: the program's handler may call PAPI_perror.
int Report(int code) noexcept {
  Failed(code);
  return g_handler.load(std::memory_order_relaxed)(code);
}

void SayAside(std::string_view sentence) noexcept {
  if (DebugLevel() == PAPI_QUIET) return;
  Text<1024> line;
  line.Add("PAPI Error: ").Add(sentence).Add('\n');
  RawSyscall(SYS_write, STDERR_FILENO, SyscallArg(line.c_str()), static_cast<long>(line.size()));
}

int DebugLevel() noexcept { return g_level.load(std::memory_order_relaxed); }

bool SetDebugLevel(int level) noexcept {
  if (level != PAPI_QUIET && level != PAPI_VERB_ECONT && level != PAPI_VERB_ESTOP) return false;
  g_level.store(level, std::memory_order_relaxed);
  return true;
}

PAPI_debug_handler_t DebugHandler() noexcept { return g_handler.load(std::memory_order_relaxed); }

// Relaxed: the level and the handler do not depend on each other, and a call that runs meanwhile
// may use either.
void SetDebugHandler(PAPI_debug_handler_t handler) noexcept {
  g_handler.store(handler ? handler : SayFailure, std::memory_order_relaxed);
}

}  // namespace csink::papi
