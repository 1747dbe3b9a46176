#pragma once

#include <string>

#include "symbolizer/commands/output.h"

namespace csink::tool {

/// `csink doctor --event EVENT`: groups, defaults and wired values of an event's unit masks and
/// modifiers, or what is wrong with the name. libcsink_events.so.0 knows; this program does not.
/// What devices count ("component:::event") csink-meter knows.
int RunEventDoctor(const std::string& event, ReportFormat format);

}  // namespace csink::tool
