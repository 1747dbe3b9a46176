#pragma once

#include <map>
#include <vector>

#include "symbolizer/names/resolve/code_file.h"
#include "symbolizer/report/annotate/annotation.h"

/// File: converts a function's bytes to the instructions that are shown. The steps are SplitCode,
/// ChooseShown and FillLines, in this order. None of them reads files.

namespace csink::annotate {

/// The function's samples by address in the module's own address space. Each value has one element
/// for each event.
using CountsByAddress = std::map<std::uint64_t, std::vector<EventCount>>;

/// An instruction, or data between instructions, before it is formatted. Only the shown pieces are
/// formatted.
struct Piece {
  /// Address of the first byte.
  std::uint64_t vaddr = 0;
  /// Bytes, at least 1. Data pieces have at most 8.
  std::uint32_t size = 0;
  /// False for bytes that are not an instruction.
  bool is_code = false;
  bool is_indirect = false;  ///< As Step::is_indirect
  /// Target of a direct call or branch.
  std::optional<std::uint64_t> target;
};

/// Decodes the bytes from front to back. The pieces are sorted, without gaps, and cover all of
/// `code.bytes`.
///
/// A sampled address always begins a piece: nothing decoded before it may extend over it. Data in
/// the text section, for instance a jump table, can lead the decoder to wrong instruction
/// boundaries, and a sampled address is known to be the start of an instruction.
std::vector<Piece> SplitCode(const symbolizer::FunctionCode& code, const CountsByAddress& samples,
                             Disassembler& disassembler);

/// The indices of the pieces to show, sorted and unique: all of them in a short function or with
/// Settings::show_all. Otherwise the kMostHot ones with most samples, with Settings::context pieces
/// on both sides. A gap in the indices is a gap in the listing.
std::vector<std::size_t> ChooseShown(const std::vector<Piece>& pieces,
                                     const CountsByAddress& samples, const Settings& settings);

/// Fills Code::lines except cells and source positions, and Code::instructions.
///
/// Labels L1, L2, ... are numbered by address. They mark the targets of shown branches that are
/// pieces of this function. `name` is called for all other targets and returns "" for an address
/// that has no name.
void FillLines(const symbolizer::FunctionCode& bytes, const std::vector<Piece>& pieces,
               const std::vector<std::size_t>& shown, Disassembler& disassembler,
               const Disassembler::TargetName& name, Code& code);

}  // namespace csink::annotate
