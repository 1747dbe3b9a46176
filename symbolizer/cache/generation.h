#pragma once

#include <string>

namespace csink::symbolizer::cache {

/// The build id of this program in hexadecimal: what one csink found out is not the word of
/// another, that may name better. Empty: built without one.
const std::string& Generation();

}  // namespace csink::symbolizer::cache
