#include "symbolizer/report/causes/instruction.h"

#include <algorithm>
#include <array>
#include <cctype>

/// File: closed lists of mnemonics: Intel 64 and IA-32 Architectures Software Developer's Manual,
/// volume 2. An instruction that is in no list is in no class.

namespace csink::report {
namespace {

/// The words of an instruction's text.
struct Parts {
  std::string_view prefix;  ///< "lock", "rep", ...; empty: none
  std::string_view mnemonic;
  std::string_view operands;
};

Parts PartsOf(std::string_view text) {
  Parts parts;
  const auto word = [&] {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view first = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    return first;
  };
  parts.mnemonic = word();
  constexpr std::array<std::string_view, 9> kPrefixes = {
      "lock", "rep", "repe", "repne", "repz", "repnz", "notrack", "bnd", "xacquire"};
  while (std::find(kPrefixes.begin(), kPrefixes.end(), parts.mnemonic) != kPrefixes.end() &&
         !text.empty()) {
    if (parts.prefix.empty()) parts.prefix = parts.mnemonic;
    parts.mnemonic = word();
  }
  parts.operands = text;
  return parts;
}

/// Without the 'v' of AVX.
std::string_view WithoutV(std::string_view mnemonic) {
  return mnemonic.starts_with('v') ? mnemonic.substr(1) : mnemonic;
}

template <std::size_t N>
bool BeginsWithAny(std::string_view text, const std::array<std::string_view, N>& begins) {
  return std::any_of(begins.begin(), begins.end(),
                     [&](std::string_view begin) { return text.starts_with(begin); });
}

/// "fmadd231ps", "fnmsub132pd" (without the 'v').
bool IsFused(std::string_view name) {
  return name.starts_with("fmadd") || name.starts_with("fmsub") || name.starts_with("fnmadd") ||
         name.starts_with("fnmsub");
}

bool IsPacked(std::string_view mnemonic) {
  const std::string_view name = WithoutV(mnemonic);
  // Floating point: the last two letters say packed or scalar.
  if (name.ends_with("ps") || name.ends_with("pd")) {
    constexpr std::array<std::string_view, 21> kFloating = {
        "add",  "sub",  "mul", "div",   "sqrt", "max",   "min",   "and",   "or",   "xor", "unpck",
        "shuf", "hadd", "cvt", "blend", "cmp",  "movap", "movup", "movnt", "perm", "rcp"};
    return BeginsWithAny(name, kFloating) || IsFused(name);
  }
  if (name.starts_with("movdq") || name.starts_with("movntdq")) return true;
  constexpr std::array<std::string_view, 24> kIntegers = {
      "padd", "psub", "pmull",  "pmulh",      "pmulu", "pmadd", "pcmp", "pand",
      "por",  "pxor", "pshuf",  "punpck",     "psll",  "psrl",  "psra", "pmax",
      "pmin", "pack", "pblend", "pbroadcast", "perm",  "pmov",  "pabs", "psad"};
  if (BeginsWithAny(name, kIntegers)) {
    // Masks are moved to integer registers by a single instruction.
    return name != "pmovmskb";
  }
  return mnemonic.starts_with("vextract") || mnemonic.starts_with("vinsert") ||
         mnemonic.starts_with("vpternlog");
}

bool IsFloat(std::string_view mnemonic) {
  const std::string_view name = WithoutV(mnemonic);
  if (name.size() < 2) return false;
  const std::string_view end = name.substr(name.size() - 2);
  if (end != "ps" && end != "pd" && end != "ss" && end != "sd") return false;
  constexpr std::array<std::string_view, 5> kArithmetic = {"add", "sub", "mul", "div", "sqrt"};
  const std::string_view begin = name.substr(0, name.size() - 2);
  return std::find(kArithmetic.begin(), kArithmetic.end(), begin) != kArithmetic.end() ||
         IsFused(name);
}

bool IsDivision(std::string_view mnemonic) {
  constexpr std::array<std::string_view, 10> kDivisions = {
      "div", "divb", "divw", "divl", "divq", "idiv", "idivb", "idivw", "idivl", "idivq"};
  return std::find(kDivisions.begin(), kDivisions.end(), mnemonic) != kDivisions.end();
}

bool IsStringInstruction(std::string_view mnemonic) {
  constexpr std::array<std::string_view, 5> kNames = {"movs", "stos", "cmps", "scas", "lods"};
  // "movss" and "movsd" have no rep prefix.
  return BeginsWithAny(mnemonic, kNames);
}

/// The operand in memory; empty: none.
std::string_view MemoryOf(std::string_view operands) {
  const std::size_t open = operands.find('(');
  if (open == std::string_view::npos) return {};
  const std::size_t close = operands.find(')', open);
  return operands.substr(open, close == std::string_view::npos ? close : close - open + 1);
}

bool IsHex(char c) {
  return std::isxdigit(static_cast<unsigned char>(c)) != 0 &&
         std::isupper(static_cast<unsigned char>(c)) == 0;
}

}  // namespace

InstructionClasses ClassesOf(std::string_view text) {
  const auto [prefix, mnemonic, operands] = PartsOf(text);
  if (mnemonic.empty() || mnemonic.front() == '.') return 0;
  InstructionClasses classes = 0;
  const std::string_view memory = MemoryOf(operands);
  const bool is_call = mnemonic.starts_with("call");
  const bool is_jump = mnemonic.starts_with('j');
  if (IsPacked(mnemonic) && operands.find("mm") != std::string_view::npos) classes |= kPacked;
  if (IsFloat(mnemonic)) classes |= kFloat;
  if (IsDivision(mnemonic)) classes |= kDivides;
  if (prefix == "lock" || (mnemonic.starts_with("xchg") && !memory.empty())) classes |= kLocked;
  if (prefix.starts_with("rep") && IsStringInstruction(mnemonic)) classes |= kRepeats;
  if (mnemonic == "pause") classes |= kPauses;
  if (is_call) classes |= kCalls;
  if (is_call || is_jump) {
    // By the table of a linkage (PLT) the function is fixed.
    const bool is_linkage = memory.find("%rip") != std::string_view::npos;
    if (operands.starts_with('*') && !is_linkage && operands.find('%') != std::string_view::npos) {
      classes |= kIndirect;
    }
    return classes;
  }
  if (memory.empty() || mnemonic.starts_with("lea") || mnemonic.starts_with("nop") ||
      memory.find("%rip") != std::string_view::npos) {
    return classes;
  }
  const bool on_stack = memory.starts_with("(%rsp") || memory.starts_with("(%rbp");
  return classes | (on_stack ? kOnStack : kOnMemory);
}

unsigned VectorBytes(std::string_view text) {
  if (text.find("%zmm") != std::string_view::npos) return 64;
  if (text.find("%ymm") != std::string_view::npos) return 32;
  return text.find("%xmm") != std::string_view::npos ? 16 : 0;
}

unsigned LaneBytes(std::string_view text) {
  const std::string_view mnemonic = PartsOf(text).mnemonic;
  if (!IsPacked(mnemonic)) return 0;
  if (mnemonic.ends_with("pd")) return 8;
  return mnemonic.ends_with("ps") ? 4 : 0;
}

std::string WithoutAddresses(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    // "L12": a label, which is numbered within the function.
    const bool is_number = text.substr(i).starts_with("0x") && (i == 0 || text[i - 1] != '$');
    if (!is_number) {
      result += text[i++];
      continue;
    }
    std::size_t end = i + 2;
    while (end < text.size() && IsHex(text[end])) ++end;
    // Short numbers are offsets within objects.
    const bool is_data = text.substr(end).starts_with("(%rip");
    result += end - i > 2 + 4 || is_data ? "@" : text.substr(i, end - i);
    i = end;
  }
  return result;
}

std::string_view TargetOf(std::string_view text) {
  const auto [prefix, mnemonic, operands] = PartsOf(text);
  if (!mnemonic.starts_with("call") && !mnemonic.starts_with('j')) return {};
  if (operands.empty() || operands.front() == '*' || operands.front() == '%') return {};
  if (operands.front() == 'L' && operands.size() > 1 &&
      std::all_of(operands.begin() + 1, operands.end(),
                  [](char c) { return c >= '0' && c <= '9'; })) {
    return {};
  }
  return operands.starts_with("0x") ? std::string_view() : operands;
}

}  // namespace csink::report
