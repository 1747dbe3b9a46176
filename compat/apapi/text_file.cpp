#include "compat/apapi/text_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

/// File: reads a file into memory that callers in C free.

namespace csink::apapi {

namespace {

// Upstream's limit.
constexpr std::size_t kMostBytes = 10'000'000;

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};

}  // namespace

MallocPtr<char[]> ReadTextFile(const char* path, std::string& why) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path, "re"));
  if (!file) {
    why = std::string(path) + ": " + std::strerror(errno);
    return nullptr;
  }
  // The file is read to its end instead of asking for its size: it may be a pipe.
  MallocPtr<char[]> text;
  std::size_t size = 0, room = 0;
  for (;;) {
    // Room for at least one byte and the NUL.
    if (size + 1 >= room) {
      room = room == 0 ? 16'384 : room * 2;
      auto* larger = static_cast<char*>(std::realloc(text.get(), room));
      if (larger == nullptr) {
        why = std::string(path) + ": not enough memory";
        return nullptr;
      }
      // realloc has freed the old block.
      static_cast<void>(text.release());
      text.reset(larger);
    }
    const std::size_t got = std::fread(text.get() + size, 1, room - size - 1, file.get());
    size += got;
    // One block beyond the limit is read at most.
    if (got == 0 || size > kMostBytes) break;
  }
  text[size] = 0;
  if (std::ferror(file.get())) {
    why = std::string(path) + ": " + std::strerror(errno);
  } else if (size == 0) {
    why = std::string(path) + ": the file is empty";
  } else if (size > kMostBytes) {
    why = std::string(path) + ": the file is larger than 10000000 bytes";
  } else if (std::memchr(text.get(), 0, size) != nullptr) {
    // The parsers work on strings and would end at the NUL without a message.
    why = std::string(path) + ": the file is not a text file: it contains a NUL byte";
  } else {
    return text;
  }
  return nullptr;
}

}  // namespace csink::apapi
