#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "symbolizer/names/resolve/resolver.h"

/// File: builds small binaries at test time and asks binutils about them. What the
/// symbolizer says is compared with nm, readelf, objdump and with what a running
/// program sees of itself, never with our own readers.

namespace csink::symbolizer::testing {

/// A folder of its own that goes away with it.
class Workshop {
 public:
  Workshop();
  ~Workshop();
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  const std::string& folder() const { return folder_; }
  /// Writes a file and returns its path.
  std::string Write(const std::string& name, const std::string& text) const;
  /// Runs a shell command inside the folder; its standard output. A failing command
  /// fails the test and shows what it said.
  std::string Run(const std::string& command) const;

 private:
  std::string folder_;
};

/// True when the program is in PATH.
bool HaveTool(const std::string& name);
/// True when objcopy can compress by zstd (binutils 2.40).
bool ObjcopyKnowsZstd();

struct NmSymbol {
  std::uint64_t start = 0;
  std::uint64_t size = 0;  ///< 0 also when nm shows none
};
/// `nm -S` by name; the first of equal names. `flags`: "-D" for .dynsym.
std::map<std::string, NmSymbol> Nm(const Workshop& shop, const std::string& path,
                                   const std::string& flags = "");

/// Where the byte at `vaddr` of an executable segment lies in the file (readelf -l).
std::uint64_t OffsetOf(const Workshop& shop, const std::string& path, std::uint64_t vaddr);

/// As readelf -n says it; empty when there is none.
std::vector<std::uint8_t> BuildIdOf(const Workshop& shop, const std::string& path);

/// A request for one file with its build id; `offsets` in any order.
ModuleRequest RequestFor(const Workshop& shop, const std::string& path,
                         std::vector<std::uint64_t> offsets);

/// Resolves one address of the file's own.
Location ResolveVaddr(const Workshop& shop, const std::string& path, std::uint64_t vaddr,
                      const Options& options = {});

std::string ReadWhole(const std::string& path);
void WriteWhole(const std::string& path, const std::string& bytes);

/// C source of a program that prints "name file-offset" for functions of its own, as
/// the kernel maps them: `Say(f)` for each. Include it first.
extern const char kSelfLocating[];
/// Runs such a program.
std::map<std::string, std::uint64_t> SelfLocated(const Workshop& shop, const std::string& path);

}  // namespace csink::symbolizer::testing
