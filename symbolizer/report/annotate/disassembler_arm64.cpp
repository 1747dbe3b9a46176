#include <capstone/capstone.h>

#include <algorithm>
#include <cstring>

#include "symbolizer/report/annotate/disassembler.h"
#include "symbolizer/report/annotate/shared_library.h"

/// File: AArch64 by capstone, called as disassembler_x86.cpp calls zydis. All instructions have
/// four bytes, so the decoder cannot get out of step; four bytes that are not an instruction are
/// one row of data.

namespace csink::annotate {
namespace {

constexpr std::size_t kWordBytes = 4;

/// The functions of libcapstone that are used, with the prototypes of the header at build time.
struct Capstone {
  decltype(&cs_version) version = nullptr;
  decltype(&cs_open) open = nullptr;
  decltype(&cs_option) option = nullptr;
  decltype(&cs_malloc) allocate = nullptr;
  decltype(&cs_free) release = nullptr;
  decltype(&cs_disasm_iter) next = nullptr;
  decltype(&cs_close) close = nullptr;

  bool Load() {
    const SharedLibrary library{CS_API_MAJOR == 4 ? "libcapstone.so.4" : "libcapstone.so.5"};
    return library.Find("cs_version", version) && library.Find("cs_open", open) &&
           library.Find("cs_option", option) && library.Find("cs_malloc", allocate) &&
           library.Find("cs_free", release) && library.Find("cs_disasm_iter", next) &&
           library.Find("cs_close", close);
  }
  // Another minor version is refused as well: cs_arm64 and the instruction numbers may differ.
  bool IsOurs() const {
    int major = 0;
    int minor = 0;
    version(&major, &minor);
    return major == CS_API_MAJOR && minor == CS_API_MINOR;
  }
};

/// The decoder. instruction_ is the last one that was decoded; capstone allocates it with its
/// details.
class Arm64Disassembler : public Disassembler {
 public:
  ~Arm64Disassembler() override {
    if (instruction_ != nullptr) capstone_.release(instruction_, 1);
    if (handle_ != 0) capstone_.close(&handle_);
  }

  bool Start(const Capstone& capstone) {
    capstone_ = capstone;
    if (capstone_.open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, &handle_) != CS_ERR_OK) return false;
    // Without details there are no operands and no groups, so no branch could be recognised.
    if (capstone_.option(handle_, CS_OPT_DETAIL, CS_OPT_ON) != CS_ERR_OK) return false;
    instruction_ = capstone_.allocate(handle_);
    return instruction_ != nullptr;
  }

  Step Decode(Bytes bytes, std::uint64_t vaddr) override {
    Step step;
    step.size = std::min(kWordBytes, bytes.size());
    // Decoding may fail; step.size already says how many bytes to skip.
    if (!Read(bytes, vaddr)) return step;
    step.is_code = true;
    step.is_call = instruction_->id == ARM64_INS_BL || instruction_->id == ARM64_INS_BLR;
    step.is_branch = !step.is_call && IsJump();
    if (!step.is_call && !step.is_branch) return step;
    const cs_arm64& detail = instruction_->detail->arm64;
    // The target is the last operand: "cbz x0, #0x1139", "tbnz w0, #3, #0x1139".
    const unsigned last = detail.op_count;
    if (last > 0 && detail.operands[last - 1].type == ARM64_OP_IMM) {
      step.target = static_cast<std::uint64_t>(detail.operands[last - 1].imm);
    }
    step.is_indirect = !step.target && instruction_->id != ARM64_INS_RET;
    return step;
  }

  std::string Text(Bytes bytes, std::uint64_t vaddr, const TargetName& name) override {
    const Step step = Decode(bytes, vaddr);
    if (!step.is_code) return DataText(bytes, step.size);
    std::string text = instruction_->mnemonic;
    if (instruction_->op_str[0] != '\0') text += std::string(" ") + instruction_->op_str;
    return step.target ? WithTarget(std::move(text), *step.target, name(*step.target)) : text;
  }

 private:
  /// Whether capstone counts the instruction among the jumps.
  bool IsJump() const {
    const cs_detail& detail = *instruction_->detail;
    const auto* end = detail.groups + detail.groups_count;
    return std::find(detail.groups, end, ARM64_GRP_JUMP) != end;
  }
  /// Decodes one instruction into instruction_. cs_disasm_iter moves `code`, `left` and `vaddr` on;
  /// these are copies.
  bool Read(Bytes bytes, std::uint64_t vaddr) {
    const std::uint8_t* code = bytes.data();
    std::size_t left = std::min(kWordBytes, bytes.size());
    return capstone_.next(handle_, &code, &left, &vaddr, instruction_);
  }

  Capstone capstone_;
  csh handle_ = 0;
  cs_insn* instruction_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<Disassembler>> OpenCapstone() {
  Capstone capstone;
  if (!capstone.Load()) {
    return Error{Errc::kNotFound, 0, "libcapstone is not installed (apt-get install libcapstone4)"};
  }
  if (!capstone.IsOurs()) {
    return Error{Errc::kNotFound, 0, "libcapstone has another version than csink was built with"};
  }
  auto disassembler = std::make_unique<Arm64Disassembler>();
  if (!disassembler->Start(capstone)) {
    return Error{Errc::kUnsupported, 0, "libcapstone cannot be initialized"};
  }
  return std::unique_ptr<Disassembler>(std::move(disassembler));
}

}  // namespace csink::annotate
