#include "symbolizer/report/annotate/code_listing.h"

#include <algorithm>

/// File: decodes a function linearly, with the sampled addresses as additional boundaries. x86-64
/// instructions have different lengths, so one wrong boundary would spoil all rows behind it up to
/// the next sampled address at most.

namespace csink::annotate {
namespace {

using symbolizer::Part;

constexpr std::size_t kMostData = 8;  // Bytes of data in one row

/// The piece that begins at `vaddr`; nullptr if no piece begins there. A jump into the middle of an
/// instruction gets no label for this reason.
const Piece* PieceAt(const std::vector<Piece>& pieces, std::uint64_t vaddr) {
  const auto it =
      std::lower_bound(pieces.begin(), pieces.end(), vaddr,
                       [](const Piece& piece, std::uint64_t at) { return piece.vaddr < at; });
  return it != pieces.end() && it->vaddr == vaddr ? &*it : nullptr;
}

}  // namespace

std::vector<Piece> SplitCode(const symbolizer::FunctionCode& code, const CountsByAddress& samples,
                             Disassembler& disassembler) {
  std::vector<Piece> pieces;
  // The first sampled address behind the current position. Both sequences are sorted, so one pass
  // is enough.
  auto next = samples.upper_bound(code.start);
  const std::uint64_t end = code.start + code.bytes.size();
  for (std::uint64_t at = code.start; at < end;) {
    // Decodes beyond the border, too: whether the instruction ends before it is known only then.
    const Step step = disassembler.Decode(Part(code.bytes.bytes(), at - code.start, end - at), at);
    while (next != samples.end() && next->first <= at) ++next;
    const std::uint64_t border = next != samples.end() ? std::min(next->first, end) : end;
    Piece piece{at, static_cast<std::uint32_t>(step.size), step.is_code, step.is_indirect,
                step.target};
    // The decoded instruction would extend over a sampled address or the function's end, so the
    // bytes before that address are data.
    if (at + step.size > border) {
      piece = {at, static_cast<std::uint32_t>(std::min<std::uint64_t>(border - at, kMostData)),
               false, false, std::nullopt};
    }
    Piece* before = pieces.empty() ? nullptr : &pieces.back();
    // Neighbouring bytes of data share a row of up to kMostData bytes, except where one of them was
    // sampled.
    if (!piece.is_code && before != nullptr && !before->is_code && samples.count(at) == 0 &&
        before->size + piece.size <= kMostData) {
      before->size += piece.size;  // Data: several bytes in one row
    } else {
      pieces.push_back(piece);
    }
    at += piece.size;
  }
  return pieces;
}

std::vector<std::size_t> ChooseShown(const std::vector<Piece>& pieces,
                                     const CountsByAddress& samples, const Settings& settings) {
  std::vector<std::size_t> shown;
  if (settings.show_all || pieces.size() <= kWholeCode) {
    for (std::size_t i = 0; i < pieces.size(); ++i) shown.push_back(i);
    return shown;
  }
  std::vector<std::pair<const std::vector<EventCount>*, std::size_t>> hot;
  for (const auto& [vaddr, counts] : samples) {
    if (const Piece* piece = PieceAt(pieces, vaddr)) {
      hot.emplace_back(&counts, static_cast<std::size_t>(piece - pieces.data()));
    }
  }
  // By weight of the first event; later events decide between equal ones. Equal rows keep the order
  // of their addresses, so the same profile gives the same listing.
  std::stable_sort(hot.begin(), hot.end(), [](const auto& a, const auto& b) {
    for (std::size_t e = 0; e < a.first->size(); ++e) {
      if ((*a.first)[e].weight != (*b.first)[e].weight) {
        return (*a.first)[e].weight > (*b.first)[e].weight;
      }
    }
    return false;
  });
  if (hot.size() > kMostHot) hot.resize(kMostHot);
  for (const auto& [counts, i] : hot) {
    const std::size_t last = std::min(pieces.size(), i + settings.context + 1);
    for (std::size_t k = i - std::min<std::size_t>(i, settings.context); k < last; ++k) {
      shown.push_back(k);
    }
  }
  std::sort(shown.begin(), shown.end());
  shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
  return shown;
}

void FillLines(const symbolizer::FunctionCode& bytes, const std::vector<Piece>& pieces,
               const std::vector<std::size_t>& shown, Disassembler& disassembler,
               const Disassembler::TargetName& name, Code& code) {
  // Only targets of shown branches get a label. A target that is not shown itself keeps its label
  // in the branch's text, so that two branches to one place can be recognised.
  std::map<std::uint64_t, std::uint32_t> labels;
  for (const std::size_t i : shown) {
    const auto& target = pieces[i].target;
    if (target && PieceAt(pieces, *target) != nullptr) labels.emplace(*target, 0);
  }
  std::uint32_t count = 0;
  for (auto& [vaddr, label] : labels) label = ++count;
  const auto called = [&](std::uint64_t target) {
    const auto label = labels.find(target);
    return label != labels.end() ? "L" + std::to_string(label->second) : name(target);
  };
  for (const std::size_t i : shown) {
    const Piece& piece = pieces[i];
    const auto raw = Part(bytes.bytes.bytes(), piece.vaddr - bytes.start, piece.size);
    CodeLine line;
    line.vaddr = piece.vaddr;
    line.size = piece.size;
    line.is_indirect = piece.is_indirect;
    line.text =
        piece.is_code ? disassembler.Text(raw, piece.vaddr, called) : DataText(raw, piece.size);
    if (const auto label = labels.find(piece.vaddr); label != labels.end()) {
      line.label = label->second;
    }
    if (piece.target) {
      if (const auto label = labels.find(*piece.target); label != labels.end()) {
        line.goes_to = label->second;
        line.goes_up = *piece.target <= piece.vaddr;
      }
    }
    code.lines.push_back(std::move(line));
  }
  code.instructions = pieces.size();
}

}  // namespace csink::annotate
