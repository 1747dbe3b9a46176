#include "core/counting/catalogue/catalogue_entries.h"

#include <bit>
#include <cstring>

#include "core/events/event_tables.h"
#include "core/util/fnv1a.h"

// Entries lie in chunks that never move, so that a reader needs no lock: it finds an id in the hash
// table, and the entry by arithmetic. A writer fills the entry, raises count_ and then puts the id
// into the table, each with release; so a reader that sees an id sees a complete entry. Nothing is
// freed before the end.

namespace csink {
namespace {

constexpr std::size_t kFirstIndex = 256;
constexpr std::size_t kTextBlock = 16 * 1024;

/// FNV-1a over the name, with the side mixed into the start value.
std::size_t HashOf(CatalogueSide side, std::string_view name) noexcept {
  const std::uint64_t hash = Fnv1a(name, kFnv1aBegin ^ static_cast<std::uint64_t>(side));
  return static_cast<std::size_t>(hash ^ (hash >> 32));
}

}  // namespace

CatalogueEntries::CatalogueEntries() {
  chunks_[0].store(new CatalogueEntry[kFirstChunk], std::memory_order_release);
  // Small: most programs look up a handful of names; the index doubles when it is half full.
  indices_.push_back(std::make_unique<Index>(kFirstIndex));
  index_.store(indices_.back().get(), std::memory_order_release);
}

CatalogueEntries::~CatalogueEntries() {
  for (std::atomic<CatalogueEntry*>& chunk : chunks_) {
    delete[] chunk.load(std::memory_order_relaxed);
  }
}

CatalogueEntries::Place CatalogueEntries::PlaceOf(std::uint32_t id) noexcept {
  // With 64 added, the highest bit of an id is the number of its chunk.
  const std::uint32_t shifted = id + kFirstChunk;
  const auto chunk =
      static_cast<std::size_t>(std::bit_width(shifted) - std::bit_width(kFirstChunk));
  // Each chunk is twice as long as the one before, so a fixed array of chunks holds any number of
  // entries and none of them moves.
  return {chunk, shifted - (kFirstChunk << chunk)};
}

std::uint32_t CatalogueEntries::Find(CatalogueSide side, std::string_view name) const noexcept {
  const Index* index = index_.load(std::memory_order_acquire);
  // Linear probing. A table is at most half full, so the search ends.
  for (std::size_t at = HashOf(side, name);; ++at) {
    const std::uint32_t slot = index->slots[at & index->mask].load(std::memory_order_acquire);
    if (slot == 0) return kNone;
    const CatalogueEntry* entry = At(slot - 1);
    if (entry->side == side && entry->name == name) return slot - 1;
  }
}

CatalogueEntry* CatalogueEntries::At(std::uint32_t id) const noexcept {
  if (id == 0 || id >= count_.load(std::memory_order_acquire)) return nullptr;
  const Place place = PlaceOf(id);
  return chunks_[place.chunk].load(std::memory_order_acquire) + place.at;
}

// `index` must have a free slot. Only the thread that adds entries calls this.
void CatalogueEntries::Insert(Index& index, std::uint32_t id) {
  const CatalogueEntry& entry = *At(id);
  std::size_t at = HashOf(entry.side, entry.name);
  while (index.slots[at & index.mask].load(std::memory_order_relaxed) != 0) ++at;
  index.slots[at & index.mask].store(id + 1, std::memory_order_release);
}

std::uint32_t CatalogueEntries::Add(const CatalogueEntry& entry) {
  const std::uint32_t id = count_.load(std::memory_order_relaxed);
  if (id >= kMost) return kNone;
  const Place place = PlaceOf(id);
  std::atomic<CatalogueEntry*>& chunk = chunks_[place.chunk];
  if (place.at == 0) {  // never true for the first chunk, whose place 0 stays empty
    chunk.store(new CatalogueEntry[kFirstChunk << place.chunk], std::memory_order_release);
  }
  CatalogueEntry& made = chunk.load(std::memory_order_relaxed)[place.at];
  // Member by member: the atomic `encoding` of an entry cannot be copied.
  made.name = Keep(entry.name);
  made.event_text = entry.event_text;
  made.mask_text = entry.mask_text;
  made.pmu_name = entry.pmu_name;
  made.pmu_text = entry.pmu_text;
  made.side = entry.side;
  made.is_attribute = entry.is_attribute;
  made.event = entry.event;
  made.attribute = entry.attribute;
  count_.store(id + 1, std::memory_order_release);

  Index* index = indices_.back().get();
  if (2 * (std::size_t{id} + 1) > index->mask) {
    // The new index is published when it is complete. Readers may still use the old one, which is
    // kept.
    indices_.push_back(std::make_unique<Index>(2 * (index->mask + 1)));
    index = indices_.back().get();
    for (std::uint32_t i = 1; i <= id; ++i) Insert(*index, i);
    index_.store(index, std::memory_order_release);
  } else {
    Insert(*index, id);
  }
  return id;
}

// Every text ends in a NUL, so that it can be passed to C functions.
std::string_view CatalogueEntries::Keep(std::string_view text) {
  // Texts are cut from blocks: a catalogue has thousands of short ones. What is left of a block
  // that is too small for the next text is lost.
  const std::size_t size = text.size() + 1;
  if (size > text_left_) {
    text_left_ = size > kTextBlock ? size : kTextBlock;
    text_blocks_.push_back(std::make_unique<char[]>(text_left_));
    text_next_ = text_blocks_.back().get();
  }
  char* copy = text_next_;
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = 0;
  text_next_ += size;
  text_left_ -= size;
  return {copy, text.size()};
}

void CatalogueEntries::SetEncoding(CatalogueEntry& entry, const NativeEncoding& encoding) {
  // One allocation each: readers keep pointers to encodings, so they must not move.
  encodings_.push_back(std::make_unique<NativeEncoding>(encoding));
  entry.encoding.store(encodings_.back().get(), std::memory_order_release);
}

std::string_view SentenceOf(const char* sentence, std::string_view name,
                            CatalogueEntries& entries) {
  return sentence ? std::string_view(sentence) : entries.Keep(WordsOfName(name).view());
}

}  // namespace csink
