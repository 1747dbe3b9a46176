#include <cstring>

#include "core/util/mix.h"
#include "profil/inside/chains/code_facts.h"

/// File: what code says about addresses. The caches are hash tables with a few probes; a full
/// window replaces the entry of the key's first place.

namespace csink {
namespace {

#if defined(__x86_64__)
// The longest CALL r/m64 without prefixes: opcode, ModRM, SIB and 32 bits of displacement.
constexpr std::size_t kLongestCall = 7;

// Whether the bytes before `end` are a call: call rel32, or an indirect call through register or
// memory (FF /2) of any length (Intel SDM volume 2, CALL).
bool EndsInCall(const unsigned char* end, std::size_t there) noexcept {
  if (there >= 5 && end[-5] == 0xe8) return true;
  for (std::size_t n = 2; n <= kLongestCall && n <= there; ++n) {
    if (end[-static_cast<std::ptrdiff_t>(n)] == 0xff &&
        ((end[1 - static_cast<std::ptrdiff_t>(n)] >> 3) & 7) == 2) {
      return true;
    }
  }
  return false;
}

// mov $15 (rt_sigreturn),%rax; syscall: the restorer that the C library passes to the kernel.
constexpr unsigned char kSignalReturn[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
#else
constexpr std::size_t kLongestCall = 4;

// BL, BLR, and BLRAA and its variants (pointer authentication).
bool EndsInCall(const unsigned char* end, std::size_t there) noexcept {
  std::uint32_t word = 0;
  if (there < sizeof word) return false;
  std::memcpy(&word, end - sizeof word, sizeof word);
  return (word >> 26) == 0x25 || (word & 0xfffffc1fu) == 0xd63f0000u ||
         (word & 0xfefff800u) == 0xd63f0800u;
}

// mov x8, #139 (rt_sigreturn); svc #0: code in the vdso.
constexpr unsigned char kSignalReturn[] = {0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4};
#endif

}  // namespace

void CodeFacts::AddThreadRoot(std::uint64_t return_address) noexcept {
  for (std::uint64_t& root : roots_.threads) {
    std::uint64_t found = __atomic_load_n(&root, __ATOMIC_RELAXED);
    if (found == return_address) return;
    if (found == 0 && __atomic_compare_exchange_n(&root, &found, return_address, false,
                                                  __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      return;
    }
  }
}

spool::ChainEnd CodeFacts::RootOf(std::uint64_t return_address) const noexcept {
  // Unsigned, so that an address below `begin` is outside, too; without a main root both are 0.
  if (return_address - roots_.begin < roots_.end - roots_.begin) return spool::ChainEnd::kMain;
  if (return_address == 0) return spool::ChainEnd::kUnknown;  // Unused entries are 0
  if (return_address == roots_.context) return spool::ChainEnd::kContext;
  for (const std::uint64_t& root : roots_.threads) {
    if (__atomic_load_n(&root, __ATOMIC_RELAXED) == return_address) {
      return spool::ChainEnd::kThread;
    }
  }
  return spool::ChainEnd::kUnknown;
}

ImageFrames& CodeFacts::FramesOf(const RegionIndex::Located& region) noexcept {
  Image& image = images_[region.id % kImages];
  if (image.region_plus_one != region.id + 1) {
    image.region_plus_one = region.id + 1;
    image.frames.Open(memory_, region.start, region.end, region.file_offset);
  }
  return image.frames;
}

bool CodeFacts::Tables(std::uint64_t pc, RegionIndex::Located& region,
                       ImageFrames::Tables& tables) noexcept {
  if (!may_ask_ || !regions_->Locate(pc, region)) return false;
  const ImageFrames& frames = FramesOf(region);
  tables = frames.tables();
  return frames.usable();
}

FrameRule CodeFacts::ReadRule(std::uint64_t pc, const RegionIndex::Located& region) noexcept {
  const ImageFrames& frames = FramesOf(region);
  if (frames.usable()) return frames.Find(memory_, pc);
  const std::uint64_t entry = more_entries_ != nullptr ? more_entries_->EntryOf(pc) : 0;
  return entry != 0 ? ReadFrameRule(memory_, entry, pc) : FrameRule{};
}

FrameRule CodeFacts::Rule(std::uint64_t pc) noexcept {
  RegionIndex::Located region;
  if (!regions_->Locate(pc, region)) return {};
  const std::uint64_t hash = MixBits(pc);
  RuleEntry* free = &rules_[hash % kRules];
  for (std::size_t i = 0; i < kProbes; ++i) {
    RuleEntry& entry = rules_[(hash + i) % kRules];
    if (entry.region_plus_one == 0) {
      free = &entry;
      break;
    }
    if (entry.pc == pc && entry.region_plus_one == region.id + 1) return entry.rule;
  }
  // The tables cannot be read now. Nothing is cached, so that a later call can find the rule.
  if (!may_ask_) return {};
  *free = {pc, region.id + 1, ReadRule(pc, region)};
  return free->rule;
}

CodeFacts::Return CodeFacts::Judge(std::uint64_t return_address, std::uint64_t start) noexcept {
  if (IsRoot(return_address)) return Return::kRoot;
  // Without system calls the code cannot be read. The address comes from the kernel's chain then,
  // which is believed.
  if (!may_ask_) return Return::kAfterCall;
  // This check comes first: the bytes before the restorer may look like a call.
  unsigned char next[sizeof kSignalReturn];
  if (memory_.Read(return_address, next, sizeof next) &&
      std::memcmp(next, kSignalReturn, sizeof next) == 0) {
    return Return::kSignal;
  }
  const std::uint64_t before = return_address - start;
  const std::size_t there = before < kLongestCall ? before : kLongestCall;
  unsigned char code[kLongestCall];
  if (!memory_.Read(return_address - there, code, there)) return Return::kImpossible;
  if (EndsInCall(code + there, there)) return Return::kAfterCall;
  return Return::kImpossible;
}

CodeFacts::Known CodeFacts::Look(std::uint64_t return_address) noexcept {
  // A call may be the last instruction of a function; then the return address belongs to the next
  // function or mapping. So the call's last byte is looked up.
  RegionIndex::Located region;
  if (return_address == 0 || !regions_->Locate(return_address - 1, region)) {
    return {Return::kNotCode, spool::kNone};
  }
  const std::uint64_t hash = MixBits(return_address);
  ReturnEntry* free = &returns_[hash % kReturns];
  for (std::size_t i = 0; i < kProbes; ++i) {
    ReturnEntry& entry = returns_[(hash + i) % kReturns];
    if (entry.region_plus_one == 0) {
      free = &entry;
      break;
    }
    if (entry.pc == return_address && entry.region_plus_one == region.id + 1) {
      return {entry.what, region.id};
    }
  }
  const Return what = Judge(return_address, region.start);
  // A result that was found without reading the code is not cached.
  if (may_ask_) *free = {return_address, region.id + 1, what};
  return {what, what == Return::kImpossible ? spool::kNone : region.id};
}

}  // namespace csink
