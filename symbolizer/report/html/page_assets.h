#pragma once

#include <string_view>

/// File: the style and the code of the page, which scripts/bundle_page.py makes of the modules in
/// symbolizer/report/html/page when csink is built. ASCII alone, without "</".

namespace csink::report {

/// The style sheet.
extern const std::string_view kPageStyle;
/// The code, one classic script.
extern const std::string_view kPageScript;
/// SHA-256 of both texts in base64, as a Content-Security-Policy has them: "sha256-...".
extern const std::string_view kPageStyleHash;
extern const std::string_view kPageScriptHash;

}  // namespace csink::report
