#pragma once

#include <cstdint>

#include "core/events/event_spec.h"
#include "core/perf/kernel.h"
#include "core/util/text.h"

/// File: chooses the default event by its cost. On a hypervisor each access to a counter's
/// registers may trap to the host. A context switch with a hardware event then costs 11 us instead
/// of less than one: a third of a core at 30,000 switches a second (docs/design/agent.md).
/// Threads: one, at the start of a process. Signals: not safe.

namespace csink::agent {

/// The CPU time in ns that a sampled event adds to one context switch: taking the event off its
/// counter and putting it on again.
struct SwitchCost {
  std::uint64_t cycles_ns = 0;
  std::uint64_t task_clock_ns = 0;
};

/// What the measurement and its stored result depend on. A structure, so that tests can set it.
struct CostSurroundings {
  /// A hypervisor is present; otherwise nothing is measured
  bool is_virtual = false;
  /// The clock of the measurement, in ns
  std::uint64_t (*clock_ns)() noexcept = nullptr;
  Text<40> boot_id;  ///< "": unknown, the result is not stored
  /// The effective user, who must own the folder and the file
  std::uint64_t uid = 0;
  Text<512> folder;  ///< Where the result is stored; "": nowhere
  Text<80> file;     ///< Name of the file, which contains the host's name
};

/// The values for this process. The folder comes from CSINK_CACHE, XDG_CACHE_HOME and HOME, as for
/// csink's cache.
CostSurroundings ReadCostSurroundings() noexcept;

/// Opens two events and disables and enables them at most 48 times; stops after 0.6 ms. False: an
/// event was refused or never had a counter. Leaves nothing open.
bool MeasureSwitchCost(Kernel& kernel, std::uint64_t (*clock_ns)() noexcept,
                       SwitchCost& cost) noexcept;

/// Reads the result that this user stored since the machine was booted. False: none, or a file that
/// WriteSwitchCost did not write. Links are not followed, files of other users not read.
bool ReadSwitchCost(const CostSurroundings& where, SwitchCost& cost) noexcept;
/// Stores the result by replacing the file. The folder must be this user's; at most two missing
/// levels are made. False: not stored.
bool WriteSwitchCost(const CostSurroundings& where, const SwitchCost& cost) noexcept;

/// The costs from the file, or else measured and stored. Returns false if they cannot be measured,
/// or if the machine is not virtual (then nothing is measured).
bool FindSwitchCost(Kernel& kernel, const CostSurroundings& where, SwitchCost& cost) noexcept;

/// True if cycles add at most 1.67 us to a switch (5 % of the CPU time at 30,000 switches a
/// second), or not more than task-clock does.
bool CyclesAreCheap(const SwitchCost& cost) noexcept;

/// Chooses the default event on a machine that can count cycles. `event` holds cycles. If cycles
/// are too expensive, `event` becomes `task_clock`, with a period that keeps interrupts within 1 %
/// of the CPU time. `reason` gets a clause with the costs and the way to use the other event;
/// nothing is added if nothing was measured.
void ChooseByCost(Kernel& kernel, const CostSurroundings& where, const EventSpec& task_clock,
                  EventSpec& event, Text<256>& reason) noexcept;

}  // namespace csink::agent
