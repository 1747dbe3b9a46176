#include "profil/inside/python/interpreter.h"

namespace csink {
namespace {

constexpr PythonLayout k311 = {184, 16, 72, 112, 128, 136, 16, 32, 48, 72, 2, 16, 32};
constexpr PythonLayout k312 = {192, 16, 68, 112, 128, 136, 16, 32, 40, 56, 2, 16, 32};
constexpr PythonLayout k313 = {200, 16, 68, 112, 128, 136, 16, 32, 40, 56, 2, 16, 32};
constexpr PythonLayout k314 = {208, 16, 68, 112, 128, 136, 16, 32, 40, 56, 2, 16, 32};

}  // namespace

const PythonLayout* PythonLayoutOf(std::uint32_t version) noexcept {
  switch (version >> 16) {
    case 0x030b:
      return &k311;
    case 0x030c:
      return &k312;
    case 0x030d:
      return &k313;
    case 0x030e:
      return &k314;
    default:
      return nullptr;
  }
}

}  // namespace csink
