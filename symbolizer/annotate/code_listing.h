#pragma once

#include <map>
#include <vector>

#include "symbolizer/annotate/annotation.h"
#include "symbolizer/resolve/code_file.h"

/// File: converts a function's bytes to the instructions that are shown.

namespace csink::annotate {

using CountsByAddress = std::map<std::uint64_t, std::vector<EventCount>>;

/// An instruction, or data between instructions, before it is formatted.
struct Piece {
  std::uint64_t vaddr = 0;
  std::uint32_t size = 0;
  bool is_code = false;
  std::optional<std::uint64_t> target;  // Target of a direct call or branch
};

/// Decodes the bytes from front to back. A sampled address always begins an instruction: nothing
/// decoded before it may extend over it, because data in the text section can lead the decoder to
/// wrong boundaries.
std::vector<Piece> SplitCode(const symbolizer::FunctionCode& code, const CountsByAddress& samples,
                             Disassembler& disassembler);

/// The indices of the instructions to show: all of a short function; otherwise the ones with most
/// samples, with `context` instructions around them. A gap in the indices is a gap in the listing.
std::vector<std::size_t> ChooseShown(const std::vector<Piece>& pieces,
                                     const CountsByAddress& samples, const Settings& settings);

/// Fills Code::lines except cells and source positions. Labels are numbered from 1 by address.
/// `name` returns the names of targets outside the function.
void FillLines(const symbolizer::FunctionCode& bytes, const std::vector<Piece>& pieces,
               const std::vector<std::size_t>& shown, Disassembler& disassembler,
               const Disassembler::TargetName& name, Code& code);

}  // namespace csink::annotate
