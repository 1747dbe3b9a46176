#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>

namespace csink::apapi {

struct FreeDeleter {
  void operator()(void* memory) const noexcept { std::free(memory); }
};
/// Memory of malloc's, which callers in C free.
template <class T>
using MallocPtr = std::unique_ptr<T, FreeDeleter>;

/// A whole file and a NUL behind it; nullptr with a sentence in `why`: it cannot be read, is empty,
/// is larger than 10,000,000 bytes or holds a NUL.
MallocPtr<char[]> ReadTextFile(const char* path, std::string& why);

}  // namespace csink::apapi
