#include <cstring>

#include "profil/inside/python/eval_loop.h"

/// File: jumps are searched byte by byte, because a disassembler would be much code for two
/// instructions: a wrong match must lead to the begin of a frame that is set up already.

namespace csink {
namespace {

// More than the loop of any build.
constexpr std::uint64_t kMostBytes = 1u << 20;
// Calls between Python functions enter in the first bytes, from code that lies farther behind.
constexpr std::uint64_t kEntryBytes = 0x200;
constexpr std::uint64_t kFarBytes = 0x400;
constexpr std::uint64_t kLeastEntry = 8;

// The target of a jump with a displacement of 32 bits (Intel SDM volume 2: Jcc 0f 8x, JMP e9) that
// begins at `code`, an address `at`; 0: no jump.
std::uint64_t JumpAt(const unsigned char* code, std::uint64_t at) noexcept {
  std::int32_t displacement = 0;
  std::uint64_t bytes = 0;
  if (code[0] == 0x0f && (code[1] & 0xf0) == 0x80) {
    bytes = 6;
  } else if (code[0] == 0xe9) {
    bytes = 5;
  } else {
    return 0;
  }
  std::memcpy(&displacement, code + bytes - 4, sizeof displacement);
  return at + bytes + static_cast<std::uint64_t>(std::int64_t{displacement});
}

}  // namespace

void EvalLoop::Follow(CodeFacts& facts, std::uint64_t target) noexcept {
  if (Contains(target) || count_ == kMaxParts) return;
  for (std::size_t i = 0; i < other_count_; ++i) {
    if (target - others_[i].begin < others_[i].bytes) return;
  }
  const FrameRule rule = facts.Rule(target);
  if (rule.code_bytes == 0) return;
  const Part part = {target - rule.code_offset, rule.code_bytes};
  const FrameRule first = facts.Rule(part.begin);
  // At the begin of a function the return address alone is on the stack.
  const bool is_function = first.base == FrameRule::Base::kStackPointer && first.cfa_offset == 8;
  if (!is_function && first.base != FrameRule::Base::kUnknown) {
    parts_[count_++] = part;
  } else if (other_count_ < kMaxParts) {
    others_[other_count_++] = part;
  }
}

bool EvalLoop::Find(CodeFacts& facts, std::uint64_t address) noexcept {
  const FrameRule rule = facts.Rule(address);
  if (rule.code_bytes == 0 || rule.code_offset != 0 || rule.code_bytes > kMostBytes) return false;
  count_ = 1;
  parts_[0] = {address, rule.code_bytes};
  // How often an entry is the target of a jump.
  std::uint8_t entries[kEntryBytes] = {};
  unsigned char window[16] = {};
  for (std::uint64_t at = 0; at < rule.code_bytes; at += 8) {
    // A window of two words: a jump may begin in any byte of the first.
    std::memcpy(window, window + 8, 8);
    std::uint64_t word = 0;
    if (!facts.ReadCode(address + at, word)) return false;
    std::memcpy(window + 8, &word, sizeof word);
    if (at == 0) continue;
    for (std::uint64_t i = 0; i < 8; ++i) {
      const std::uint64_t from = at - 8 + i;
      const std::uint64_t target = JumpAt(window + i, address + from);
      if (target == 0) continue;
      const std::uint64_t entry = target - address;
      if (entry >= kLeastEntry && entry < kEntryBytes && from >= kFarBytes && entries[entry] < 2) {
        ++entries[entry];
      }
      if (!Contains(target)) Follow(facts, target);
    }
  }
  for (std::uint64_t i = 0; i < kEntryBytes; ++i) {
    if (entries[i] < 2) continue;
    prologue_bytes_ = i;
    break;
  }
  return true;
}

}  // namespace csink
