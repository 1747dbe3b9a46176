#pragma once

#include "agent/process/start_state.h"
#include "profil/inside/spool/writer.h"

/// File: what a comparison of runs needs to know and can only be read while the process lives.

namespace csink::agent {

/// Adds or renews the record of this process image (spool::RunFactsRecord) in the open spool,
/// unless the process has used less CPU time than spool::kLeastFactsNs. Costs 100 to 200 us.
///
/// The surroundings are lines NAME=value, what cannot be read is left out:
///
///     thp, governor, aslr      the kernel's files, as they are
///     quota                    cpu.max of the process's cgroup
///     affinity                 processors that the process may use, a mask in hexadecimal
///     load                     /proc/loadavg at the end
///     mitigations              the parameter of the kernel's command line
///     key                      16 bits that differ between machines: values below are comparable
///                              only where they are equal
///     input:PATH               bytes of a regular file that an argument names; not of a file that
///                              was written since the start
///     env:NAME                 a variable of the environment at the start: its value for those of
///                              the C library, malloc, OpenMP and the loader, else "#" and 32 bits
///                              of a hash, because values may be secrets
///
/// `is_exec`: the process goes on, and beside other threads nothing is recorded then. Where it ends
/// beside other threads, the descriptors of the files that were read stay open.
/// At most 3,000 bytes; the last lines are left out where they are more. Threads: one, under the
/// collector's lock. Signals: safe.
void RecordRunFacts(const StartState& start, bool is_exec, SpoolWriter& spool) noexcept;

}  // namespace csink::agent
