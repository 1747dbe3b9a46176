#pragma once

#include <cstdint>

/// File: a part of the format of a spool (format.h): the ends of call chains.

namespace csink::spool {

/// How a chain of callers ended, as seen when the chain was followed. docs/stacks.md has the words.
enum class ChainEnd : std::uint8_t {
  kUnknown = 0,  ///< Not known; also what a later version has written
  // The chain is complete: it reaches the start of a thread.
  kMain = 1,    ///< The C library's code that calls main
  kThread = 2,  ///< The code that calls a thread's start routine
  // The chain ends in a known place.
  kOutermost = 3,     ///< The unwind table says that there is no caller
  kContext = 4,       ///< The bottom of a stack made by makecontext (a fiber)
  kHandlerStack = 5,  ///< A signal handler on a stack of its own; the other one was not copied
  // Where frame pointers end was taken for the end of the stack; nothing was checked.
  kUnchecked = 6,
  // The chain is cut; `region` is the code whose caller was not found.
  kCopyEnded = 16,       ///< The caller is behind the copied part of the stack
  kNoRows = 17,          ///< No unwind table covers code of a file
  kJit = 18,             ///< ... code in anonymous memory
  kRule = 19,            ///< A rule that is not supported
  kFramePointers = 20,   ///< The frame pointers ended, or led to something else than code
  kNotCode = 21,         ///< The word in the place of the return address is no address of code
  kNotAfterCall = 22,    ///< ... code, but not behind a call
  kOutsideStack = 23,    ///< The frame would lie outside of the stack
  kUnreadable = 24,      ///< The copy ended early: at the stack's end, or a page not in memory
  kDepth = 25,           ///< More callers than are followed
  kNoRoom = 26,          ///< The table of callers was full
  kNoTables = 27,        ///< Tables could not be read (sandbox)
  kNoFramePointer = 28,  ///< The frame pointer is needed and not known (a look at a blocked thread)
  kNoCallers = 29,       ///< The kernel recorded neither callers nor registers
  kMoved = 30,           ///< The thread ran during the look
};
/// The first end by which a chain is cut.
inline constexpr std::uint8_t kFirstChainCut = 16;
inline constexpr std::uint32_t kChainEndCount = 31;  ///< Number of ends, gaps included
/// Whether a chain with this end is cut, also for a reason that is not known.
constexpr bool IsCut(ChainEnd end) noexcept {
  return end == ChainEnd::kUnknown || static_cast<std::uint8_t>(end) >= kFirstChainCut;
}

/// How chains were followed.
enum class ChainWay : std::uint8_t {
  kUnknown = 0,
  kFramePointers = 1,  ///< CSINK_STACKS=fp
  kUnwind = 2,         ///< CSINK_STACKS=unwind
  kLook = 3,           ///< A look at a blocked thread
  kKernel = 4,         ///< csink-attach: the kernel's frame pointers alone
};

/// Chains that ended in the same way. One record for each (end, way, region); further ones have the
/// region kNone. 48 bytes.
struct ChainEndRecord {
  ChainEnd end;
  ChainWay way;
  std::uint16_t reserved0;
  std::uint32_t region;        ///< Of the code at which the chain ended; kNone: unknown
  std::uint32_t copied_bytes;  ///< [live] The largest part of a stack that was copied
  std::uint32_t reserved1;
  std::uint64_t chains;  ///< [live] Samples, or looks, with such a chain
  std::uint64_t reserved2[3];
};
static_assert(sizeof(ChainEndRecord) == 48);

}  // namespace csink::spool
