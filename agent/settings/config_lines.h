#pragma once

#include <string_view>

#include "agent/settings/config.h"
#include "core/events/event_spec.h"

namespace csink::agent {

/// 16 KiB: room for every setting even if each quote of a value takes four bytes.
using ConfigLines = Text<16 * 1024>;

/// Writes the effective configuration as lines NAME='value' that a POSIX shell can source: every
/// setting that is not at its default, and the events and the source that were chosen. Left out are
/// settings that belong to one run (the tree of `csink run`) and those that name csink's own files.
/// `source`: the word of CSINK_SOURCE; `with_levels`: the source samples user and kernel mode as
/// each event asks, so the events are written with their levels. Threads: under the collector's
/// lock. Signals: safe.
void WriteConfig(const Config& config, const EventList& events, std::string_view source,
                 bool with_levels, ConfigLines& lines) noexcept;

}  // namespace csink::agent
