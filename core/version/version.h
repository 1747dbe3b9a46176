#pragma once

namespace csink {

/// The version of the programs for --version: "1.0.0 (commit 8671fe30abcd)". The commit is that of
/// the sources when they were built; "unknown" outside of a repository and of a source archive.
/// Static text; any thread. libagent.so does not contain it.
const char* VersionText() noexcept;

}  // namespace csink
