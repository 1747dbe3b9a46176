#pragma once

/// File: the binary format of the record that a process of a tree leaves if it ends with too few
/// samples to be worth a spool of its own. Creating, allocating and mapping a spool takes 300 to
/// 500 us; a record is a single write(2) of some hundred bytes.
///
/// All processes of a tree append to one file, kSmallFileName in the tree's folder. Each record is
/// written by one write(2) to a file opened with O_APPEND, so that on a local file system records
/// do not overlap. A damaged record (full disk, network file system) fails its checksum; the reader
/// continues at the next kSmallMagic, at any offset, and counts the damage.
///
///   +-----------+--------------------------------------------+
///   | SmallHead | kProcess: SmallProcess, EventColumn[events] |  little-endian,
///   |           |   SmallRegion[regions], SmallHit[hits],     |  8-aligned within
///   |           |   kSmallTexts texts, each ended by NUL,     |  the record, zeros
///   |           |   paths of the regions, not ended,          |  up to head.bytes
///   |           |   SmallTail as the last bytes               |
///   |           | kNotFollowed: SmallRefusal, path            |
///   |           | kOutside: SmallOutside                      |
///   |           | kChildEnds: SmallChildEnds,                 |
///   |           |   SmallChildEnd[count]                      |
///   |           | kLeftOut: SmallLeftOut, path                |
///   |           | kNumbers: SmallNumbers                      |
///   +-----------+--------------------------------------------+
///
/// A process whose execve failed writes another record: among the records of one image (pid,
/// start_monotonic_ns) the last one is valid, and a spool of the image takes precedence over its
/// records.

#include <cstddef>
#include <cstdint>

#include "core/util/fnv1a.h"
#include "core/util/preloadable.h"
#include "profil/format/format.h"

