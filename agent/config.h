#pragma once

#include <cstddef>
#include <cstdint>

#include "core/util/raw_log.h"
#include "core/util/text.h"

namespace csink::agent {

enum class SourceChoice : unsigned char { kAuto, kRing, kTimer };
enum class ReportFormat : unsigned char { kText, kJson };

/// All of the agent's environment, read once at start. Texts are copied: a
/// program may overwrite its environment to set its title.
struct Config {
  bool enable = true;
  Text<512> events;  ///< CSINK_EVENTS; empty or "auto": chosen here
  SourceChoice source = SourceChoice::kAuto;
  Text<512> output;  ///< CSINK_OUTPUT; empty: stderr
  ReportFormat format = ReportFormat::kText;
  std::uint64_t top = 20;
  bool report = true;
  Text<400> spool_dir;  ///< CSINK_SPOOL_DIR; empty: the usual places
  bool keep = false;
  std::uint64_t min_samples = 20;
  Text<400> reporter;      ///< CSINK_REPORTER; empty: beside the agent
  std::uint64_t tree = 0;  ///< CSINK_TREE; 0: not under `csink run`
  bool doctor = false;
  bool doctor_events = false;  ///< CSINK_DOCTOR=events: list the event names
};

/// Reads CSINK_* out of `environment` (NULL-terminated). Bad values keep their
/// default. Each mistake is one warning that names what was meant; the program
/// runs on. Threads: before there are any. Signals: not safe.
void ReadConfig(char* const* environment, Config& config) noexcept;

/// Every variable there is, for `csink doctor`: "CSINK_AGENT CSINK_DOCTOR ...". Signals: not safe.
Text<512> ListVariables() noexcept;

/// False when CSINK_ENABLE says so: looked at before anything else is.
bool IsEnabled(char* const* environment) noexcept;

/// The value of `name` in `environment`, or nullptr. Programs define their own
/// getenv (bash does), so we read the block ourselves.
const char* FindVariable(char* const* environment, const char* name) noexcept;

}  // namespace csink::agent
