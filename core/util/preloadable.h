#pragma once

#include <string_view>

namespace csink {

/// Why the dynamic linker does not load libagent.so into a program, or must not.
enum class PreloadObstacle : unsigned char {
  kNone,
  kSetId,         ///< setuid or setgid to somebody else: LD_PRELOAD is ignored
  kCapabilities,  ///< File capabilities: likewise
  kOtherMachine,  ///< Another processor or word size
  kStatic,        ///< The program has no dynamic linker.
  kMusl,          ///< musl's linker loads us, and the program dies of symbols that only glibc has.
};

/// Looks at an open program, and where it is a script at its interpreters. kNone also when it
/// cannot be told: not an ELF file, cut off, not readable. `path`: what the program is called; a
/// dynamic linker that is run as a program counts as good.
/// Signals: safe, also in a vfork child: everything is on the stack (4 KiB).
PreloadObstacle FindPreloadObstacle(int fd, std::string_view path) noexcept;

/// In words that follow the program's name: "is statically linked".
constexpr const char* WordsFor(PreloadObstacle obstacle) noexcept {
  switch (obstacle) {
    case PreloadObstacle::kNone:
      break;
    case PreloadObstacle::kSetId:
      return "is setuid or setgid";
    case PreloadObstacle::kCapabilities:
      return "has file capabilities";
    case PreloadObstacle::kOtherMachine:
      return "is built for another architecture or word size";
    case PreloadObstacle::kStatic:
      return "is statically linked";
    case PreloadObstacle::kMusl:
      return "uses musl, not glibc";
  }
  return "can be preloaded";
}

}  // namespace csink
