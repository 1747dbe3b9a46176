#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "symbolizer/names/elf/file.h"
#include "symbolizer/names/query/answer.h"
#include "symbolizer/names/query/request.h"

namespace csink::symbolizer {

/// A file with debug information for code of the running kernel: a vmlinux, or the file of a
/// module.
struct KernelFile {
  std::string path;  ///< Without the root
  std::string root;  ///< Put before `path` to open it
  ElfFile elf;       ///< Linked, if it is an object file (elf/linked_object.h)
};

/// The first of `paths`, below options.root, that has this build id and a line table. If there is
/// none, the file that options.fetch returns for the build id.
/// nullopt: there is no such file. Files of another build, and files that cannot be read, are
/// passed over without a message. options.fetch may take long.
std::optional<KernelFile> FindKernelFile(std::span<const std::string> paths,
                                         const std::vector<std::uint8_t>& build_id,
                                         const Options& options);

/// Places in a KernelFile (resolve/addressing.h), each with the index of its location in the
/// answer.
using KernelPlaces = std::map<std::uint64_t, std::size_t>;

/// Resolves offsets in a file: ResolveModule (resolve/resolver.h). It is passed as a pointer,
/// because resolve/ includes this folder.
using ResolveFile = ModuleAnswer (*)(const ModuleRequest&, const Options&);

/// Looks up the places in `file` by `resolve` with request.detail, and copies lines and inlined
/// functions to the locations that they belong to.
/// Names are not copied: those of kallsyms are already there. `answer` has a location for each
/// index in `places`.
void AddLinesOf(const KernelFile& file, const KernelPlaces& places, const ModuleRequest& request,
                const Options& options, ResolveFile resolve, ModuleAnswer& answer);

}  // namespace csink::symbolizer
