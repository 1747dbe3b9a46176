#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/catalogue/native_catalogue.h"

namespace csink {

/// What the catalogue keeps of one name. Everything but `encoding` and the place is
/// written before the entry has an id, and never again.
struct CatalogueEntry {
  std::string_view name;
  std::string_view event_text;
  std::string_view mask_text;
  std::string_view pmu_name;
  std::string_view pmu_text;
  CatalogueSide side = CatalogueSide::kCore;
  bool is_attribute = false;
  std::atomic<const NativeEncoding*> encoding{nullptr};  ///< nullptr: not asked for, or refused

  // Its place in the order, known when it is first asked for; under the catalogue's lock.
  int event = -1;      ///< libpfm4's index of its event
  int attribute = -1;  ///< Its number among what is listed behind the event
};

/// The entries by number and by (side, name).
/// Owns:    entries, texts and encodings; nothing is freed before the table is.
/// Threads: Find and At: any, without a lock. The rest: one at a time.
/// Signals: Find and At are safe.
class CatalogueEntries {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  CatalogueEntries();
  ~CatalogueEntries();
  CatalogueEntries(const CatalogueEntries&) = delete;
  CatalogueEntries& operator=(const CatalogueEntries&) = delete;

  /// kNone: not there.
  std::uint32_t Find(CatalogueSide side, std::string_view name) const noexcept;
  /// nullptr: no such id.
  CatalogueEntry* At(std::uint32_t id) const noexcept;

  /// Adds what Find did not find; the texts must be static or Keep's. kNone: full.
  std::uint32_t Add(const CatalogueEntry& entry);
  /// A copy that lives as long as the table.
  std::string_view Keep(std::string_view text);
  void SetEncoding(CatalogueEntry& entry, const NativeEncoding& encoding);

 private:
  static constexpr std::uint32_t kMost = 1u << 24;  ///< Ids are smaller
  /// Chunk n holds 64 << n entries: a program with one event pays for 64.
  static constexpr std::uint32_t kFirstChunk = 64;
  static constexpr std::size_t kChunks = 19;

  struct Place {
    std::size_t chunk;
    std::size_t at;
  };
  static Place PlaceOf(std::uint32_t id) noexcept;

  /// Open addressing; a slot holds an id + 1. Readers may be in an old one: kept.
  struct Index {
    explicit Index(std::size_t size)
        : slots(new std::atomic<std::uint32_t>[size]()), mask(size - 1) {}
    std::unique_ptr<std::atomic<std::uint32_t>[]> slots;
    std::size_t mask;
  };

  void Insert(Index& index, std::uint32_t id);

  std::atomic<CatalogueEntry*> chunks_[kChunks] = {};
  std::atomic<std::uint32_t> count_{1};  ///< The next id; nobody has 0
  std::atomic<Index*> index_{nullptr};
  std::vector<std::unique_ptr<Index>> indices_;
  std::vector<std::unique_ptr<char[]>> text_blocks_;
  std::size_t text_left_ = 0;
  char* text_next_ = nullptr;
  std::vector<std::unique_ptr<NativeEncoding>> encodings_;
};

/// What libpfm4 says of an event, or where it says nothing its name in words, kept in `entries`.
std::string_view SentenceOf(const char* sentence, std::string_view name, CatalogueEntries& entries);

}  // namespace csink
