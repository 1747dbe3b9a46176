#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "symbolizer/elf/file.h"
#include "symbolizer/query/answer.h"
#include "symbolizer/query/request.h"

namespace csink::symbolizer {

/// A file with the debug information of code that the running kernel has in memory.
struct KernelFile {
  std::string path;  ///< Without the root
  std::string root;  ///< That goes before it
  ElfFile elf;       ///< Linked, if it is an object file (linked_object.h)
};

/// The first of `paths`, below options.root, that has this build id and a line table; if there is
/// none, the file that options.fetch gets for the build id.
std::optional<KernelFile> FindKernelFile(std::span<const std::string> paths,
                                         const std::vector<std::uint8_t>& build_id,
                                         const Options& options);

/// Places in a KernelFile (addressing.h), each with the number of the answer that it belongs to.
using KernelPlaces = std::map<std::uint64_t, std::size_t>;

/// Resolves offsets in a file: ResolveModule (resolve/resolver.h), which includes this folder and
/// passes itself.
using ResolveFile = ModuleAnswer (*)(const ModuleRequest&, const Options&);

/// Looks the places up in `file` by `resolve`, as `request` asks (its detail), and copies lines and
/// inlined functions into the answers that they belong to.
void AddLinesOf(const KernelFile& file, const KernelPlaces& places, const ModuleRequest& request,
                const Options& options, ResolveFile resolve, ModuleAnswer& answer);

}  // namespace csink::symbolizer
