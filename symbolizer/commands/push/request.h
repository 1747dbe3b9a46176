#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "symbolizer/commands/push/settings.h"
#include "symbolizer/commands/push/transport.h"

/// File: makes the requests of the receivers from the bytes of a profile.

namespace csink::push {

/// Compresses bytes in gzip format (RFC 1952). nullopt: no memory.
std::optional<std::string> GzipOf(std::string_view bytes);

/// What a receiver may want to know beside the profile.
struct ProfileFacts {
  /// Of the application, perhaps with labels: solver{host="node7"}. Not empty.
  std::string name;
  // Seconds since 1970.
  std::uint64_t from_s = 0;
  std::uint64_t until_s = 0;
};

/// The URL of Pyroscope's ingest for a base URL: "/ingest" is appended to the path, unless the path
/// ends in it already, and the facts become the query. A query of the base is kept.
std::string PyroscopeUrl(std::string_view base, const ProfileFacts& facts);

/// A request with an ExportProfilesServiceRequest, compressed if the settings say so. nullopt: no
/// memory.
std::optional<Request> OtlpRequest(const Settings& settings, const ProfileFacts& facts,
                                   std::string bytes);
/// A request with a pprof file as the field `profile` of a form.
std::optional<Request> PyroscopeRequest(const Settings& settings, const ProfileFacts& facts,
                                        std::string pprof);
/// The request for the receiver of the settings.
std::optional<Request> RequestFor(const Settings& settings, const ProfileFacts& facts,
                                  std::string bytes);

}  // namespace csink::push
