#pragma once

#include <string>

#include "core/util/report_format.h"

/// File: `csink doctor`: what can be measured here.

namespace csink::tool {

/// Argument that makes this program return at once, before anything else. The doctor profiles csink
/// with it, because every installation has this program.
inline constexpr char kNothingCommand[] = "--do-nothing";

/// What the doctor prints.
enum class Findings {
  /// For people.
  kText,
  kJson,  ///< One object, for programs
  /// The events that can be sampled, one a line.
  kEvents,
};

/// `csink doctor`: runs this program itself, doing nothing, under libagent.so with CSINK_DOCTOR;
/// the agent's findings go to stdout. Returns the exit status: that of the child, or kExitNothing
/// if there is no agent or the output cannot be written.
int RunDoctor(Findings findings);

/// Checks an event list. Returns what is wrong with it, as text for the user; empty if nothing is
/// wrong, or if it cannot be checked.
///
/// Starts this program as an idle child with `agent` (path of libagent.so) and CSINK_DOCTOR, so
/// that the agent itself checks the names: they then mean the same as in the profiled program.
/// `events` is a value of CSINK_EVENTS, `source` one of CSINK_SOURCE or empty. Takes as long as
/// `csink doctor`.
std::string WhatIsWrongWithEvents(const std::string& agent, const std::string& events,
                                  const std::string& source);

/// Runs `csink doctor --event EVENT`: prints groups, defaults and wired values of an event's unit
/// masks and modifiers, or what is wrong with the name. `format` is kText or kJson.
/// libcsink_events.so.0 answers, opened on demand, so that csink itself needs no event tables.
/// Device events ("component:::event") are answered by csink-meter. Returns the exit status: 0;
/// kExitNothing if the event or the library is not found; for device events that of csink-meter.
int RunEventDoctor(const std::string& event, ReportFormat format);

}  // namespace csink::tool
