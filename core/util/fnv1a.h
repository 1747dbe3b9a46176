#pragma once

#include <cstdint>
#include <string_view>

namespace csink {

/// The 64-bit FNV-1a hash (Fowler, Noll, Vo; draft-eastlake-fnv): for tables and file names, not
/// against an adversary. Threads: any. Signals: safe.
/// The offset basis and the prime of the 64-bit variant, from the same draft.
inline constexpr std::uint64_t kFnv1aBegin = 0xcbf29ce484222325;
inline constexpr std::uint64_t kFnv1aPrime = 0x100000001b3;

/// The hash of the text that `hash` stands for, followed by `byte`.
constexpr std::uint64_t Fnv1aAdd(std::uint64_t hash, char byte) noexcept {
  return (hash ^ static_cast<unsigned char>(byte)) * kFnv1aPrime;
}

/// The hash of a text. `begin`: the hash of what stands before it, to hash several texts as one.
constexpr std::uint64_t Fnv1a(std::string_view text, std::uint64_t begin = kFnv1aBegin) noexcept {
  std::uint64_t hash = begin;
  for (const char byte : text) hash = Fnv1aAdd(hash, byte);
  return hash;
}

}  // namespace csink
