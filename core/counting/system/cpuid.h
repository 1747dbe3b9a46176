#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace csink {

/// The registers that the cpuid instruction returns (Intel SDM volume 2A, AMD APM volume 3 appendix
/// E).
struct CpuidRegisters {
  /// All zero for a leaf without content.
  std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

/// Answers one CPUID query: leaf and subleaf; nullopt: the processor does not have the leaf. Tests
/// use a recording.
using CpuidFunction =
    std::function<std::optional<CpuidRegisters>(std::uint32_t leaf, std::uint32_t subleaf)>;

/// Queries the CPU on which the caller happens to run. Answers nullopt for every leaf on a machine
/// that is not x86, and for leaves beyond the processor's range. In a virtual machine each query
/// takes 10 us or more. Threads: any.
CpuidFunction HostCpuid();

/// Answers nullopt to everything: for a recorded tree of files without a recording of CPUID.
CpuidFunction NoCpuid();

/// The processor's brand string from leaves 0x80000002 to 4 (48 bytes with NULs), trimmed; "" where
/// there is none, or no `cpuid`.
std::string BrandString(const CpuidFunction& cpuid);

}  // namespace csink
