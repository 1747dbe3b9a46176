#include "symbolizer/report/tables/python_names.h"

#include "profil/reading/model/python_module.h"

namespace csink::report {
namespace {

// Forms of an entry, in bits 3 to 6 of its first byte; bits 0 to 2 have its length in instructions
// less one. Shorter forms than kOneLine have the line of the entry before.
constexpr unsigned kOneLine = 10;  // and the next two: so many lines further
constexpr unsigned kNoColumns = 13;
constexpr unsigned kLong = 14;
constexpr unsigned kNone = 15;

/// Reads the table. What is behind its end is 0.
class Entries {
 public:
  explicit Entries(std::string_view bytes) : bytes_(bytes) {}
  bool more() const { return at_ < bytes_.size(); }
  unsigned Byte() { return at_ < bytes_.size() ? static_cast<unsigned char>(bytes_[at_++]) : 0; }
  void Skip(std::size_t bytes) { at_ += bytes; }
  /// Six bits a byte, lowest first; bit 6 says that there are more.
  std::uint32_t Unsigned() {
    std::uint32_t value = 0;
    for (unsigned shift = 0; shift < 32; shift += 6) {
      const unsigned byte = Byte();
      value |= (byte & 0x3f) << shift;
      if ((byte & 0x40) == 0) break;
    }
    return value;
  }
  /// The sign is in bit 0.
  std::int64_t Signed() {
    const std::uint32_t value = Unsigned();
    const auto size = static_cast<std::int64_t>(value >> 1);
    return (value & 1) != 0 ? -size : size;
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

}  // namespace

std::uint32_t PythonLine(std::string_view lines, std::uint32_t first_line,
                         std::uint32_t instruction) {
  if (instruction < 2) return 0;
  // The address is behind the instruction that is executed.
  const std::uint64_t wanted = (instruction - 2) / 2;
  std::int64_t line = first_line;
  std::uint64_t end = 0;
  for (Entries entries(lines); entries.more();) {
    const unsigned head = entries.Byte();
    const unsigned form = (head >> 3) & 15;
    end += (head & 7) + 1;
    if (form == kLong) {
      line += entries.Signed();
      for (int i = 0; i < 3; ++i) entries.Unsigned();
    } else if (form == kNoColumns) {
      line += entries.Signed();
    } else if (form >= kOneLine && form != kNone) {
      line += form - kOneLine;
      entries.Skip(2);
    } else if (form != kNone) {
      entries.Skip(1);
    }
    if (wanted < end) {
      return form == kNone || line <= 0 || line > UINT32_MAX ? 0 : static_cast<std::uint32_t>(line);
    }
  }
  return 0;
}

symbolizer::ModuleAnswer PythonAnswer(const std::vector<PythonFunction>& functions,
                                      const std::vector<std::uint64_t>& offsets) {
  symbolizer::ModuleAnswer answer;
  answer.has_symbols = answer.has_lines = true;
  answer.locations.resize(offsets.size());
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const std::uint32_t index = spool::PythonCodeOf(offsets[i]);
    if (index == kUnknownPythonCallers) {
      answer.locations[i].function = "[python callers not known]";
      answer.locations[i].source = symbolizer::NameSource::kSymbol;
    }
    if (index >= functions.size()) continue;
    const PythonFunction& function = functions[index];
    symbolizer::Location& location = answer.locations[i];
    location.function = location.raw_name = function.name.empty() ? "[unnamed]" : function.name;
    location.source = symbolizer::NameSource::kSymbol;
    location.function_vaddr = spool::PythonPc(index, 0);
    location.vaddr = offsets[i];
    location.file = function.file;
    const auto instruction = static_cast<std::uint32_t>(offsets[i]);
    if (instruction != spool::kNoInstruction) {
      location.line = PythonLine(function.lines, function.first_line, instruction);
    }
    // Better than none: the function's own.
    if (location.line == 0) location.line = function.first_line;
  }
  return answer;
}

}  // namespace csink::report
