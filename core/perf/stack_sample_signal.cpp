#include <asm/perf_regs.h>

#include <cstring>

#include "core/perf/stack_sample.h"

// The order of the fields in a sample is fixed by the kernel (perf_event_open(2),
// PERF_RECORD_SAMPLE): PC, period, chain, user registers, stack. Each length in the record is
// compared with the record's size before the fields behind it are read, since a lost or damaged
// record must not make the drain read outside the ring.

namespace csink {
namespace {

// The kernel's register numbers, ascending as the registers stand in the record, and DWARF's.
#if defined(__x86_64__)
constexpr struct {
  int kernel;
  int dwarf;
} kRegisters[] = {{PERF_REG_X86_AX, 0},   {PERF_REG_X86_BX, 3},   {PERF_REG_X86_CX, 2},
                  {PERF_REG_X86_DX, 1},   {PERF_REG_X86_SI, 4},   {PERF_REG_X86_DI, 5},
                  {PERF_REG_X86_BP, 6},   {PERF_REG_X86_SP, 7},   {PERF_REG_X86_IP, 16},
                  {PERF_REG_X86_R8, 8},   {PERF_REG_X86_R9, 9},   {PERF_REG_X86_R10, 10},
                  {PERF_REG_X86_R11, 11}, {PERF_REG_X86_R12, 12}, {PERF_REG_X86_R13, 13},
                  {PERF_REG_X86_R14, 14}, {PERF_REG_X86_R15, 15}};

std::uint64_t RegisterMask() noexcept {
  std::uint64_t mask = 0;
  for (const auto& reg : kRegisters) mask |= 1ull << reg.kernel;
  return mask;
}
std::size_t DwarfNumber(std::size_t i) noexcept {
  return static_cast<std::size_t>(kRegisters[i].dwarf);
}
#else
// x0 to x30, sp, pc: the same numbers in both.
static_assert(PERF_REG_ARM64_PC == kPcRegister);
std::uint64_t RegisterMask() noexcept { return (1ull << kStackRegisters) - 1; }
std::size_t DwarfNumber(std::size_t i) noexcept { return i; }
#endif

// PERF_CONTEXT_USER and similar values in a chain are markers, not addresses.
constexpr std::uint64_t kFirstMarker = PERF_CONTEXT_MAX;

// Appends the user addresses of the chain at offset `at` to `out`. Returns the offset behind the
// chain. Addresses beyond kMaxAddresses are skipped.
std::size_t ReadChain(const RingRecord& record, std::size_t at, StackSample& out) noexcept {
  const std::uint64_t count = record.U64(at);
  at += 8;
  const std::uint64_t room = record.size_bytes() > at ? (record.size_bytes() - at) / 8 : 0;
  const std::uint64_t there = count < room ? count : room;
  bool user = true;
  for (std::uint64_t i = 0; i < there; ++i) {
    const std::uint64_t address = record.U64(at + i * 8);
    if (address >= kFirstMarker) {
      user = address == PERF_CONTEXT_USER;
    } else if (user && out.address_count < StackSample::kMaxAddresses) {
      out.addresses[out.address_count++] = address;
    }
  }
  return at + there * 8;
}

}  // namespace

void AskForRegisters(perf_event_attr& attr, std::uint32_t stack_bytes) noexcept {
  attr.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
  attr.sample_regs_user = RegisterMask();
  attr.sample_stack_user = stack_bytes;
}

void AskForStack(perf_event_attr& attr, std::uint32_t stack_bytes) noexcept {
  AskForRegisters(attr, stack_bytes);
  attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
  // Kernel addresses would use up the entries of sample_max_stack.
  attr.exclude_callchain_kernel = 1;
  attr.sample_max_stack = StackSample::kMaxAddresses;
}

bool ReadStackSample(const RingRecord& record, bool has_period, StackSample& out,
                     bool has_time) noexcept {
  if (record.size_bytes() < kSamplePc + 8) return false;
  out.pc = record.U64(kSamplePc);
  const std::size_t second = kSampleSecond + (has_time ? kTimeBytes : 0);
  out.period = has_period ? record.U64(second) : 0;
  out.address_count = 0;
  ReadRegisters(record, ReadChain(record, has_period ? second + 8 : second, out), out);
  return true;
}

void ReadRegisters(const RingRecord& record, std::size_t at, StackSample& out) noexcept {
  out.stack_bytes = out.stack_first_bytes = 0;
  out.has_registers = out.stack_ended = false;
  const std::uint64_t abi = record.U64(at);  // 0: no user registers were recorded
  at += 8;
  // Registers of a 32-bit process are not decoded: this build's unwinder is a 64-bit one.
  if (abi != PERF_SAMPLE_REGS_ABI_64) return;
  if (at + 8 * kStackRegisters > record.size_bytes()) return;
  for (std::size_t i = 0; i < kStackRegisters; ++i, at += 8) {
    out.registers[DwarfNumber(i)] = record.U64(at);
  }
#if defined(__aarch64__)
  // With pointer authentication the kernel reports the link register with a signature in its upper
  // bits.
  out.registers[kLinkRegister] &= 0x0000ffffffffffffull;
#endif
  out.has_registers = true;
  // The stack is stored as its size, that many bytes, and then the number of valid ones among them:
  // the kernel stops at an unreadable page. Where the size is 0 the last field is missing.
  const std::uint64_t copied = record.U64(at);
  at += 8;
  if (copied == 0 || copied > record.size_bytes() || at + copied + 8 > record.size_bytes()) {
    return;
  }
  const std::uint64_t valid = record.U64(at + copied);  // dyn_size: bytes really copied
  out.stack_bytes = static_cast<std::uint32_t>(valid < copied ? valid : copied);
  out.stack_ended = valid < copied;
  const RingRecord::Pieces pieces = record.Look(at, out.stack_bytes);
  if (!pieces.first) out.stack_bytes = 0;
  out.stack = pieces.first;
  out.stack_rest = pieces.rest;
  out.stack_first_bytes = static_cast<std::uint32_t>(pieces.first_bytes);
}

void KeptStackSample::Keep(const StackSample& from) noexcept {
  sample = from;
  if (sample.stack_bytes > sizeof stack) {
    sample.stack_bytes = sizeof stack;
    sample.stack_ended = false;
  }
  // The two pieces become one.
  const std::uint32_t first =
      from.stack_first_bytes < sample.stack_bytes ? from.stack_first_bytes : sample.stack_bytes;
  if (first != 0) std::memcpy(stack, from.stack, first);
  if (sample.stack_bytes > first) {
    std::memcpy(stack + first, from.stack_rest, sample.stack_bytes - first);
  }
  sample.stack = stack;
  sample.stack_first_bytes = sample.stack_bytes;
}

}  // namespace csink
