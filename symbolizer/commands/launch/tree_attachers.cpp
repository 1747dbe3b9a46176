#include "symbolizer/commands/launch/tree_attachers.h"

#include <fcntl.h>
#include <sys/file.h>

#include <chrono>
#include <thread>

#include "core/util/unique_fd.h"
#include "profil/format/small_record.h"
#include "profil/reading/reader/small_reader.h"

namespace csink::tool {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// Between two attempts: flock(2) cannot wait with a limit.
constexpr milliseconds kPause{2};
/// The longest waits, with and without programs of the tree that still run (see the header).
constexpr milliseconds kWithPrograms{300};
constexpr milliseconds kWithoutPrograms{5000};

/// The file that every csink-attach of the tree keeps a shared lock on while it samples.
std::string RecordFile(const std::string& folder) { return folder + "/" + spool::kSmallFileName; }

}  // namespace

void AwaitAttachers(const std::string& folder, const std::function<bool()>& tree_runs) {
  const UniqueFd records(open(RecordFile(folder).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!records) return;
  const auto begin = steady_clock::now();
  // The exclusive lock is granted when no csink-attach holds a shared one. A file system without
  // flock(2) grants no lock: then nothing was sampled from outside either, and the time limit ends
  // the wait.
  while (flock(records.get(), LOCK_EX | LOCK_NB) != 0) {
    const auto waited = steady_clock::now() - begin;
    if (waited >= kWithoutPrograms) return;
    // /proc is read only after the short wait: that costs 10 us for each process of the machine.
    if (waited >= kWithPrograms && tree_runs()) return;
    std::this_thread::sleep_for(kPause);
  }
}

std::uint64_t AttachersCpuNs(const std::string& folder) {
  const Result<spool::SmallRecords> records = spool::ReadSmallFile(RecordFile(folder));
  return records ? records->outside_ns() : 0;
}

}  // namespace csink::tool
