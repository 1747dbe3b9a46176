#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "profil/reading/merge/merge_columns.h"
#include "profil/reading/merge/merge_modules.h"
#include "profil/reading/model/profile.h"
#include "profil/reading/reader/reader.h"

namespace csink {

/// The sums by rank of a merge. A spool of one process adds its samples to the rank in its header;
/// a merged file adds those of all its ranks. All processes of a rank are one row: MPI starts one
/// process a rank, and what that process starts works for the same rank. Equal numbers of two jobs,
/// or of a world that MPI_Comm_spawn made, are other ranks: of several jobs there are no rows.
/// Owns:    its rows until Take.
/// Threads: one owner.
class RankTable {
 public:
  /// Adds the samples of a spool. Does nothing for a process without a rank.
  void Add(const spool::Spool& spool, SpoolCode& code, const ColumnMap& columns);
  /// The rows, sorted by rank. Call this last.
  Ranks Take();

 private:
  struct Key {
    CodeAddress address;
    std::size_t event;
    bool operator==(const Key& other) const noexcept {
      return address.offset == other.address.offset && address.module == other.address.module &&
             event == other.event;
    }
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept {
      return HashOf(key.address, 0, key.event);
    }
  };

  // Notes the jobs that ranks are of. Returns false if there are several.
  bool IsOneJob(const spool::Spool& spool);
  std::uint32_t CodeOf(const CodeAddress& address, std::size_t event);
  // Adds to a rank's row, which exists afterwards also without counts. `counts` is any order.
  void AddTo(std::uint32_t rank, std::vector<RankCount> counts);

  std::vector<RankCode> codes_;
  std::unordered_map<Key, std::uint32_t, KeyHash> index_;
  std::map<std::uint32_t, std::vector<RankCount>> rows_;
  std::set<std::string, std::less<>> jobs_;  ///< "": no batch job
};

}  // namespace csink
