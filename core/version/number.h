#pragma once

/// The version, MAJOR.MINOR.PATCH (docs/versions.md); CMakeLists.txt reads it here. A macro, so
/// that texts can be joined with it.
#define CSINK_VERSION "1.0.0"
