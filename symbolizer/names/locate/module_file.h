#pragma once

#include <optional>
#include <string>

#include "symbolizer/names/elf/file.h"
#include "symbolizer/names/query/request.h"

namespace csink::symbolizer {

/// The file that was mapped, or the reason why it cannot be opened.
struct ModuleFile {
  std::optional<ElfFile> elf;
  std::string problem;  ///< Text for the user; empty if `elf` is set
};

/// Opens the file of the request and verifies that it is the file that was mapped: by build id, or
/// without one by device and inode if they are known. A different file at the same path is refused:
/// no names are better than wrong names.
///
/// If the path does not lead to the file, processes that still run may have it (deleted or replaced
/// files, memfds, other mount namespaces: module_of_process.h), or a copy may be kept under its
/// build id, here or at options.fetch. Object files (kernel modules) are returned linked
/// (elf/linked_object.h). The vdso is that of this process, if the kernel is the same.
/// Threads: any.
ModuleFile OpenModule(const ModuleRequest& request, const Options& options);

/// Returns false if `elf` is certainly not the file that was mapped. True without a build id, if
/// device and inode do not contradict; the file may then still be another one.
bool IsTheMappedFile(const ModuleRequest& request, const ElfFile& elf);

}  // namespace csink::symbolizer
