#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "symbolizer/demangle_rust.h"
#include "symbolizer/resolver.h"

namespace csink::symbolizer {
namespace {

/// Longer names are shown as they are: the demanglers need time and memory that
/// grow with a name, and nobody reads that far.
constexpr std::size_t kMaxMangledBytes = 16 << 10;

std::string DemangleItanium(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0 || !text) return {};
  std::string out(text.get());
  return out.size() <= kMaxDemangledBytes ? out : std::string();
}

}  // namespace

std::string Demangle(const std::string& mangled) {
  if (mangled.size() > kMaxMangledBytes) return mangled;
  if (mangled.starts_with("_R")) return DemangleRustV0(mangled).value_or(mangled);
  // Some tools put another underscore in front; C++ allows "___Z" for blocks only.
  if (!mangled.starts_with("_Z")) return mangled;
  if (auto rust = DemangleRustLegacy(mangled)) return *std::move(rust);
  std::string out = DemangleItanium(mangled);
  return out.empty() ? mangled : out;
}

}  // namespace csink::symbolizer
