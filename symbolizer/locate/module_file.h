#pragma once

#include <optional>
#include <string>

#include "symbolizer/elf/file.h"
#include "symbolizer/query/request.h"

namespace csink::symbolizer {

/// The file that was mapped, or the reason why it cannot be had.
struct ModuleFile {
  std::optional<ElfFile> elf;
  std::string problem;  ///< For people; empty when `elf` is there
};

/// Opens what the request names and makes sure that it is what was mapped: the
/// build id decides; without one, the inode where it can be compared. Another
/// file under the same path gives no names rather than wrong ones.
///
/// Where the path does not lead to it, processes that still run have it (files that were deleted
/// or replaced, memfds, other mount namespaces; module_of_process.h), or it is kept by build id.
/// Object files (kernel modules) come linked (linked_object.h).
ModuleFile OpenModule(const ModuleRequest& request, const Options& options);

/// False when `elf` is certainly not what was mapped.
bool IsTheMappedFile(const ModuleRequest& request, const ElfFile& elf);

}  // namespace csink::symbolizer
