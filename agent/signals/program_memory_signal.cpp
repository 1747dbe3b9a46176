#include <errno.h>

#include <cstdint>
#include <cstring>

#include "agent/process/program_observer.h"
#include "agent/signals/program_memory.h"
#include "core/util/raw_syscall.h"

namespace csink::agent {
namespace {

// The smallest page of the supported machines; larger pages are tested more often than needed.
constexpr std::uintptr_t kPage = 4096;
// Size of the kernel's signal set; rt_sigprocmask refuses any other.
constexpr std::uintptr_t kMaskBytes = 8;
// No valid `how`, so that the call never changes the mask.
constexpr long kNoHow = -1;

// True in a sandbox, where rt_sigprocmask may kill the process.
bool IsSilent() noexcept {
  const ProgramObserver* agent = TheObserver();
  return agent && agent->sandboxed();
}

/// Tests pages and remembers the last one that was readable: the strings of an environment lie
/// close together.
class Pages {
 public:
  bool Has(std::uintptr_t address) noexcept {
    const std::uintptr_t page = address / kPage;
    if (page == last_) return true;
    // The kernel reads 8 bytes; aligned, they lie in this page alone. A null pointer would mean "no
    // mask" and give no EFAULT.
    const std::uintptr_t mask = address & ~(kMaskBytes - 1);
    if (mask == 0) return false;
    if (!silent_ &&
        RawSyscall(SYS_rt_sigprocmask, kNoHow, static_cast<long>(mask), 0, kMaskBytes) == -EFAULT) {
      return false;
    }
    last_ = page;
    return true;
  }

  bool HasText(const char* text) noexcept {
    for (;;) {
      const auto address = reinterpret_cast<std::uintptr_t>(text);
      if (!Has(address)) return false;
      const std::size_t rest = kPage - address % kPage;
      if (std::memchr(text, 0, rest)) return true;
      text += rest;
    }
  }

 private:
  const bool silent_ = IsSilent();
  std::uintptr_t last_ = ~std::uintptr_t{0};  // none
};

}  // namespace

bool MayRead(const void* from, std::size_t bytes) noexcept {
  Pages pages;
  auto address = reinterpret_cast<std::uintptr_t>(from);
  while (bytes > 0) {
    if (!pages.Has(address)) return false;
    const std::size_t rest = kPage - address % kPage;
    if (bytes <= rest) return true;
    bytes -= rest;
    address += rest;
  }
  return true;
}

bool CopyFromProgram(const void* from, void* to, std::size_t bytes) noexcept {
  if (!MayRead(from, bytes)) return false;
  std::memcpy(to, from, bytes);
  return true;
}

bool MayReadText(const char* text) noexcept {
  Pages pages;
  return !text || pages.HasText(text);
}

bool MayReadTexts(char* const* texts) noexcept {
  if (!texts) return true;
  // Two objects, because the list and its strings lie in different pages.
  Pages of_list;
  Pages of_texts;
  for (;; ++texts) {
    const auto address = reinterpret_cast<std::uintptr_t>(texts);
    if (!of_list.Has(address) || !of_list.Has(address + sizeof *texts - 1)) return false;
    if (!*texts) return true;
    if (!of_texts.HasText(*texts)) return false;
  }
}

}  // namespace csink::agent
