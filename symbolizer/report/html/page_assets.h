#pragma once

#include <string_view>

/// File: the style and the code of the page, which scripts/bundle_page.py makes of the modules in
/// symbolizer/report/html/page and page/live when csink is built. ASCII alone, without "</".

namespace csink::report {

/// The style sheet.
extern const std::string_view kPageStyle;
/// The code, one classic script.
extern const std::string_view kPageScript;
/// The code that live pages have in addition: it asks for newer data.
extern const std::string_view kLiveScript;
/// SHA-256 of the texts in base64, as a Content-Security-Policy has them: "sha256-...".
extern const std::string_view kPageStyleHash;
extern const std::string_view kPageScriptHash;
extern const std::string_view kLiveScriptHash;

}  // namespace csink::report
