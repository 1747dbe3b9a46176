#include "agent/attach/image_waits.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <new>
#include <vector>

#include "agent/attach/glibc_file.h"
#include "agent/attach/i386_calls.h"
#include "core/machine/clocks.h"
#include "core/util/text.h"
#include "core/util/unique_fd.h"

/// File: see the header.

namespace csink::attach {
namespace {

// System calls of a 32-bit program of x86-64 have other numbers.
bool IsI386(const std::string& folder) {
  const UniqueFd fd(open((folder + "/exe").c_str(), O_RDONLY | O_CLOEXEC));
  Elf32_Ehdr header;
  if (!fd || pread(fd.get(), &header, sizeof header, 0) != sizeof header) return false;
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_machine == EM_386;
}

}  // namespace

ImageWaits::ImageWaits(const std::string& proc, ProcessImage& image)
    : image_(image), folder_(proc + "/" + std::to_string(image.pid())), frames_(folder_) {
  // A mapping, because it must be zero and is mostly not touched.
  void* memory = mmap(nullptr, sizeof(agent::ThreadLooks), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  looks_ = static_cast<agent::ThreadLooks*>(memory);
  looks_->Start(*this, image_.spool(), image_.regions(), folder_.c_str(), /*is_own=*/false,
                GlibcOf(folder_));
  if (CallerChains* chains = image_.chains()) chains->facts().set_more_entries(&frames_);
  is_i386_ = IsI386(folder_);
  const std::string space = LinkOf(folder_, "ns/pid");
  is_renumbered_ = !space.empty() && space != LinkOf(proc + "/self", "ns/pid");
}

ImageWaits::~ImageWaits() {
  for (auto& [tid, thread] : threads_) looks_->Drop(thread);
  if (CallerChains* chains = image_.chains()) chains->facts().set_more_entries(nullptr);
  munmap(looks_, sizeof(agent::ThreadLooks));
}

const agent::WatchedThread* ImageWaits::FindThread(pid_t tid) noexcept {
  if (is_renumbered_) {
    const auto outer = outer_.find(tid);
    if (outer == outer_.end()) return nullptr;
    tid = outer->second;
  }
  const auto found = threads_.find(tid);
  return found == threads_.end() ? nullptr : &found->second;
}

bool ImageWaits::HasThread(pid_t tid) noexcept {
  if (FindThread(tid) != nullptr) return true;
  // The record of a thread that was made during this moment comes with the next drain. A thread
  // that waits for that thread would else keep the wrong kind of wait until the thread's next turn.
  Text<128> path;
  path.Add(folder_).Add("/task/").Signed(tid);
  return !is_renumbered_ && access(path.c_str(), F_OK) == 0;
}

agent::ObservedProcess::LastPlace ImageWaits::LastPlaceOf(
    const agent::WatchedThread& thread) noexcept {
  // The rings were drained before the looks, so the sample is at most a period older than the look.
  const BucketSegment::Key* place = image_.LastPlaceOf(thread.tid);
  if (place == nullptr) return {};
  return {place->pc, place->region, place->chain};
}

SyscallLine ImageWaits::NativeCall(const SyscallLine& line) noexcept {
  SyscallLine native = line;
  if (is_i386_) native.number = NativeNumberOf(line.number);
  return native;
}

void ImageWaits::UpdateThreads() {
  for (auto at = threads_.begin(); at != threads_.end();) {
    if (image_.HasThread(at->first)) {
      ++at;
      continue;
    }
    looks_->Drop(at->second);
    std::erase_if(outer_, [&](const auto& pair) { return pair.second == at->first; });
    at = threads_.erase(at);
  }
  if (threads_.size() == image_.live_threads()) return;
  image_.ForEachThread([this](pid_t tid) {
    if (!threads_.try_emplace(tid).second || !is_renumbered_) return;
    if (const auto inner = InnerTid(folder_, tid)) outer_[*inner] = tid;
  });
}

void ImageWaits::Moment(std::size_t most_files) {
  if (failure_ != 0) return;
  const std::uint64_t before = ThreadCpuNs();
  UpdateThreads();
  looks_->BeginMoment(most_files);
  for (auto& [tid, thread] : threads_) looks_->Look(thread, tid);
  count_ = static_cast<std::uint32_t>(threads_.size());
  failure_ = looks_->EndMoment(count_, ThreadCpuNs() - before);
  looks_->StoreHeader();
}

}  // namespace csink::attach
