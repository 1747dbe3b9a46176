#pragma once

#include <string>

#include "symbolizer/commands/output.h"

namespace csink::tool {

/// Runs `csink doctor --event EVENT`: prints groups, defaults and wired values of an event's unit
/// masks and modifiers, or what is wrong with the name. `format` is kText or kJson.
/// libcsink_events.so.0 answers, opened on demand, so that csink itself needs no event tables.
/// Device events ("component:::event") are answered by csink-meter. Returns the exit status: 0;
/// kExitNothing if the event or the library is not found; for device events that of csink-meter.
int RunEventDoctor(const std::string& event, ReportFormat format);

}  // namespace csink::tool
