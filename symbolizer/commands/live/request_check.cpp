#include "symbolizer/commands/live/request_check.h"

#include <sys/random.h>

#include <cerrno>

#include "core/util/parse.h"

namespace csink::tool {
namespace {

/// Whether the token is right. The time does not depend on where they differ: otherwise it could be
/// found digit by digit.
bool IsToken(std::string_view given, std::string_view token) {
  if (given.size() != token.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < token.size(); ++i) {
    difference |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(token[i]);
  }
  return difference == 0;
}

}  // namespace

Result<std::string> RandomToken() {
  unsigned char bytes[16];
  // 256 bytes and less are never interrupted once the generator is seeded (getrandom(2)).
  if (getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes)) {
    return Error{Errc::kSystem, errno, "the kernel gave no random bytes"};
  }
  std::string token;
  for (const unsigned char byte : bytes) {
    token += "0123456789abcdef"[byte >> 4];
    token += "0123456789abcdef"[byte & 15];
  }
  return token;
}

Asked WhatIsAsked(std::string_view path, std::string_view host, std::string_view token,
                  std::uint16_t port) {
  const std::string number = ":" + std::to_string(port);
  // Another site's name may point to 127.0.0.1, so that its page could reach this server (DNS
  // rebinding).
  if (host != "127.0.0.1" + number && host != "localhost" + number) return Asked::kNothing;
  if (token.empty() || path.size() < token.size() + 2 || path[0] != '/') return Asked::kNothing;
  if (!IsToken(path.substr(1, token.size()), token)) return Asked::kNothing;
  const std::string_view rest = path.substr(1 + token.size());
  if (rest == "/") return Asked::kPage;
  if (rest == "/data") return Asked::kData;
  return rest == "/alive" ? Asked::kAlive : Asked::kNothing;
}

std::uint64_t VersionInQuery(std::string_view query) {
  constexpr std::string_view kKey = "after=";
  if (!query.starts_with(kKey)) return 0;
  const auto version = ParseUnsigned(query.substr(kKey.size()));
  return version ? *version : 0;
}

}  // namespace csink::tool
