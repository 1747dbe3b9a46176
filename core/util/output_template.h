#pragma once

#include <cstddef>
#include <string_view>

#include "core/util/result.h"
#include "core/util/text.h"

/// File: names of output files with parts to fill in: "out/%e.%p.txt".
///
///   %e program   %p pid   %h host   %g exec generation   %t time of start
///   %r MPI rank  %j batch job   %n number that makes the name new   %{NAME} variable   %% a '%'
///
/// What comes from outside (program, host, job, variables) is made harmless: it stays one
/// component of the path, or a part of one, and cannot name another folder.

namespace csink {

inline constexpr std::size_t kTemplatePathBytes = 4096;
inline constexpr std::size_t kTemplateValueBytes = 128;  ///< More of a value is cut off
using TemplatePath = Text<kTemplatePathBytes>;

struct TemplatePart {
  char letter = 0;            ///< 'p' of "%p"; '{' of "%{NAME}"
  std::string_view variable;  ///< NAME
};

/// Gives the text of a part, which may be any bytes; "" becomes "none". False: not one that
/// is filled in now, it stays as it is written.
using TemplateValue = bool (*)(const TemplatePart& part, std::string_view& value,
                               void* context) noexcept;

enum class TemplateRound {
  kFirst,  ///< The result is a template: '%' in values is doubled, "%%" stays
  kLast,   ///< The result is a path
};

/// Adds the filled-in template to `path`. Errors: kLimit (the path would be too long; what
/// `path` holds then is of no use). Threads: any. Signals: safe when `value` is.
Result<void> ExpandTemplate(std::string_view text, TemplateValue value, void* context,
                            TemplateRound round, TemplatePath& path) noexcept;

/// Whether "%<letter>" occurs. Signals: safe.
bool TemplateHas(std::string_view text, char letter) noexcept;

/// The first part that does not exist, "%x" or "%{X"; "": none. Signals: safe.
std::string_view UnknownPart(std::string_view text) noexcept;

/// Adds `value` as a part of a name: no '/', no control characters, no bytes that are not
/// UTF-8, no dots where they could make "." or ".."; cut at kTemplateValueBytes; "none" for "".
/// Signals: safe.
void AddHarmless(std::string_view value, TemplateRound round, TemplatePath& path) noexcept;

}  // namespace csink
