#include "core/machine/frame_entry.h"
#include "core/machine/frame_rule.h"

// Reads one FDE and its CIE (ReadEntry, frame_entry.h), executes their call frame instructions up
// to the row of one address (RowMachine), and reduces that row to a FrameRule (FromRow). Only the
// CFA, the frame pointer, the return address and the kept registers are followed; rules of all
// other registers are read and ignored. A form that is not supported gives kUnsupported; the caller
// may then ask libunwind. The tables belong to the profiled program and may be damaged. Every read
// is checked, every loop ends with the bytes, and the instructions cannot loop.

namespace csink {
namespace {

#if defined(__x86_64__)
// psABI x86-64, figure 3.36
constexpr std::uint64_t kStackPointer = 7;
constexpr std::uint64_t kFramePointer = 6;
constexpr std::uint64_t kReturn = 16;
#else
// AADWARF64, section 4.1
constexpr std::uint64_t kStackPointer = 31;
constexpr std::uint64_t kFramePointer = 29;
constexpr std::uint64_t kReturn = 30;
#endif

// Where a register's value of the caller is found.
struct Saved {
  // kSame: still in its register. kAtOffset: in memory at CFA + offset. kAtFrame: in memory at
  // frame pointer + offset. kNowhere: undefined, which for the return address means the outermost
  // frame.
  enum class Where : unsigned char { kSame, kAtOffset, kAtFrame, kNowhere, kUnsupported };
  Where where = Where::kSame;
  std::int64_t offset = 0;
};

// One row of the unwind table: the CFA rule, and the two registers that we follow.
struct Row {
  // ~0 until an instruction has named a register.
  std::uint64_t cfa_register = ~0ull;
  std::int64_t cfa_offset = 0;
  bool cfa_known = false;
  // The CFA is the word at cfa_register + cfa_offset, not the sum itself.
  bool cfa_in_memory = false;
  Saved frame_pointer;
  Saved return_address;
  // As FrameRule::kept.
  std::int16_t kept[kKeptRegisterCount] = {};
};

// The place of a register in kKeptRegisters, or kKeptRegisterCount.
std::size_t KeptIndex(std::uint64_t number) noexcept {
  for (std::size_t i = 0; i < kKeptRegisterCount; ++i) {
    if (kKeptRegisters[i] == number) return i;
  }
  return kKeptRegisterCount;
}

std::int16_t KeptAt(Saved::Where where, std::int64_t offset) noexcept {
  if (where == Saved::Where::kSame) return 0;
  // A function saves registers directly below the CFA.
  constexpr std::int64_t kFarthest = 8 * INT16_MAX;
  if (where != Saved::Where::kAtOffset || offset >= 0 || offset < -kFarthest || offset % 8 != 0) {
    return -1;
  }
  return static_cast<std::int16_t>(-offset / 8);
}

/// Executes call frame instructions (DWARF 5, section 6.4.2) until the row for one address is
/// complete.
class RowMachine {
 public:
  RowMachine(std::uint64_t code_align, std::int64_t data_align, unsigned char encoding,
             std::uint64_t pc) noexcept
      : code_align_(code_align), data_align_(data_align), encoding_(encoding), pc_(pc) {}

  /// Returns false at an instruction that is not supported.
  bool Run(FrameBytes code, std::uint64_t location) noexcept {
    location_ = location;
    // A row is valid from its location up to the next one. The first location behind pc_ ends the
    // row of pc_.
    while (code.more() && location_ <= pc_) {
      if (!Step(code)) return false;
    }
    return !code.broken();
  }
  /// Whether the instructions that were followed reach behind the pc: its row is then complete.
  bool has_passed_pc() const noexcept { return location_ > pc_; }
  // The row after the CIE's instructions: what DW_CFA_restore returns to.
  void KeepAsInitial() noexcept { initial_ = row_; }
  const Row& row() const noexcept { return row_; }

 private:
  // Depth of remember_state; a deeper nesting is not supported.
  static constexpr int kMaxRemembered = 8;

