#pragma once

#include <map>
#include <vector>

#include "symbolizer/annotate/annotation.h"
#include "symbolizer/resolve/code_file.h"

/// File: from a function's bytes to the instructions that are shown.

namespace csink::annotate {

using CountsByAddress = std::map<std::uint64_t, std::vector<EventCount>>;

/// An instruction, or data between instructions, before it is text.
struct Piece {
  std::uint64_t vaddr = 0;
  std::uint32_t size = 0;
  bool is_code = false;
  std::optional<std::uint64_t> target;
};

/// Takes the bytes apart from front to back. Sampled addresses begin instructions whatever stands
/// before them (data in the text would lead the decoder astray): nothing reaches over one.
std::vector<Piece> SplitCode(const symbolizer::FunctionCode& code, const CountsByAddress& samples,
                             Disassembler& disassembler);

/// What is shown of a function of so many instructions, by index: all; else the hottest ones with
/// `context` around them, a border between what is apart being a gap in the numbers.
std::vector<std::size_t> ChooseShown(const std::vector<Piece>& pieces,
                                     const CountsByAddress& samples, const Settings& settings);

/// Fills Code::lines but for their cells and where they come from. Labels count from 1 by address.
/// `name` says how targets outside of the function are called.
void FillLines(const symbolizer::FunctionCode& bytes, const std::vector<Piece>& pieces,
               const std::vector<std::size_t>& shown, Disassembler& disassembler,
               const Disassembler::TargetName& name, Code& code);

}  // namespace csink::annotate
