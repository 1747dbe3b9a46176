#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace csink {

/// What the cpuid instruction answers (Intel SDM volume 2A, AMD APM volume 3 appendix E).
struct CpuidRegisters {
  std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

/// One question: leaf and subleaf. Tests answer from a recording.
using CpuidFunction =
    std::function<std::optional<CpuidRegisters>(std::uint32_t leaf, std::uint32_t subleaf)>;

/// Asks this CPU; answers nothing for leaves that it does not have, and for every leaf on a machine
/// that is not x86. Which CPU of the machine answers is the scheduler's choice.
CpuidFunction HostCpuid();

/// Answers nothing: a recorded tree of files without a recording of cpuid.
CpuidFunction NoCpuid();

/// The brand string of leaves 0x80000002 to 4, "" without it.
std::string BrandString(const CpuidFunction& cpuid);

}  // namespace csink
