#include <fcntl.h>

#include <cstring>

#include "agent/process/ancestors.h"
#include "agent/results/left_out.h"
#include "agent/results/leftovers.h"
#include "agent/results/spool_maker.h"
#include "agent/settings/config_lines.h"
#include "core/machine/clocks.h"
#include "core/sampling/precision.h"
#include "core/util/copy_text.h"
#include "core/util/raw_log.h"
#include "core/util/raw_syscall.h"
#include "core/util/static_storage.h"

/// File: what a spool says of its process, its events and its settings.
///
/// The header is filled when the spool is made, which may be in a signal handler in the middle of
/// the run. Everything that may change later (the user, the working directory) therefore comes from
/// StartState, which was read at the start.

namespace csink::agent {
namespace {

// Describes event `spec` for the reader. `ladder` opened the event and knows which precision the
// kernel granted; nullptr: the samples come from a CPU-clock timer. The skid says how far a
// sample's address may be from the instruction that caused the overflow: a tick (timer), a
// high-resolution timer (software clock), the interrupt (counter without precision), the next
// instruction (precise_ip 1 or 2) or none (precise_ip 3, IBS, SPE).
spool::EventColumn Column(const EventSpec& spec, const AttributeLadder* ladder) noexcept {
  const bool timer = ladder == nullptr;
  const unsigned precise = timer ? 0 : ladder->precise_obtained();
  spool::EventColumn column = {};
  // A CPU-clock timer counts kernel time too.
  CopyText(column.name, timer ? std::string_view(spec.name) : EventDisplayName(spec).view());
  column.kind = spec.kind;
  column.period = spec.period;
  column.frequency_hz = spec.frequency_hz;
  column.attr_type = spec.type;
  column.attr_config = spec.config;
  column.precise_ip = precise;
  if (!timer) {
    column.precise_asked = ladder->precise_asked();
    column.precise_errno = static_cast<std::uint32_t>(ladder->precise_refusal());
    column.precise_by = static_cast<spool::PreciseBy>(PrecisionOf(spec, precise));
  }
  if (timer) {
    column.skid = spool::Skid::kTick;
  } else if (spec.type == PERF_TYPE_SOFTWARE) {
    column.skid = spool::Skid::kTimer;
  } else {
    // IBS (AMD) and SPE (Arm) tag one operation and record its own address, whatever precise_ip
    // says.
    const bool tags =
        column.precise_by == spool::PreciseBy::kIbs || column.precise_by == spool::PreciseBy::kSpe;
    column.skid = precise == 3 || tags ? spool::Skid::kExact
                  : precise != 0       ? spool::Skid::kNextInstruction
                                       : spool::Skid::kInterrupt;
  }
  return column;
}

// Filled under the collector's lock: too large for a handler's stack.
spool::Header g_header;
constinit StaticStorage<ConfigLines> g_config_lines;

}  // namespace

void SpoolMaker::Describe(spool::Header& header, bool brief) const noexcept {
  DescribeProcess(start_state_, header, brief);
  header.tree_id = config_.tree;
  // A small record has no depth: csink run computes it for the whole tree from the parents of all
  // records, and counting ancestors reads files of /proc.
  if (!brief) header.depth = CountAncestors(start_state_.parent_pid);
  header.rank_plus_one = batch_job_.rank_plus_one;
  CopyText(header.job, batch_job_.job.view());
  header.source = events_.source().number;
  CopyText(header.source_reason, events_.source_reason().view());
  header.event_count = static_cast<std::uint32_t>(events_.list().count);
  for (std::size_t i = 0; i < events_.list().count; ++i) {
    header.events[i] = Column(events_.list().events[i],
                              events_.source().perf_events ? &rings_.ladder(i) : nullptr);
  }
}

bool SpoolMaker::MakeSpool(SpoolWriter& spool) noexcept {
  spool::Header& header = g_header;
  std::memset(&header, 0, sizeof header);
  Describe(header, /*brief=*/false);
  int refused = 0;
  if (!place_.Create(spool, header, config_.spool_dir.view(), &refused)) {
    RecordLeftOut(config_, spool::LeftOut::kSpoolRefused, refused);
    return false;
  }
  // A folder that the user or csink run has chosen is theirs, and so are spools that are kept on
  // purpose.
  if (config_.spool_dir.size() == 0 && config_.report && !config_.keep) {
    RemoveLeftovers(spool.path(), config_.spool_limit, MonotonicNs());
  }
  ConfigLines& lines = g_config_lines.Make();
  const SourceFacts& source = events_.source();
  WriteConfig(config_, events_.list(), source.name, source.perf_events, lines);
  spool.SetConfiguration(lines.view());
  // The addresses of samples are assigned to files by /proc/.../maps. "thread-self" and not "self":
  // the caller may be the control thread, or main may have ended.
  if (RawSyscall(SYS_faccessat, AT_FDCWD, SyscallArg("/proc/thread-self/maps"), R_OK) < 0) {
    RawLog(LogLevel::kWarn,
           "/proc cannot be read: the report cannot name functions and libraries; mount /proc "
           "where the program runs");
  }
  return true;
}

}  // namespace csink::agent
