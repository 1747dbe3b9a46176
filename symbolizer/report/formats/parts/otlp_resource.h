#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "symbolizer/report/formats/parts/otlp_attributes.h"
#include "symbolizer/report/tables/report.h"

/// File: the resource of a profile in OTLP: which service, machine, process and container. Keys:
/// OpenTelemetry's semantic conventions, "Resource"; environment: its specification, "Environment
/// Variable Specification" and "Resource SDK".

namespace csink::report::otlp {

/// Attributes in the order in which they are written; each key once.
using Resource = std::vector<std::pair<std::string, Value>>;

/// What the user's environment says about resources.
struct ResourceSettings {
  /// OTEL_SERVICE_NAME; empty: not set
  std::string service_name;
  /// OTEL_RESOURCE_ATTRIBUTES: keys and decoded values
  std::vector<std::pair<std::string, std::string>> attributes;
};

/// Parses "key=value,key=value", where bytes of keys and values may be written as %XX. White space
/// around them is ignored, and so are empty elements. nullopt: an element without '=' or with an
/// empty key, a '%' without two hexadecimal digits, or a text that is not UTF-8. The specification
/// demands that the whole text is then ignored.
std::optional<std::vector<std::pair<std::string, std::string>>> ParseResourceAttributes(
    std::string_view text);

/// Reads OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES. Ignores the second, and says so in one
/// line on stderr once in a process, if it cannot be parsed.
/// Threads: not while another thread changes the environment.
ResourceSettings ReadResourceSettings();

/// The resource of a process of the report. Attributes of the environment replace ours; the
/// environment's service name replaces both. Without one the service is the process's program.
Resource ResourceOf(const ProcessRow& process, const ResourceSettings& settings);

/// The resource of samples whose process is not known: the report's first command, without pids.
Resource ResourceOfAll(const Report& report, const ResourceSettings& settings);

}  // namespace csink::report::otlp
