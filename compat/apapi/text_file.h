#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>

namespace csink::apapi {

struct FreeDeleter {
  void operator()(void* memory) const noexcept { std::free(memory); }
};
/// Memory from malloc, because callers in C free it.
template <class T>
using MallocPtr = std::unique_ptr<T, FreeDeleter>;

/// Reads a whole file and appends a NUL. nullptr, with a sentence in `why`: the file cannot be
/// read, is empty, is larger than 10,000,000 bytes (upstream's limit) or contains a NUL. The file
/// may be a pipe.
MallocPtr<char[]> ReadTextFile(const char* path, std::string& why);

}  // namespace csink::apapi
