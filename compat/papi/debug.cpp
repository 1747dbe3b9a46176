#include "compat/papi/debug.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "compat/papi/c_edge.h"
#include "compat/papi/error_text.h"
#include "compat/papi/last_error.h"
#include "compat/papi/thread_context.h"
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
  const char* words = PAPI_strerror(code);
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

std::atomic<int> g_level{PAPI_QUIET};
std::atomic<PAPI_debug_handler_t> g_handler{SayFailure};

}  // namespace

EventComplaint& Complaint() noexcept {
  if (ThreadContext* context = TheLibrary().threads.Current()) return context->complaint;
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

void SetDebugHandler(PAPI_debug_handler_t handler) noexcept {
  g_handler.store(handler ? handler : SayFailure, std::memory_order_relaxed);
}

}  // namespace csink::papi

using csink::papi::AtCEdge;

int PAPI_set_debug(int level) {
  return AtCEdge([&] { return csink::papi::SetDebugLevel(level) ? PAPI_OK : PAPI_EINVAL; });
}
