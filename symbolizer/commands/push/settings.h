#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "symbolizer/commands/push/answer.h"
#include "symbolizer/commands/push/transport.h"

/// File: where profiles are sent, and how: the variables OTEL_EXPORTER_OTLP_* and a URL of the
/// user, by the rules of the specification of OTLP exporters
/// (opentelemetry.io/docs/specs/otel/protocol/exporter). The form OTEL_EXPORTER_OTLP_PROFILES_NAME
/// takes precedence over OTEL_EXPORTER_OTLP_NAME. An empty variable counts as not set.

namespace csink::push {

/// The longest timeout, for OTEL_EXPORTER_OTLP_TIMEOUT=0 too, which asks for none: a push must end.
inline constexpr std::uint64_t kMostTimeoutMs = 3'600'000;

/// Where and how. Everything was checked.
struct Settings {
  Receiver receiver = Receiver::kOtlp;
  /// Complete for OTLP. For Pyroscope without the query (PyroscopeUrl).
  std::string url;
  std::vector<Header> headers;
  std::uint64_t timeout_ms = 10'000;  ///< 1 to kMostTimeoutMs; of all attempts together
  bool compress = true;               ///< OTLP only; pprof is always compressed
  std::string certificate;            ///< Files, as of Request
  std::string client_certificate;
  std::string client_key;
  /// Lines for the user: variables with values that are ignored.
  std::vector<std::string> warnings;
};

/// Returns the value of a variable of the environment, or null.
using Variable = std::function<const char*(const char* name)>;

/// Makes the settings. `url`: what the user gave, "": the variables decide, and without them
/// http://localhost:4318. `receiver`: nullopt chooses Pyroscope for a URL whose path ends in
/// "/ingest", else OTLP. Headers of the variables are for OTLP only: they may contain secrets of
/// the collector.
/// Returns nullopt, with a line for the user in `wrong`, if profiles cannot be sent like that: the
/// URL is not http or https, the protocol is not http/protobuf, a header is malformed, or Pyroscope
/// has no URL.
std::optional<Settings> ReadSettings(const std::string& url, std::optional<Receiver> receiver,
                                     const Variable& variable, std::string& wrong);

/// The endpoint of OTLP for a base URL: "/v1development/profiles" is appended to the path, unless
/// the path ends in it already. Query and fragment are dropped.
std::string ProfilesUrl(std::string_view base);

/// Decodes "name=value,name2=value2", with percent-encoded values and blanks around the parts.
/// nullopt, with the reason in `wrong`: a part without '=', a name that is no token of HTTP, a '%'
/// without two digits, or a value with a control character.
std::optional<std::vector<Header>> DecodeHeaders(std::string_view text, std::string& wrong);

/// Why the text cannot be a URL to which profiles are sent; "": it can.
std::string WhatIsWrongWithUrl(std::string_view url);

}  // namespace csink::push
