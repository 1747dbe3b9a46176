#include <cstring>
#include <new>
#include <string_view>

#include "core/util/mix.h"
#include "profil/inside/python/code_objects.h"

/// File: from an address to a code object. A new address is searched backwards for the type of code
/// objects, since only their begin tells them; everything else comes from the table.

namespace csink {
namespace {

constexpr std::uint64_t kTypeAt = 8;  // of every object, behind the reference count
constexpr std::uint64_t kMostUnits = 1u << 24;
constexpr std::int32_t kLastLine = 10'000'000;
constexpr std::string_view kShimFile = "<shim>";
constexpr std::uint64_t kPage = 4096;

std::uint64_t HashOf(std::uint64_t hash, const void* bytes, std::size_t size) noexcept {
  const auto* at = static_cast<const unsigned char*>(bytes);
  for (std::size_t i = 0; i < size; ++i) hash = (hash ^ at[i]) * 0x100000001b3ull;
  return MixBits(hash + size);
}

// Appends one character as UTF-8. Returns its bytes; 0: no room, or no character.
std::size_t PutUtf8(std::uint32_t c, char* out, std::size_t room) noexcept {
  if (c < 0x80 && room >= 1) {
    out[0] = static_cast<char>(c);
    return 1;
  }
  if (c >= 0x80 && c < 0x800 && room >= 2) {
    out[0] = static_cast<char>(0xc0 | (c >> 6));
    out[1] = static_cast<char>(0x80 | (c & 0x3f));
    return 2;
  }
  if (c >= 0x800 && c < 0x10000 && room >= 3) {
    out[0] = static_cast<char>(0xe0 | (c >> 12));
    out[1] = static_cast<char>(0x80 | ((c >> 6) & 0x3f));
    out[2] = static_cast<char>(0x80 | (c & 0x3f));
    return 3;
  }
  if (c >= 0x10000 && c < 0x110000 && room >= 4) {
    out[0] = static_cast<char>(0xf0 | (c >> 18));
    out[1] = static_cast<char>(0x80 | ((c >> 12) & 0x3f));
    out[2] = static_cast<char>(0x80 | ((c >> 6) & 0x3f));
    out[3] = static_cast<char>(0x80 | (c & 0x3f));
    return 4;
  }
  return 0;
}

}  // namespace

void CodeObjects::Start(const PythonInterpreter& interpreter) noexcept {
  new (&memory_) ProcessMemory;
  interpreter_ = interpreter;
  drain_ = 1;
}

bool CodeObjects::ReadHeader(std::uint64_t object, Header& header) noexcept {
  const PythonLayout& layout = interpreter_.layout;
  unsigned char head[256];
  memory_.DropBlock();
  if (!memory_.Read(object, head, layout.code)) return false;
  const auto word = [&](std::size_t at) {
    std::uint64_t value = 0;
    std::memcpy(&value, head + at, sizeof value);
    return value;
  };
  if (word(kTypeAt) != interpreter_.code_type) return false;
  header.units = word(layout.code_units);
  header.name = word(layout.name);
  header.file = word(layout.file);
  header.lines = word(layout.lines);
  std::memcpy(&header.first_line, head + layout.first_line, sizeof header.first_line);
  return header.units > 0 && header.units < kMostUnits && header.first_line >= 0 &&
         header.first_line <= kLastLine;
}

bool CodeObjects::HasTexts(const Header& header) noexcept {
  const auto is = [&](std::uint64_t object, std::uint64_t type) {
    std::uint64_t found = 0;
    return object % 8 == 0 && memory_.Read(object + kTypeAt, found) && found == type;
  };
  return is(header.lines, interpreter_.bytes_type) && is(header.name, interpreter_.text_type) &&
         is(header.file, interpreter_.text_type);
}

std::size_t CodeObjects::Behind(std::uint64_t address) const noexcept {
  std::size_t low = 0;
  std::size_t high = count_;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (codes_[middle].code.begin <= address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

std::size_t CodeObjects::Place(std::uint64_t address) const noexcept {
  const std::size_t behind = Behind(address);
  return behind > 0 && address <= codes_[behind - 1].code.end ? behind - 1 : count_;
}

std::uint64_t CodeObjects::Search(std::uint64_t address, std::uint64_t reach,
                                  Header& header) noexcept {
  const PythonLayout& layout = interpreter_.layout;
  constexpr std::uint64_t kSpans[] = {kNear, 16 * 1024, kFar};
  std::uint64_t next = (address & ~std::uint64_t{7}) - layout.code;
  for (const std::uint64_t span : kSpans) {
    if (span > reach || address < span + 0x10000) return 0;
    std::uint64_t start = (address - span) & ~std::uint64_t{15};
    const std::uint64_t end = (address & ~std::uint64_t{15}) + 16;
    bool is_all = true;
    if (memory_.ReadSome(start, block_, end - start) != end - start) {
      // Only the pages directly before the address count.
      is_all = false;
      std::uint64_t readable = end;
      while (readable > start) {
        std::uint64_t page = (readable - 1) & ~(kPage - 1);
        if (page < start) page = start;
        if (memory_.ReadSome(page, block_ + (page - start), readable - page) != readable - page) {
          break;
        }
        readable = page;
      }
      if (readable == end) return 0;
      std::memmove(block_, block_ + (readable - start), end - readable);
      start = readable;
    }
    for (; next >= start && next + kTypeAt + 8 <= end; next -= 8) {
      std::uint64_t type = 0;
      std::memcpy(&type, block_ + (next - start) + kTypeAt, sizeof type);
      if (type != interpreter_.code_type || !ReadHeader(next, header)) continue;
      const std::uint64_t begin = next + layout.code;
      if (address < begin || address > begin + 2 * header.units) continue;
      if (HasTexts(header)) return next;
    }
    if (!is_all) return 0;
  }
  return 0;
}

std::size_t CodeObjects::ReadBytes(std::uint64_t object, unsigned char* out,
                                   std::size_t size) noexcept {
  std::uint64_t length = 0;
  if (!memory_.Read(object + interpreter_.layout.bytes_length, length) || length == 0 ||
      length > size || !memory_.Read(object + interpreter_.layout.bytes_data, out, length)) {
    return 0;
  }
  return length;
}

std::size_t CodeObjects::ReadText(std::uint64_t object, char* out, std::size_t size) noexcept {
  const PythonLayout& layout = interpreter_.layout;
  std::uint64_t length = 0;
  std::uint32_t state = 0;
  if (!memory_.Read(object + layout.text_length, length) ||
      !memory_.Read(object + layout.text_state, state)) {
    return 0;
  }
  const std::uint32_t kind = (state >> layout.kind_shift) & 7;
  const bool is_compact = ((state >> (layout.kind_shift + 3)) & 1) != 0;
  const bool is_ascii = ((state >> (layout.kind_shift + 4)) & 1) != 0;
  if (!is_compact || (kind != 1 && kind != 2 && kind != 4) || length == 0) return 0;
  // A longer text is cut.
  std::uint64_t characters = sizeof characters_ / kind;
  if (characters > length) characters = length;
  const std::uint64_t at = object + (is_ascii ? layout.text_ascii : layout.text_compact);
  if (!memory_.Read(at, characters_, characters * kind)) return 0;
  std::size_t bytes = 0;
  for (std::uint64_t i = 0; i < characters; ++i) {
    std::uint32_t c = 0;
    std::memcpy(&c, characters_ + i * kind, kind);
    if (c == 0) c = 0xfffd;
    const std::size_t put = PutUtf8(c, out + bytes, size - bytes);
    if (put == 0) break;
    bytes += put;
  }
  return bytes;
}

std::uint32_t CodeObjects::FunctionOf(const Header& header, bool& is_shim,
                                      SpoolWriter& spool) noexcept {
  memory_.DropBlock();
  const std::size_t name = ReadText(header.name, name_, sizeof name_);
  const std::size_t file = ReadText(header.file, file_, sizeof file_);
  if (name == 0 || file == 0) return spool::kNone;
  is_shim = std::string_view(file_, file) == kShimFile;
  const std::size_t lines = ReadBytes(header.lines, lines_, sizeof lines_);
  std::uint64_t hash = HashOf(0xcbf29ce484222325ull, name_, name);
  hash = HashOf(hash, file_, file);
  hash = HashOf(hash, &header.first_line, sizeof header.first_line);
  hash = HashOf(hash, lines_, lines) | 1;
  std::size_t place = MixBits(hash) % (2 * kMaxFunctions);
  while (functions_[place].hash != 0) {
    if (functions_[place].hash == hash) return functions_[place].id;
    place = (place + 1) % (2 * kMaxFunctions);
  }
  if (function_count_ == kMaxFunctions || text_bytes_ + name + file + lines > kMostTextBytes) {
    return spool::kNone;
  }
  spool::PythonCodeRecord record = {};
  record.first_line = static_cast<std::uint32_t>(header.first_line);
  record.units = static_cast<std::uint32_t>(header.units);
  const std::uint32_t id = spool.AddPythonCode(record, {name_, name}, {file_, file},
                                               {reinterpret_cast<const char*>(lines_), lines});
  if (id == spool::kNone) return id;
  functions_[place] = {hash, id};
  ++function_count_;
  text_bytes_ += name + file + lines;
  return id;
}

const CodeObjects::Code* CodeObjects::Add(std::uint64_t object, const Header& header,
                                          SpoolWriter& spool) noexcept {
  Entry entry = {};
  entry.object = object;
  entry.header = header;
  entry.drain = drain_;
  entry.code.begin = object + interpreter_.layout.code;
  entry.code.end = entry.code.begin + 2 * header.units;
  entry.code.id = FunctionOf(header, entry.code.is_shim, spool);
  // The objects that it overlaps are gone.
  std::size_t from = Behind(object);
  if (from > 0 && codes_[from - 1].code.end > object) --from;
  std::size_t to = from;
  while (to < count_ && codes_[to].object < entry.code.end) ++to;
  if (from == to && count_ == kMaxCodes) {
    // The table is full: the one that lies next to it is forgotten, and found again if needed.
    if (to < count_) {
      ++to;
    } else {
      --from;
    }
  }
  std::memmove(&codes_[from + 1], &codes_[to], (count_ - to) * sizeof(Entry));
  count_ = count_ - (to - from) + 1;
  codes_[from] = entry;
  return &codes_[from].code;
}

const CodeObjects::Code* CodeObjects::Find(std::uint64_t address, RegionIndex& regions,
                                           SpoolWriter& spool, std::uint64_t reach) noexcept {
  if (!IsPlausible(address)) return nullptr;
  const std::size_t place = Place(address);
  if (place != count_) {
    Entry& entry = codes_[place];
    if (entry.drain == drain_) return &entry.code;
    Header header = {};
    // What is gone keeps its name, unless another object is there: a program that ends frees its
    // functions before its last samples are drained.
    if (ReadHeader(entry.object, header) && header == entry.header) {
      entry.drain = drain_;
      return &entry.code;
    }
  }
  Miss& miss = misses_[MixBits(address) % kMisses];
  Header header = {};
  RegionIndex::Located code;
  const bool is_known_miss = miss.address == address && miss.drain == drain_ && miss.reach >= reach;
  if (!is_known_miss && !regions.Locate(address, code)) {
    const std::uint64_t object = Search(address, reach, header);
    if (object != 0) return Add(object, header, spool);
    miss = {address, drain_, static_cast<std::uint32_t>(reach)};
  }
  return place != count_ ? &codes_[place].code : nullptr;
}

}  // namespace csink
