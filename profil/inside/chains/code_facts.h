#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "core/machine/frame_rule.h"
#include "core/machine/process_memory.h"
#include "profil/format/chain_end.h"
#include "profil/inside/regions/region_index.h"

namespace csink {

/// Finds frame descriptions where an image has no sorted table of them (ImageFrames).
class FrameEntries {
 public:
  /// The address of the description (ReadFrameRule) that may cover `pc`; 0: none. Another address
  /// than that of a description does no harm.
  virtual std::uint64_t EntryOf(std::uint64_t pc) noexcept = 0;

 protected:
  ~FrameEntries() = default;
};

/// Facts about single addresses of code: the rule for finding the caller from there, and whether an
/// address can be a return address. Every sample needs them, so that both are cached; a new fact
/// takes some microseconds. Entries are keyed by address and region: an address that belongs to
/// another library later has another region.
///
/// Owns:    1 MiB in the CallerChains' mapping, zero at first.
/// Threads: one at a time (the collector's lock), AddThreadRoot any.
/// Signals: safe (code_facts_signal.cpp); makes system calls unless forbidden.
class CodeFacts {
 public:
  /// What an address is, if it is found where a return address should be.
  enum class Return : std::uint8_t {
    kImpossible = 1,  ///< Code, but no call instruction before it, or not readable
    /// The bytes before it are a call instruction
    kAfterCall = 2,
    kSignal = 3,   ///< Return address of a signal handler, set by the kernel
    kRoot = 4,     ///< The function there has no caller: the C library's first frames
    kNotCode = 5,  ///< No executable mapping has this address
  };
  /// The answer of Look.
  struct Known {
    Return what;
    std::uint32_t region;  ///< spool::kNone for kImpossible and kNotCode
  };

  /// Call once in zeroed memory. Sets all members whose initial value is not zero.
  void Start() noexcept {
    new (&memory_) ProcessMemory;
    memory_.set_blocks(&blocks_);
  }
  /// Code and tables are those of the process of thread `tid`, not of this process.
  void SetProcess(pid_t tid) noexcept { memory_.SetProcess(tid); }
  /// Descriptions that no sorted table has; nullptr: none.
  void set_more_entries(FrameEntries* more) noexcept { more_entries_ = more; }
  /// Call before each batch of queries. `may_ask`: system calls are allowed.
  void Begin(RegionIndex& regions, bool may_ask) noexcept {
    regions_ = &regions;
    may_ask_ = may_ask;
    // Of mappings that are still there, code and tables stay as they were.
    if (changes_ != regions.changes()) blocks_.Clear();
    changes_ = regions.changes();
  }
  bool may_ask() const noexcept { return may_ask_; }
  /// Call after the batch: what was read may change afterwards.
  void End() noexcept { memory_.Forget(); }
  /// The unwind rule that holds at `pc`. kUnknown if no mapping or no table covers it, or if the
  /// tables may not be read now.
  FrameRule Rule(std::uint64_t pc) noexcept;
  /// The unwind tables that cover `pc`, for a caller that reads them through ReadCode. False: none.
  bool Tables(std::uint64_t pc, RegionIndex::Located& region, ImageFrames::Tables& tables) noexcept;
  /// Reads 8 bytes of code or tables. Returns false if they are not readable, or if system calls
  /// are forbidden.
  bool ReadCode(std::uint64_t address, std::uint64_t& word) noexcept {
    return may_ask_ && memory_.Read(address, word);
  }
  /// What `return_address` is, and its region.
  Known Look(std::uint64_t return_address) noexcept;

  /// The region that contains `pc` now; kNone: none.
  std::uint32_t RegionOf(std::uint64_t pc) noexcept { return regions_->Find(pc); }

  /// Where complete stacks end: the code that calls main, and that which calls threads' routines.
  struct Roots {
    std::uint64_t begin;  ///< The C library's code that calls main
    std::uint64_t end;
    std::uint64_t threads[4];  ///< Return addresses of thread start routines
    /// The return address that makecontext puts at the bottom of a stack; 0: not known
    std::uint64_t context;
  };
  /// Return addresses in [begin, end) are the caller of main.
  void SetMainRoot(std::uint64_t begin, std::uint64_t end) noexcept {
    roots_.begin = begin;
    roots_.end = end;
  }
  /// Stacks of makecontext end at this return address.
  void SetContextRoot(std::uint64_t return_address) noexcept { roots_.context = return_address; }
  /// The roots outlive Clear of CallerChains by these two functions.
  const Roots& roots() const noexcept { return roots_; }
  void set_roots(const Roots& roots) noexcept { roots_ = roots; }
  /// Adds the address in the C library to which a thread's start routine returns. At most four
  /// different ones are kept. Threads: any.
  void AddThreadRoot(std::uint64_t return_address) noexcept;
  /// True if a stack is complete at this return address.
  bool IsRoot(std::uint64_t return_address) const noexcept {
    return RootOf(return_address) != spool::ChainEnd::kUnknown;
  }
  /// What the root is: kMain, kThread or kContext; kUnknown: no root.
  spool::ChainEnd RootOf(std::uint64_t return_address) const noexcept;

 private:
  /// Sizes of the caches: entries for rules and return addresses, images whose tables are known.
  /// kProbes: places that are tried for a key before an entry is replaced.
  static constexpr std::size_t kRules = 16 * 1024;
  static constexpr std::size_t kReturns = 16 * 1024;
  static constexpr std::size_t kImages = 64;
  static constexpr std::size_t kProbes = 4;

  /// Caches; region_plus_one 0 marks an unused entry.
  struct RuleEntry {
    std::uint64_t pc;
    std::uint32_t region_plus_one;
    FrameRule rule;
  };
  struct ReturnEntry {
    std::uint64_t pc;
    std::uint32_t region_plus_one;
    Return what;
  };
  struct Image {
    std::uint32_t region_plus_one;
    ImageFrames frames;
  };

  /// Rule without the cache.
  FrameRule ReadRule(std::uint64_t pc, const RegionIndex::Located& region) noexcept;
  /// Look without the cache. `start`: begin of the mapping.
  Return Judge(std::uint64_t return_address, std::uint64_t start) noexcept;
  /// The unwind tables of the image mapped at `region`, opened at first use.
  ImageFrames& FramesOf(const RegionIndex::Located& region) noexcept;

  RegionIndex* regions_;
  FrameEntries* more_entries_;
  bool may_ask_;
  std::uint64_t changes_;  ///< RegionIndex::changes when blocks_ was read
  MemoryBlocks blocks_;
  ProcessMemory memory_;
  Roots roots_;
  Image images_[kImages];
  RuleEntry rules_[kRules];
  ReturnEntry returns_[kReturns];
};

}  // namespace csink
