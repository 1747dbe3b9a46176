#pragma once

#include <cstdint>

#include "core/events/event_spec.h"
#include "core/perf/kernel.h"
#include "core/util/text.h"

/// File: the default event by what it costs. On a hypervisor each access to a counter's registers
/// may trap to the host: a context switch with a hardware event then costs 11 us instead of less
/// than one, a third of a core at 30,000 switches a second (docs/design/agent.md).
///
/// Threads: one, at a process's start. Signals: not safe.

namespace csink::agent {

/// CPU time that a sampled event adds to one context switch, in ns: taking the event off its
/// counter and putting it on again.
struct SwitchCost {
  std::uint64_t cycles_ns = 0;
  std::uint64_t task_clock_ns = 0;
};

/// What the measurement depends on, so that tests can say it.
struct CostSurroundings {
  bool is_virtual = false;
  std::uint64_t (*clock_ns)() noexcept = nullptr;
  Text<40> boot_id;  ///< "": not known; then nothing is kept
  std::uint64_t uid = 0;
  Text<512> folder;  ///< Where the result is kept; "": nowhere
  Text<80> file;     ///< Its name: of this host
};

/// Of this process: CSINK_CACHE, XDG_CACHE_HOME and HOME say the folder, as csink reads them.
CostSurroundings ReadCostSurroundings() noexcept;

/// Two opens and at most 48 pairs of disabling and enabling; ends early after 0.6 ms. False: an
/// event was refused, or never came to a counter. Leaves nothing open.
bool MeasureSwitchCost(Kernel& kernel, std::uint64_t (*clock_ns)() noexcept,
                       SwitchCost& cost) noexcept;

/// What was measured since this machine was booted, by this user. False: nothing, or a file that
/// is not what WriteSwitchCost leaves; a link is not followed, another user's file not read.
bool ReadSwitchCost(const CostSurroundings& where, SwitchCost& cost) noexcept;
/// Replaces the file as a whole, in a folder of this user's that is made where it is missing (no
/// more than two levels of it). False: not kept.
bool WriteSwitchCost(const CostSurroundings& where, const SwitchCost& cost) noexcept;

/// The costs from the file or, where there is none, measured and kept. False: not known, or no
/// hypervisor: then nothing was asked.
bool FindSwitchCost(Kernel& kernel, const CostSurroundings& where, SwitchCost& cost) noexcept;

/// Whether cycles stay within 5 % of the CPU time at 30,000 switches a second, or cost no more
/// than task-clock does.
bool CyclesAreCheap(const SwitchCost& cost) noexcept;

/// The default event where cycles can be counted. `event` holds cycles; it becomes `task_clock`,
/// as often as 1 % of the CPU time allows, where cycles are dear. `reason` gets a clause that says
/// the costs and how to have the other one; nothing where nothing was measured.
void ChooseByCost(Kernel& kernel, const CostSurroundings& where, const EventSpec& task_clock,
                  EventSpec& event, Text<256>& reason) noexcept;

}  // namespace csink::agent