  // The rule of a register that is followed, or null for one that is not.
  Saved* Register(std::uint64_t number) noexcept {
    if (number == kFramePointer) return &row_.frame_pointer;
    if (number == kReturn) return &row_.return_address;
    return nullptr;
  }
  void Set(std::uint64_t number, Saved::Where where, std::int64_t offset = 0) noexcept {
    if (Saved* saved = Register(number)) *saved = {where, offset};
    const std::size_t kept = KeptIndex(number);
    if (kept < kKeptRegisterCount) row_.kept[kept] = KeptAt(where, offset);
  }
  void Restore(std::uint64_t number) noexcept {
    if (number == kFramePointer) row_.frame_pointer = initial_.frame_pointer;
    if (number == kReturn) row_.return_address = initial_.return_address;
    const std::size_t kept = KeptIndex(number);
    if (kept < kKeptRegisterCount) row_.kept[kept] = initial_.kept[kept];
  }
  void Advance(std::uint64_t delta) noexcept { location_ += delta * code_align_; }
  bool CfaExpression(FrameBytes& code) noexcept;
  void SavedByExpression(FrameBytes& code) noexcept;
  bool Step(FrameBytes& code) noexcept;
  bool Extended(unsigned char operation, FrameBytes& code) noexcept;

  std::uint64_t code_align_;
  std::int64_t data_align_;
  unsigned char encoding_;
  std::uint64_t pc_;
  std::uint64_t location_ = 0;
  Row row_;
  Row initial_;
  Row remembered_[kMaxRemembered];
  int depth_ = 0;
};

// Understands two expressions. First, "DW_OP_bregN offset, deref" with the frame pointer, in a
// function that aligns its stack. Second, the rule that linkers write for a PLT: stack pointer + 8,
// and 8 more after the push in each 16-byte stub (DW_OP_breg7 8, breg16 0, lit15, and, litN, ge,
// lit3, shl, plus).
bool RowMachine::CfaExpression(FrameBytes& code) noexcept {
  const std::uint64_t size = code.Unsigned();
  const unsigned char* e = code.at();
  code.Skip(size);
  row_.cfa_in_memory = false;
  if (code.broken()) return false;
  // 0x70 + N is DW_OP_bregN, 0x06 DW_OP_deref.
  if (size >= 3 && e[0] == 0x70 + kFramePointer && e[size - 1] == 0x06) {
    FrameBytes offset(e + 1, e + size - 1, 0);
    row_.cfa_register = kFramePointer;
    row_.cfa_offset = offset.Signed();
    row_.cfa_known = row_.cfa_in_memory = !offset.more() && !offset.broken();
    return row_.cfa_known;
  }
  if (size != 11) return false;
  constexpr unsigned char kHead[6] = {0x77, 0x08, 0x80, 0x00, 0x3f, 0x1a};
  constexpr unsigned char kTail[4] = {0x2a, 0x33, 0x24, 0x22};
  if (std::memcmp(e, kHead, sizeof kHead) != 0 || std::memcmp(e + 7, kTail, sizeof kTail) != 0) {
    return false;
  }
  // litN is the offset inside a stub behind its push: 11 in the usual one, whose jmp takes 6 bytes
  // and whose push takes 5. Stubs are aligned to 16 bytes.
  const unsigned push_at = e[6] - 0x30u;
  row_.cfa_register = kStackPointer;
  row_.cfa_offset = 8 + ((pc_ & 15) >= push_at ? 8 : 0);
  row_.cfa_known = true;
  return true;
}

// Understands "DW_OP_bregN offset" with the frame pointer: where a function that aligns its stack
// saves a register.
void RowMachine::SavedByExpression(FrameBytes& code) noexcept {
  const std::uint64_t number = code.Unsigned();
  FrameBytes expression = code.Part(code.Unsigned());
  const bool by_frame = expression.Take<std::uint8_t>() == 0x70 + kFramePointer;
  const std::int64_t offset = expression.Signed();
  const bool known = by_frame && !expression.more() && !expression.broken();
  Set(number, known ? Saved::Where::kAtFrame : Saved::Where::kUnsupported, offset);
}

// One instruction. The three most frequent ones have their operand in the low six bits of the byte
// (DW_CFA_advance_loc, DW_CFA_offset, DW_CFA_restore).
bool RowMachine::Step(FrameBytes& code) noexcept {
  const auto byte = code.Take<unsigned char>();
  const unsigned char low = byte & 0x3f;
  switch (byte >> 6) {
    case 1:
      Advance(low);
      return true;
    case 2:
      Set(low, Saved::Where::kAtOffset, static_cast<std::int64_t>(code.Unsigned()) * data_align_);
      return true;
    case 3:
      Restore(low);
      return true;
    default:
      return Extended(byte, code);
  }
}

// The other instructions, in the encodings of DWARF 5, section 7.24, and LSB 5.0 core, chapter 10.
// Returns false for one that is not known: its operands have an unknown length, so the rest cannot
// be read.
bool RowMachine::Extended(unsigned char operation, FrameBytes& code) noexcept {
  switch (operation) {
    case 0x00:  // nop
    case 0x2d:  // GNU_window_save, AARCH64_negate_ra_state
      return true;
    case 0x01:  // set_loc
      location_ = code.Pointer(encoding_);
      return true;
    case 0x02:
      Advance(code.Take<std::uint8_t>());
      return true;
    case 0x03:
      Advance(code.Take<std::uint16_t>());
      return true;
    case 0x04:
      Advance(code.Take<std::uint32_t>());
      return true;
    case 0x05: {  // offset_extended
      const std::uint64_t number = code.Unsigned();
      Set(number, Saved::Where::kAtOffset,
          static_cast<std::int64_t>(code.Unsigned()) * data_align_);
      return true;
    }
    case 0x06:
      Restore(code.Unsigned());
      return true;
    case 0x07:  // undefined
      Set(code.Unsigned(), Saved::Where::kNowhere);
      return true;
    case 0x08:  // same_value
      Set(code.Unsigned(), Saved::Where::kSame);
      return true;
    case 0x09:  // register
      Set(code.Unsigned(), Saved::Where::kUnsupported);
      code.Unsigned();
      return true;
    case 0x0a:  // remember_state
      if (depth_ == kMaxRemembered) return false;
      remembered_[depth_++] = row_;
      return true;
    case 0x0b:  // restore_state
      if (depth_ == 0) return false;
      row_ = remembered_[--depth_];
      return true;
    case 0x0c:  // def_cfa
      row_.cfa_in_memory = false;
      row_.cfa_register = code.Unsigned();
      row_.cfa_offset = static_cast<std::int64_t>(code.Unsigned());
      row_.cfa_known = true;
      return true;
    case 0x0d:
      row_.cfa_register = code.Unsigned();
      return true;
    case 0x0e:
      row_.cfa_offset = static_cast<std::int64_t>(code.Unsigned());
      return true;
    case 0x0f:
      if (!CfaExpression(code)) row_.cfa_known = false;
      return !code.broken();
    case 0x10:  // expression
      SavedByExpression(code);
      return true;
    case 0x16: {  // val_expression
      Set(code.Unsigned(), Saved::Where::kUnsupported);
      code.Skip(code.Unsigned());
      return true;
    }
    case 0x11: {  // offset_extended_sf
      const std::uint64_t number = code.Unsigned();
      Set(number, Saved::Where::kAtOffset, code.Signed() * data_align_);
      return true;
    }
    case 0x12:  // def_cfa_sf
      row_.cfa_in_memory = false;
      row_.cfa_register = code.Unsigned();
      row_.cfa_offset = code.Signed() * data_align_;
      row_.cfa_known = true;
      return true;
    case 0x13:
      row_.cfa_offset = code.Signed() * data_align_;
      return true;
    case 0x14:  // val_offset
    case 0x15:
      Set(code.Unsigned(), Saved::Where::kUnsupported);
      code.Unsigned();
      return true;
    case 0x2e:  // GNU_args_size
      code.Unsigned();
      return true;
    default:
      return false;
  }
}

// kUnsupported where one of the three parts has a form that FrameRule lacks. No part of such a row
// is used: a wrong frame pointer would make all frames behind it wrong.
FrameRule FromRow(const Row& row) noexcept {
  FrameRule rule;
  rule.base = FrameRule::Base::kUnsupported;
  if (!row.cfa_known) return rule;
  if (row.return_address.where == Saved::Where::kNowhere) {
    rule.base = FrameRule::Base::kOutermost;
    return rule;
  }
  if (row.return_address.where == Saved::Where::kUnsupported ||
      row.return_address.where == Saved::Where::kAtFrame ||
      row.frame_pointer.where == Saved::Where::kUnsupported) {
    return rule;
  }
  // Larger offsets are not those of real frames.
  constexpr std::int64_t kFar = 1 << 24;
  if (row.cfa_offset < -kFar || row.cfa_offset > kFar) return rule;
  rule.return_in_register = row.return_address.where == Saved::Where::kSame;
  rule.frame_pointer_at_frame = row.frame_pointer.where == Saved::Where::kAtFrame;
  rule.frame_pointer_saved =
      rule.frame_pointer_at_frame || row.frame_pointer.where == Saved::Where::kAtOffset;
  rule.cfa_offset = static_cast<std::int32_t>(row.cfa_offset);
  rule.return_offset = static_cast<std::int32_t>(row.return_address.offset);
  rule.frame_pointer_offset = static_cast<std::int32_t>(row.frame_pointer.offset);
  std::memcpy(rule.kept, row.kept, sizeof rule.kept);
  if (row.cfa_register == kStackPointer) rule.base = FrameRule::Base::kStackPointer;
  if (row.cfa_register == kFramePointer) {
    rule.base =
        row.cfa_in_memory ? FrameRule::Base::kFramePointerWord : FrameRule::Base::kFramePointer;
  }
  return rule;
}

// Reads the entry at address `at`, without its length field, into `buffer`. A longer entry is cut
// (`is_cut`), and its instructions are followed as far as they were read.
bool ReadEntry(ProcessMemory& memory, std::uint64_t at, unsigned char* buffer, std::size_t size,
               FrameBytes& bytes, bool& is_cut) noexcept {
  std::uint32_t length = 0;
  // 0 ends the section. 0xfffffff0 and above are escapes (the 64-bit format), which are not
  // supported.
  if (!memory.Read(at, length) || length < 8 || length >= 0xfffffff0u) return false;
  is_cut = length > size;
  if (length < size) size = length;
  if (!memory.Read(at + sizeof length, buffer, size)) return false;
  bytes = FrameBytes(buffer, buffer + size, at + sizeof length);
  return true;
}

}  // namespace

FrameRule ReadFrameRule(ProcessMemory& memory, std::uint64_t entry, std::uint64_t pc) noexcept {
  // Static instead of on the stack: this may run on a thread of the program with little stack left.
  static unsigned char description[8 * 1024];
  static unsigned char common_part[256];
  FrameBytes bytes;
  bool is_cut = false;
  if (!ReadEntry(memory, entry, description, sizeof description, bytes, is_cut)) return {};
  // The CIE pointer of .eh_frame counts backwards from its own field; 0 would mark a CIE.
  const auto back = bytes.Take<std::uint32_t>();
  if (back == 0 || back > entry) return {};
  FrameBytes common_bytes;
  CommonEntry common;
  bool common_is_cut = false;
  if (!ReadEntry(memory, entry + 4 - back, common_part, sizeof common_part, common_bytes,
                 common_is_cut) ||
      common_is_cut || common_bytes.Take<std::uint32_t>() != 0 ||
      !ReadCommonEntry(common_bytes, common)) {
    return {};
  }
  // Another column: the return address is not where a call of this processor leaves it.
  if (common.return_column != kReturn) return {};
  // The address range has the format of the pointer, without its base.
  const std::uint64_t begin = bytes.Pointer(common.encoding);
  const std::uint64_t size = bytes.Pointer(common.encoding & 0x0f);
  if (common.augmented) bytes.Skip(bytes.Unsigned());
  if (bytes.broken() || pc - begin >= size) return {};
  FrameRule beyond;
  beyond.base = FrameRule::Base::kUnsupported;
  if (common.signal_frame) return beyond;
  RowMachine machine(common.code_align, common.data_align, common.encoding, pc);
  if (!machine.Run(common.code, 0)) return beyond;
  machine.KeepAsInitial();
  if (!machine.Run(bytes, begin)) return beyond;
  // What was cut off may change the row before the pc.
  if (is_cut && !machine.has_passed_pc()) return beyond;
  FrameRule rule = FromRow(machine.row());
  rule.code_offset = static_cast<std::uint32_t>(pc - begin < UINT32_MAX ? pc - begin : UINT32_MAX);
  rule.code_bytes = static_cast<std::uint32_t>(size < UINT32_MAX ? size : UINT32_MAX);
  return rule;
}

}  // namespace csink
