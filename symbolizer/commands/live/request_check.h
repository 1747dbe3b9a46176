#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/util/result.h"

/// File: which requests the server of a live page answers.

namespace csink::tool {

/// What a request asks for. kNothing: the request is refused, as if there were nothing.
enum class Asked {
  kNothing,
  kPage,   ///< /TOKEN/
  kData,   ///< /TOKEN/data: the newest data, if they are newer than those that the page has
  kAlive,  ///< /TOKEN/alive: only says that the page is still open
};

/// 128 random bits (getrandom(2)) as 32 hexadecimal digits. Errors: kSystem.
Result<std::string> RandomToken();

/// What a GET request asks for. `path` is the path without the query, `host` the header Host, empty
/// if there is none. The host must be 127.0.0.1:PORT or localhost:PORT: a page of another site
/// whose name was made to point to 127.0.0.1 sends its own name. The token is compared in a time
/// that does not depend on where it differs.
Asked WhatIsAsked(std::string_view path, std::string_view host, std::string_view token,
                  std::uint16_t port);

/// The number behind "after=" in a query; 0 if there is none.
std::uint64_t VersionInQuery(std::string_view query);

}  // namespace csink::tool
