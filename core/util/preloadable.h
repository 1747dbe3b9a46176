#pragma once

#include <string_view>

namespace csink {

/// Why the dynamic linker does not load libagent.so into a program (ld.so(8), LD_PRELOAD), or must
/// not. The first obstacle that is found is reported, rights before format.
enum class PreloadObstacle : unsigned char {
  /// Nothing was found that prevents preloading.
  kNone,
  kSetId,         ///< setuid or setgid to another user: LD_PRELOAD is ignored
  kCapabilities,  ///< File capabilities: likewise
  kOtherMachine,  ///< Another processor or word size
  kStatic,        ///< The program has no dynamic linker.
  kMusl,          ///< musl's linker loads us, and the program dies of symbols that only glibc has.
};

/// Looks at the open program `fd`, and where it is a script at its interpreters (up to four, as the
/// kernel allows). kNone also when nothing can be said: not an ELF file, cut off, not readable.
/// `path`: the program's path; a dynamic linker that is run as a program has no dynamic linker of
/// its own but preloads into what it runs, so it counts as good. `fd` stays open and its position
/// is unchanged.
/// Threads: any. Signals: safe, also in a vfork child: everything is on the stack (4 KiB).
PreloadObstacle FindPreloadObstacle(int fd, std::string_view path) noexcept;

/// The obstacle in words that follow the program's name in a message: "is statically linked".
/// Signals: safe.
constexpr const char* WordsFor(PreloadObstacle obstacle) noexcept {
  switch (obstacle) {
    case PreloadObstacle::kNone:
      // The words behind the switch are for a program without an obstacle.
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
