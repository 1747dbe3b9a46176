#pragma once

#include <string>

namespace csink::report {

/// A name as a code span of GitHub Flavored Markdown: nothing in it is taken for markup, a mention
/// or a link. It may stand in a cell of a table. Names come from files and may contain anything.
/// "" if nothing of the name is left.
std::string CodeSpan(const std::string& name);

}  // namespace csink::report
