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
/// Values from outside (program, host, job, variables) are made harmless: a value stays inside one
/// component of the path and cannot name another folder.

namespace csink {

/// Room for a finished path with its NUL: PATH_MAX of Linux.
inline constexpr std::size_t kTemplatePathBytes = 4096;
/// Bytes of one value at most; the rest is cut off at a character. (NAME_MAX, the limit of a whole
/// component of a path, is 255.)
inline constexpr std::size_t kTemplateValueBytes = 128;
using TemplatePath = Text<kTemplatePathBytes>;

/// One part of a template, from its '%' to its letter or closing brace. `variable` points into the
/// template.
struct TemplatePart {
  char letter = 0;            ///< 'p' of "%p"; '{' of "%{NAME}"
  std::string_view variable;  ///< NAME
};

/// Stores the text of `part` in `value`; any bytes are allowed, and "" becomes "none". Returns
/// false for a part that is not filled in now: the part stays in the template as it is written.
using TemplateValue = bool (*)(const TemplatePart& part, std::string_view& value,
                               void* context) noexcept;

/// A template is filled in twice: the agent inserts environment variables at the start of the
/// program, csink inserts the rest when the report is written.
enum class TemplateRound {
  kFirst,  ///< The result is a template again: '%' in values is doubled, and "%%" stays
  kLast,   ///< The result is a path: "%%" becomes '%'
};

/// Appends the filled-in template `text` to `path`; `context` is passed to `value`. Parts that
/// `value` does not fill in, and parts that do not exist, stay as they are written.
/// Errors:  kLimit (the path would be too long; `path` is then incomplete and must not be used).
/// The room is checked before each part for the largest value, so that a path that ends a few bytes
/// below the limit may be refused, too.
/// Threads: any. Signals: safe when `value` is.
Result<void> ExpandTemplate(std::string_view text, TemplateValue value, void* context,
                            TemplateRound round, TemplatePath& path) noexcept;

/// Whether the part "%<letter>" occurs in the template `text` ('{': any variable). "%%p" is a '%'
/// and a 'p', not the part 'p'. Signals: safe.
bool TemplateHas(std::string_view text, char letter) noexcept;

/// The first part of `text` that does not exist, for instance "%x". After an unclosed "%{X", and
/// for a '%' at the end, the whole rest of `text`. Empty if all parts exist. Points into `text`.
/// Signals: safe.
std::string_view UnknownPart(std::string_view text) noexcept;

/// Appends `value` to `path` so that it stays inside one component of the path: '/', control
/// characters and bytes that are not UTF-8 become '_', as do dots that could form "." or "..". The
/// value is cut at kTemplateValueBytes, between two characters; "" becomes "none", so that a
/// component is never empty. In TemplateRound::kFirst a '%' is doubled and may take twice its
/// bytes.
/// Signals: safe.
void AddHarmless(std::string_view value, TemplateRound round, TemplatePath& path) noexcept;

}  // namespace csink
