#include <fcntl.h>
#include <sys/uio.h>

#include <cstring>

#include "core/machine/deadly_calls.h"
#include "core/machine/process_memory.h"
#include "core/util/raw_syscall.h"
#include "core/util/text.h"

// File: reads go through a block of bytes, since a walk over tables reads many neighbouring words,
// and each read of the kernel's is a system call.

namespace csink {
namespace {

constexpr std::uint64_t kPage = 4096;  // the smallest page size of x86-64 and aarch64
constexpr long kEperm = 1;
constexpr long kEnosys = 38;

long ReadMemory(long pid, const iovec& local, const iovec* remote, std::size_t count) noexcept {
  if (IsDeadly(DeadlyCall::kProcessVmReadv)) return -kEperm;
  return RawSyscall(SYS_process_vm_readv, pid, SyscallArg(&local), 1, SyscallArg(remote),
                    static_cast<long>(count), 0);
}

}  // namespace

bool ProcessMemory::ReadBlocks(std::uint64_t address, void* out, std::size_t size) noexcept {
  // Longer objects are read alone: they would drive out what is read often.
  if (size > MemoryBlocks::kBytes) return Copy(address, out, size);
  auto* to = static_cast<unsigned char*>(out);
  while (size != 0) {
    const std::uint64_t start = address - address % MemoryBlocks::kBytes;
    MemoryBlocks::Block& block = blocks_->For(start);
    if (block.start_plus_one != start + 1) {
      block.start_plus_one = 0;  // in case Copy fails half-way
      if (!Copy(start, block.bytes, sizeof block.bytes)) return false;
      block.start_plus_one = start + 1;
    }
    const std::size_t at = address - start;
    const std::size_t part = size < sizeof block.bytes - at ? size : sizeof block.bytes - at;
    std::memcpy(to, block.bytes + at, part);
    to += part;
    address += part;
    size -= part;
  }
  return true;
}

bool ProcessMemory::Read(std::uint64_t address, void* out, std::size_t size) noexcept {
  if (blocks_) return ReadBlocks(address, out, size);
  if (address - block_start_ >= block_size_ || size > block_size_ - (address - block_start_)) {
    // The block does not cross a page boundary: the next page may not be mapped.
    std::uint64_t block = kPage - address % kPage;
    if (block > sizeof(block_)) block = sizeof(block_);
    // The object crosses the block's end, so it is read alone and nothing is remembered.
    if (size > block) return Copy(address, out, size);
    // In case Copy fails half-way: the block then holds a mixture.
    block_size_ = 0;
    if (!Copy(address, block_, block)) return false;
    block_start_ = address;
    block_size_ = block;
  }
  std::memcpy(out, block_ + (address - block_start_), size);
  return true;
}

// A forked child has another number: its memory is used by nobody before the next Forget.
long ProcessMemory::Target() noexcept {
  if (tid_ != 0) return tid_;
  if (own_pid_ == 0) own_pid_ = static_cast<pid_t>(RawSyscall(SYS_getpid));
  return own_pid_;
}

bool ProcessMemory::Copy(std::uint64_t address, void* out, std::size_t size) noexcept {
  if (fd_) return FromFile(address, out, size);
  // process_vm_readv(2) on the own process needs no right (ptrace allows a thread group itself).
  // An address that is not mapped gives EFAULT instead of a SIGSEGV in the profiled program.
  iovec local{out, size};
  iovec remote{reinterpret_cast<void*>(address), size};
  const long got = ReadMemory(Target(), local, &remote, 1);
  if (got >= 0) return static_cast<std::size_t>(got) == size;
  // A container's seccomp filter: Docker before 19.03 refuses process_vm_readv without
  // CAP_SYS_PTRACE. /proc/thread-self/mem gives the same bytes, with an error instead of a fault,
  // too.
  if (got != -kEperm && got != -kEnosys) return false;
  // thread-self, not self: the main thread may have ended, and /proc/self/mem is then empty.
  Text<32> path;
  path.Add("/proc/");
  if (tid_ != 0) {
    path.Signed(tid_);
  } else {
    path.Add("thread-self");
  }
  path.Add("/mem");
  const long opened =
      RawSyscall(SYS_openat, AT_FDCWD, SyscallArg(path.c_str()), O_RDONLY | O_CLOEXEC);
  if (opened < 0) return false;
  fd_.reset(static_cast<int>(opened));
  return FromFile(address, out, size);
}

std::size_t ProcessMemory::ReadSome(std::uint64_t address, void* out, std::size_t size) noexcept {
  // One part a page: the kernel copies the parts before the first one that is not readable
  // (process_vm_readv(2): partial transfers have the granularity of parts).
  constexpr std::size_t kParts = 17;  // 64 KiB that begin inside a page
  iovec remote[kParts];
  std::size_t count = 0;
  std::size_t bytes = 0;
  while (count < kParts && bytes < size) {
    const std::uint64_t at = address + bytes;
    std::size_t part = kPage - at % kPage;
    if (part > size - bytes) part = size - bytes;
    remote[count++] = {reinterpret_cast<void*>(at), part};
    bytes += part;
  }
  if (!fd_) {
    iovec local{out, bytes};
    const long got = ReadMemory(Target(), local, remote, count);
    if (got >= 0) return static_cast<std::size_t>(got);
    // Copy opens the file where the call is refused; a byte is enough to find out.
    unsigned char byte = 0;
    if ((got != -kEperm && got != -kEnosys) || !Copy(address, &byte, 1) || !fd_) return 0;
  }
  const long got = RawSyscall(SYS_pread64, fd_.get(), SyscallArg(out), static_cast<long>(bytes),
                              static_cast<long>(address));
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

bool ProcessMemory::FromFile(std::uint64_t address, void* out, std::size_t size) const noexcept {
  const long got = RawSyscall(SYS_pread64, fd_.get(), SyscallArg(out), static_cast<long>(size),
                              static_cast<long>(address));
  return got >= 0 && static_cast<std::size_t>(got) == size;
}

}  // namespace csink
