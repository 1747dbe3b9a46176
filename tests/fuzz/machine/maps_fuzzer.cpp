#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "core/machine/maps.h"

/// The first byte says how the rest is cut into pieces; the cut must not matter.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = data[0] + std::size_t{1};
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const csink::MapsVisitor sum = [](const csink::MapsLine& line, void* arg) {
    if (line.start >= line.end) std::abort();
    std::uint64_t& hash = *static_cast<std::uint64_t*>(arg);
    hash = hash * 31 + line.start + line.image_start + line.inode + line.executable;
    for (char c : line.path) hash = hash * 31 + static_cast<unsigned char>(c);
    return true;
  };
  std::uint64_t whole = 0;
  csink::MapsReader at_once(sum, &whole);
  at_once.Feed(text);
  at_once.Finish();
  std::uint64_t cut = 0;
  csink::MapsReader in_pieces(sum, &cut);
  for (std::size_t at = 0; at < text.size(); at += piece) {
    in_pieces.Feed(std::string_view(text.data() + at, std::min(piece, text.size() - at)));
  }
  in_pieces.Finish();
  if (whole != cut) std::abort();
  return 0;
}
