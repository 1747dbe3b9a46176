#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/counting/catalogue/native_catalogue.h"

namespace csink {

/// The data of one name. All members except `encoding`, `event` and `attribute` are written before
/// the entry gets its id, and never change.
struct CatalogueEntry {
  /// The texts lie in CatalogueEntries, in libpfm4 or in static memory.
  std::string_view name;
  /// Descriptions of the event, and of the attributes in its name.
  std::string_view event_text;
  std::string_view mask_text;
  std::string_view pmu_name;
  std::string_view pmu_text;
  /// Part of the key: the same name may exist on both sides.
  CatalogueSide side = CatalogueSide::kCore;
  /// The name has attributes, or was listed as an attribute of its event.
  bool is_attribute = false;
  std::atomic<const NativeEncoding*> encoding{nullptr};  ///< nullptr: not asked for yet, or refused

  // The position in the listing order, found when it is first asked for; under the catalogue's
  // lock.
  int event = -1;      ///< libpfm4's index of its event
  int attribute = -1;  ///< Its number among the entries listed for the event
};

/// The entries, found by id and by (side, name).
/// Owns:    entries, texts and encodings; nothing is freed before the object itself.
/// Threads: Find and At: any, without a lock. The others: one at a time.
/// Signals: Find and At are safe.
class CatalogueEntries {
 public:
  /// No id: ids are smaller than kMost.
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  CatalogueEntries();
  ~CatalogueEntries();
  CatalogueEntries(const CatalogueEntries&) = delete;
  CatalogueEntries& operator=(const CatalogueEntries&) = delete;

  /// The id of a name; kNone: there is no entry. Names are compared exactly, in case, too: two
  /// spellings of one event are two entries, because an event is described in the spelling that the
  /// user wrote.
  std::uint32_t Find(CatalogueSide side, std::string_view name) const noexcept;
  /// The entry with this id; nullptr: there is none. The pointer stays valid as long as this
  /// object. Readers without the lock may use only the members that do not change.
  CatalogueEntry* At(std::uint32_t id) const noexcept;

  /// Adds an entry for a name that Find does not find, and returns its id; kNone: the table is
  /// full. The entry's texts must be static or come from Keep; the name is copied.
  std::uint32_t Add(const CatalogueEntry& entry);
  /// Returns a copy of `text`, NUL-terminated, that lives as long as the table.
  std::string_view Keep(std::string_view text);
  /// Publishes how the entry's event is opened. Call at most once for an entry: readers keep the
  /// pointer.
  void SetEncoding(CatalogueEntry& entry, const NativeEncoding& encoding);

 private:
  static constexpr std::uint32_t kMost = 1u << 24;  ///< All ids are smaller
  /// Chunk n holds 64 << n entries, so a program with one event allocates 64.
  static constexpr std::uint32_t kFirstChunk = 64;
  /// 64 << 18 is 2^24: enough for kMost.
  static constexpr std::size_t kChunks = 19;

  /// Chunk and index in it.
  struct Place {
    std::size_t chunk;
    std::size_t at;
  };
  static Place PlaceOf(std::uint32_t id) noexcept;

  /// A hash table with open addressing; a slot holds an id + 1. Replaced tables are kept, because
  /// readers without a lock may still use them.
  struct Index {
    explicit Index(std::size_t size)
        : slots(new std::atomic<std::uint32_t>[size]()), mask(size - 1) {}
    std::unique_ptr<std::atomic<std::uint32_t>[]> slots;
    std::size_t mask;
  };

  /// Adds an id to a table that has room.
  void Insert(Index& index, std::uint32_t id);

  /// Made when their first entry is added; never moved.
  std::atomic<CatalogueEntry*> chunks_[kChunks] = {};
  std::atomic<std::uint32_t> count_{1};  ///< The next id; id 0 is not used
  /// The table that readers use, the last of indices_.
  std::atomic<Index*> index_{nullptr};
  /// All hash tables so far; the last one is in use.
  std::vector<std::unique_ptr<Index>> indices_;
  std::vector<std::unique_ptr<char[]>> text_blocks_;
  /// The free rest of the last text block.
  std::size_t text_left_ = 0;
  char* text_next_ = nullptr;
  std::vector<std::unique_ptr<NativeEncoding>> encodings_;
};

/// libpfm4's description of an event; where there is none (the tables have none), the name split
/// into words, kept in `entries`.
std::string_view SentenceOf(const char* sentence, std::string_view name, CatalogueEntries& entries);

}  // namespace csink
