#pragma once

#include <cstddef>
#include <string_view>

#include "agent/lifecycle/exec_target.h"
#include "core/util/text.h"
#include "profil/format/small_record.h"

/// File: an exec of a program into which libagent.so cannot be preloaded becomes an exec of
/// csink-attach ("become"), which has itself sampled from outside and then executes the program in
/// the same process (agent/attach/become.h).

namespace csink::agent {

/// How one exec is redirected.
struct OutsideExec {
  spool::Refusal why = spool::Refusal::kNone;
  Text<512> attacher;  ///< Path of csink-attach
  Text<512> program;   ///< As execv takes it
  /// Entry of LD_PRELOAD that the program gets back if it cannot be sampled; empty where the
  /// program would die of it
  Text<512> agent;
  Text<4> why_number;
};

/// Plans the redirection, or returns false: the program can be preloaded, or it cannot be sampled
/// from outside, or the redirection could change what the program does:
///  - a file that exec would refuse (no right, another processor, a long path): the caller must see
///    the error of exec itself;
///  - a descriptor instead of a name: it may be closed by exec;
///  - a traced process: a debugger counts execs;
///  - a process whose memory is limited (RLIMIT_AS, RLIMIT_DATA): csink-attach might not start;
///  - perf events that are refused: an exec of csink-attach would cost 3 ms for nothing.
/// `agent`: libagent.so's entry in LD_PRELOAD; csink-attach is beside it or in libexec.
/// Threads: any. Signals: safe, also in a vfork child: at most 6 KiB of stack, no heap.
bool PlanOutsideExec(const ExecTarget& target, std::string_view agent, OutsideExec& plan) noexcept;

/// Words that csink-attach gets in front of the program's arguments.
inline constexpr std::size_t kBecomeWords = 5;

/// Writes the argument list of csink-attach into `room`, which has place for
/// kBecomeWords + `count` pointers, and returns it. It points into `plan` and `arguments`, the
/// program's own `count` arguments with the last nullptr.
char* const* OutsideArguments(const OutsideExec& plan, char* const* arguments, std::size_t count,
                              char** room) noexcept;

}  // namespace csink::agent