namespace csink::spool {

/// The file in the folder of the tree, and the first bytes of each of its records.
inline constexpr char kSmallFileName[] = "tree.records.csink";
inline constexpr char kSmallMagic[8] = {'C', 'S', 'I', 'N', 'K', 'R', 'E', 'C'};
/// Increased with every change that an older reader would misinterpret.
inline constexpr std::uint32_t kSmallVersion = 1;
/// The largest record; a process that needs more makes a spool.
inline constexpr std::uint32_t kMaxSmallBytes = 32 * 1024;

/// What a record describes. Readers skip unknown kinds.
enum class SmallKind : std::uint32_t {
  kProcess = 1,
  kNotFollowed = 2,  ///< An executed program that could not be followed
  kOutside = 3,      ///< A csink-attach in the tree that has ended
  kChildEnds = 4,    ///< Ends of children, as the wait calls of a process returned them
  kLeftOut = 5,      ///< A process with the agent that leaves no samples
  kNumbers = 6,      ///< A process that has another number for its parent than for itself
};

/// The begin of each record. 32 bytes.
struct SmallHead {
  char magic[8];
  std::uint32_t version;
  SmallKind kind;
  std::uint32_t bytes;  ///< Size of the record including this header; a multiple of 8
  /// kProcess: how long the main thread was runnable and waited for a processor, in us, plus 1; 0:
  /// not known, also in older files. It stands here because a SmallProcess cannot grow.
  std::uint32_t wait_us_plus_one;
  std::uint64_t checksum;  ///< SmallChecksum of the record, with 0 in this field
};
static_assert(sizeof(SmallHead) == 32);

/// The fields of spool::Header that are needed for a small process, under the same names. Such a
/// process had one thread, the main one.
struct SmallProcess {
  std::uint32_t pid;
  std::uint32_t parent_pid;
  std::uint32_t uid;
  std::uint32_t elf_machine;
  End end;
  std::uint32_t end_detail;
  Source source;
  std::uint32_t rank_plus_one;
  std::uint32_t depth;
  std::uint32_t threads_seen;
  std::uint32_t threads_sampled;
  std::uint32_t event_count;
  /// Numbers of the structures that follow
  std::uint32_t region_count;
  std::uint32_t hit_count;
  std::uint64_t tree_id;
  std::uint64_t start_realtime_ns;
  std::uint64_t start_monotonic_ns;
  std::uint64_t update_monotonic_ns;
  std::uint64_t user_ns;
  std::uint64_t system_ns;
  std::uint64_t start_user_ns;
  std::uint64_t start_system_ns;
  std::uint64_t agent_ns;
  std::uint64_t paused_ns;
  std::uint64_t drains;
  std::uint64_t lost_ns[kLossCauses];
  std::uint64_t thread_cpu_ns;  ///< CPU clock of the main thread
  char thread_name[16];
};
static_assert(sizeof(SmallProcess) == 14 * 4 + 16 * 8 + 16);

/// The texts: host, program, executable, command, working_directory, source_reason, job
inline constexpr std::size_t kSmallTexts = 7;

/// One executable mapping that contains samples; fields as in RegionRecord. 72 bytes.
struct SmallRegion {
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t file_offset;
  std::uint64_t inode;
  std::uint32_t device_major;
  std::uint32_t device_minor;
  std::uint32_t flags;  ///< kRegion*
  std::uint32_t path_bytes;
  std::uint32_t build_id_bytes;
  std::uint8_t build_id[20];
};
static_assert(sizeof(SmallRegion) == 72);

/// One sample. 24 bytes.
struct SmallHit {
  std::uint64_t pc;
  /// In events; ns for a clock
  std::uint64_t weight;
  std::uint32_t region;  ///< kNone: no mapping covered it
  /// Number of its EventColumn
  std::uint32_t event;
};
static_assert(sizeof(SmallHit) == 24);

/// The last bytes of a process's record, since it exists. Older readers do not look behind the
/// paths. A later version puts its fields before `evidence`: the tail is read from its end.
struct SmallTail {
  Evidence evidence;
  std::uint32_t bytes;  ///< sizeof(SmallTail) of the writer
  std::uint32_t magic;  ///< kSmallTailMagic
};
static_assert(sizeof(SmallTail) == 160);
inline constexpr std::uint32_t kSmallTailMagic = 0x4c494154;  // "TAIL"

/// Why an executed program is not in the profile. The numbers are part of the format.
enum class Refusal : std::uint32_t {
  kNone = 0,
  kStatic = 1,         ///< It has no dynamic linker that could load us.
  kSetId = 2,          ///< setuid or setgid to another user.
  kCapabilities = 3,   ///< File capabilities.
  kOtherMachine = 4,   ///< Another processor or word size.
  kNoEnvironment = 5,  ///< The program took us out of the environment.
  kMusl = 6,           ///< Its C library is musl.
};

/// Words that follow the program's name: "is statically linked".
constexpr const char* WordsFor(Refusal why) noexcept {
  switch (why) {
    case Refusal::kStatic:
      return WordsFor(PreloadObstacle::kStatic);
    case Refusal::kSetId:
      return WordsFor(PreloadObstacle::kSetId);
    case Refusal::kCapabilities:
      return WordsFor(PreloadObstacle::kCapabilities);
    case Refusal::kOtherMachine:
      return WordsFor(PreloadObstacle::kOtherMachine);
    case Refusal::kNoEnvironment:
      return "was started with an environment without libagent.so (CSINK_FOLLOW=all adds it again)";
    case Refusal::kMusl:
      return WordsFor(PreloadObstacle::kMusl);
    case Refusal::kNone:
      break;
  }
  return "could not be followed";
}

/// A program that was executed and could not be followed; its path is behind this structure, and
/// `time_bytes` bytes behind the path: CLOCK_MONOTONIC before the exec. 16 bytes.
struct SmallRefusal {
  std::uint32_t pid;
  Refusal why;
  std::uint32_t path_bytes;
  std::uint32_t time_bytes;  ///< 8; 0 in records of older agents, which have no time
};
static_assert(sizeof(SmallRefusal) == 16);

/// A csink-attach that sampled a program of the tree from outside and has ended. It is a process of
/// the tree for the kernel, so csink run subtracts its CPU time from the tree's. 16 bytes.
struct SmallOutside {
  std::uint32_t pid;  ///< The sampled process
  std::uint32_t reserved;
  std::uint64_t cpu_ns;  ///< CPU time of csink-attach, user and system
};
static_assert(sizeof(SmallOutside) == 16);

/// The begin of a record of ends. `count` SmallChildEnd are behind it. 40 bytes.
struct SmallChildEnds {
  std::uint32_t pid;  ///< The process that waited
  std::uint32_t count;
  std::uint32_t dropped;  ///< Ends that this process has seen and that found no room
  std::uint32_t reserved;
  /// getrusage(RUSAGE_CHILDREN) when the record was written: also of children whose end no hook saw
  std::uint64_t children_user_ns;
  std::uint64_t children_system_ns;
  std::uint64_t monotonic_ns;
};
static_assert(sizeof(SmallChildEnds) == 40);

/// The end of one child. 32 bytes.
struct SmallChildEnd {
  std::uint32_t pid;
  std::int32_t status;  ///< As waitpid(2) returns it
  /// CPU time of the child and of the descendants that were waited for (wait4(2))
  std::uint64_t user_ns;
  std::uint64_t system_ns;
  std::uint64_t monotonic_ns;  ///< When the wait returned
};
static_assert(sizeof(SmallChildEnd) == 32);

/// Why a process with the agent has no samples in the profile. The numbers are part of the format.
enum class LeftOut : std::uint32_t {
  kNone = 0,
  kExcluded = 1,      ///< By CSINK_FOLLOW, CSINK_INCLUDE or CSINK_EXCLUDE
  kSpoolRefused = 2,  ///< No spool could be made; `error` says why
};

/// Such a process; the path of its program is behind this structure. 48 bytes.
struct SmallLeftOut {
  std::uint32_t pid;
  LeftOut why;
  std::int32_t error;  ///< errno; 0: none
  std::uint32_t path_bytes;
  std::uint64_t user_ns;  ///< CPU time of the process when this was written
  std::uint64_t system_ns;
  std::uint64_t monotonic_ns;
  std::uint64_t reserved;
};
static_assert(sizeof(SmallLeftOut) == 48);

/// The first process of a pid namespace, or one that entered it: all that it records has its own
/// number, and the process that waits for it knows it by another one. 32 bytes.
struct SmallNumbers {
  std::uint32_t pid;         ///< In its own namespace
  std::uint32_t outer_pid;   ///< In the namespace of the /proc that it saw: that of its parent
  std::uint32_t parent_pid;  ///< Its parent's own number; 0: not known
  std::uint32_t reserved;
  std::uint64_t start_ticks;   ///< As Header::process_start_ticks; 0: not known
  std::uint64_t monotonic_ns;  ///< When this was written
};
static_assert(sizeof(SmallNumbers) == 32);

/// FNV-1a over `words` 64-bit words, with a shift after each. The checksum field in the head must
/// be 0. Finds damage, not manipulation.
inline std::uint64_t SmallChecksum(const void* bytes, std::size_t words) noexcept {
  std::uint64_t hash = kFnv1aBegin;
  const auto* at = static_cast<const unsigned char*>(bytes);
  for (std::size_t i = 0; i < words; ++i, at += 8) {
    std::uint64_t word = 0;
    __builtin_memcpy(&word, at, sizeof word);
    hash = (hash ^ word) * kFnv1aPrime;
    hash ^= hash >> 29;  // Without this, high bits would never affect low bits
  }
  return hash;
}

}  // namespace csink::spool
