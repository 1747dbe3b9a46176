#include "profil/critical/replay.h"

#include <algorithm>

#include "profil/critical/replay_builder.h"

namespace csink::critical {
namespace {

/// A piece with so many samples has the share of its own samples, a class of pieces from this on.
constexpr std::uint32_t kOfPiece = 20;
constexpr std::uint32_t kOfClass = 8;

/// For each chain whether its code gets faster.
std::vector<bool> FasterChains(const CriticalLog& log, const Change& change) {
  std::vector<bool> faster(log.chains.size());
  for (std::size_t i = 0; i < log.chains.size(); ++i) {
    const Chain& chain = log.chains[i];
    const std::size_t looked_at =
        change.with_callees ? chain.size() : std::min<std::size_t>(1, chain.size());
    for (std::size_t k = 0; k < looked_at; ++k) {
      if (std::find(change.places.begin(), change.places.end(), chain[k]) != change.places.end()) {
        faster[i] = true;
      }
    }
  }
  return faster;
}

double Part(std::uint32_t of, std::uint32_t samples) {
  return static_cast<double>(of) / static_cast<double>(samples);
}

}  // namespace

Replay::Replay(const CriticalLog& log, const Waits& waits) : log_(log), waits_(waits) {
  ReplayBuilder(*this).Build();
}

std::vector<double> Replay::Saved(const Change& change) const {
  std::vector<double> saved(nodes_.size());
  if (change.places.empty() || change.shorter <= 0) return saved;
  const std::vector<bool> faster = FasterChains(log_, change);
  std::vector<std::uint32_t> of_piece(pieces_.size());
  std::vector<std::uint32_t> of_class(class_samples_.size());
  for (std::size_t i = 0; i < piece_of_sample_.size(); ++i) {
    const std::uint32_t piece = piece_of_sample_[i];
    if (piece != kNone && faster[log_.samples.rows[i].chain]) ++of_piece[piece];
  }
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    if (of_piece[i] == 0) continue;
    const Piece& piece = pieces_[i];
    for (const std::uint32_t of : {piece.own_class, piece.all_class, piece.kind_class}) {
      of_class[of] += of_piece[i];
    }
  }
  const double shorter = std::min(1.0, change.shorter);
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const Piece& piece = pieces_[i];
    const auto part = [&]() -> double {
      if (piece.samples >= kOfPiece) return Part(of_piece[i], piece.samples);
      for (const std::uint32_t least : {kOfClass, 1u}) {
        for (const std::uint32_t of : {piece.own_class, piece.all_class, piece.kind_class}) {
          if (class_samples_[of] >= least) return Part(of_class[of], class_samples_[of]);
        }
      }
      return 0;
    };
    saved[piece.node] += piece.work * part() * shorter;
  }
  return saved;
}

bool Replay::IsRemoved(const Node& node, const Change& change) const {
  if (!change.never_waited_for || node.wait == kNone) return false;
  const Wait& wait = waits_.waits.rows[node.wait];
  return wait.moment != kNone && wait.object == change.never_waited_for->object &&
         log_.threads[node.thread].process == change.never_waited_for->process;
}

double Replay::Dag(const Change& change) const {
  if (log_.root == kNone) return 0;
  const std::vector<double> saved = Saved(change);
  std::vector<double> at(nodes_.size());
  for (const std::uint32_t index : order_) {
    const Node& node = nodes_[index];
    double time = 0;
    if (node.thread != kNone && index != first_of_[node.thread]) {
      time = at[index - 1] + std::max(0.0, node.elapsed - saved[index]);
    }
    if (!IsRemoved(node, change)) {
      for (std::uint32_t k = 0; k < node.needs; ++k) {
        const std::uint32_t need = needs_[node.first_need + k];
        if (need != kNone) time = std::max(time, at[need] + node.delay);
      }
      time += node.fixed;
    }
    at[index] = time;
  }
  return at[first_of_[log_.root + 1] - 1] - at[first_of_[log_.root]];
}

}  // namespace csink::critical
