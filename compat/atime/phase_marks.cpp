#include "compat/atime/phase_marks.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include "compat/apapi_client/message.h"
#include "compat/atime/options.h"
#include "compat/marks/mark_file.h"

/// File: the memory through which marks come: an anonymous file that processes of the program open
/// by its name in /proc. LD_PRELOAD and ATIME_MARKS reach every process that inherits the
/// environment.

namespace csink::atime {
namespace {

constexpr char kLibrary[] = "libcsink-marks.so";

/// The library beside atime (build tree) or in the folder of libraries (CSINK_LIB_FROM_BIN). "":
/// there is none.
std::string FindLibrary() {
  char self[4096];
  const ssize_t size = readlink("/proc/self/exe", self, sizeof self);
  // A full buffer: the name was cut off.
  if (size <= 0 || static_cast<std::size_t>(size) == sizeof self) return {};
  std::string folder(self, static_cast<std::size_t>(size));
  folder.resize(folder.rfind('/') + 1);
  for (const char* between : {"", CSINK_LIB_FROM_BIN "/"}) {
    const std::string path = folder + between + kLibrary;
    // LD_PRELOAD separates names by blanks and colons.
    if (access(path.c_str(), R_OK) == 0 && path.find_first_of(" :") == std::string::npos) {
      return path;
    }
  }
  return {};
}

}  // namespace

PhaseMarks::~PhaseMarks() {
  if (file_) munmap(file_, sizeof(marks::MarkFile));
}

bool PhaseMarks::Open() {
  const std::string library = FindLibrary();
  if (library.empty()) {
    apapi::Say(kWho, std::string("--phases: ") + kLibrary +
                         " is neither beside atime nor in its folder of libraries (package "
                         "countersink-atime)");
    return false;
  }
  // The descriptor is not inherited: processes of the program open it by its name in /proc.
  fd_ = UniqueFd(memfd_create("atime-marks", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  void* at = MAP_FAILED;
  // Sealed: a program that shortens it would end atime by SIGBUS.
  if (fd_.get() >= 0 && ftruncate(fd_.get(), sizeof(marks::MarkFile)) == 0 &&
      fcntl(fd_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0) {
    at = mmap(nullptr, sizeof(marks::MarkFile), PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(), 0);
  }
  if (at == MAP_FAILED) {
    apapi::Say(kWho, std::string("--phases: no memory for the marks: ") + std::strerror(errno));
    return false;
  }
  file_ = static_cast<marks::MarkFile*>(at);
  file_->magic = marks::kMagic;
  const char* const before = std::getenv("LD_PRELOAD");
  // First, so that it stands before libagent.so, whose function it calls.
  const std::string preload = library + (before && *before ? ":" + std::string(before) : "");
  const std::string name = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(fd_.get());
  setenv("LD_PRELOAD", preload.c_str(), 1);
  setenv(marks::kVariable, name.c_str(), 1);
  return true;
}

void PhaseMarks::Clear() noexcept {
  // The count also grows with marks that had no room.
  const std::uint32_t count = std::min(file_->count.load(), marks::kMostMarks);
  // Time 0 says that a mark is not written yet (Take).
  for (std::uint32_t i = 0; i < count; ++i) file_->marks[i].time_ns.store(0);
  file_->count.store(0);
}

std::vector<PhaseMark> PhaseMarks::Take() const {
  const std::uint32_t begun = file_->count.load(std::memory_order_acquire);
  std::vector<PhaseMark> taken;
  for (std::uint32_t i = 0; i < std::min(begun, marks::kMostMarks); ++i) {
    const marks::Mark& mark = file_->marks[i];
    const std::int64_t time_ns = mark.time_ns.load(std::memory_order_acquire);
    // Read once: the length is the program's to write, at any time.
    const std::uint32_t bytes = __atomic_load_n(&mark.name_bytes, __ATOMIC_RELAXED);
    // 0: the process was killed while it noted the mark.
    if (time_ns == 0 || bytes > marks::kMostNameBytes) continue;
    taken.push_back({time_ns, std::string(mark.name, bytes)});
  }
  if (begun > marks::kMostMarks) {
    apapi::Say(kWho, "--phases: marks after the first " + std::to_string(marks::kMostMarks) +
                         " had no room; the last phase contains what followed");
  }
  // Two threads may have stored theirs in another order.
  std::stable_sort(taken.begin(), taken.end(),
                   [](const PhaseMark& a, const PhaseMark& b) { return a.time_ns < b.time_ns; });
  return taken;
}

}  // namespace csink::atime
