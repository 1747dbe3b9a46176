#pragma once

#include <string>

namespace csink::symbolizer::cache {

/// The build id of this program in hexadecimal. Cache entries of another csink are not used,
/// because it may have resolved names differently. Empty: built without a build id.
const std::string& Generation();

}  // namespace csink::symbolizer::cache
