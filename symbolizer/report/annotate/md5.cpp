#include "symbolizer/report/annotate/md5.h"

#include <md5.h>
#include <sys/types.h>

namespace csink::annotate {

std::array<std::uint8_t, 16> Md5(std::span<const std::uint8_t> bytes) {
  std::array<std::uint8_t, 16> digest;
  // MD5 because DWARF 5 has it in line tables (6.2.4.1). It tells versions of a file apart and
  // protects nothing.
  MD5_CTX state;
  MD5Init(&state);
  MD5Update(&state, bytes.data(), bytes.size());
  MD5Final(digest.data(), &state);
  return digest;
}

}  // namespace csink::annotate
