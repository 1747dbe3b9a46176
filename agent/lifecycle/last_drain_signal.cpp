#include "agent/lifecycle/last_drain.h"
#include "agent/results/left_out.h"
#include "agent/results/run_facts.h"

/// File: an exec and the end of the process leave the same things behind, in the same order:
/// samples first, then the device counters, whose last reading takes up to 150 ms, then the record.

namespace csink::agent {

bool LastDrain::Run(spool::End end, int detail) noexcept {
  // Before the drain: a process of a tree may keep its samples without a spool, because a record
  // costs a tenth of one.
  collector_.set_ending(config_.tree != 0);
  collector_.set_last();
  collector_.DrainAll();
  if (end != spool::End::kExec) collector_.EndTimes();
  if (spool_.open() && !process_.sandboxed())
    RecordRunFacts(start_state_, end == spool::End::kExec, spool_);
  EndMeter();
  child_ends_.Finish(selection_.children() != 0);
  if (!selection_.AtEnd()) RecordLeftOut(config_, spool::LeftOut::kExcluded, 0);
  return selection_.AtEnd() && (meter_.running() || !record_.Leave(end, detail));
}

// A spool is made where csink run expects one: the record of a small process has no place for
// device counters.
void LastDrain::EndMeter() noexcept {
  if (!meter_.running()) return;
  if (!process_.sandboxed()) meter_.Command(MeterCommand::kEnd);
  if (config_.tree != 0 && !process_.sandboxed()) collector_.EnsureSpool();
  meter_.CopyTo(spool_);
}

}  // namespace csink::agent
