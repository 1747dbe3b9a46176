#include "symbolizer/names/cache/entry.h"

#include <libdeflate.h>

#include <unordered_map>

/// File: writes and reads the format in entry.h. Names and paths repeat many times, so each text is
/// stored once and referred to by its number. Offsets are stored as differences, which are small
/// numbers. The reader can step over locations that are not wanted without decoding their texts.

namespace csink::symbolizer::cache {
namespace {

/// Tells a cache file from any other file in the folder.
constexpr char kMagic[8] = {'C', 'S', 'I', 'N', 'K', 'N', 'A', 'M'};
constexpr std::size_t kHeaderBytes = sizeof(kMagic) + 4 + 4 + 8;

/// Appends a number in LEB128, 7 bits a byte, as DWARF has it: most numbers are small.
void AppendUleb(std::string& to, std::uint64_t value) {
  while (value >= 0x80) {
    to += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  to += static_cast<char>(value);
}

/// Maps numbers near 0 of either sign to small unsigned ones: 0, -1, 1, -2 become 0, 1, 2, 3.
std::uint64_t ZigZag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
/// The reverse of ZigZag.
std::int64_t UnZigZag(std::uint64_t value) {
  return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

/// Appends a number as it is in memory. All machines that csink supports are little-endian.
template <class T>
void AppendFixed(std::string& to, T value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Makes the bytes of a file. Empty if the entry exceeds a limit.
class Encoder {
 public:
  /// The whole file. The offsets of the entry are sorted, so that no difference is negative.
  std::string Run(const Entry& entry) {
    Text(entry.key);
    AppendUleb(body_, (entry.has_symbols ? 1u : 0u) | (entry.has_lines ? 2u : 0u));
    Text(entry.debug_file);
    AppendUleb(body_, entry.marks.size());
    for (const FileMark& mark : entry.marks) {
      Text(mark.path);
      AppendUleb(body_, mark.exists ? 1 : 0);
      AppendUleb(body_, mark.size);
      AppendUleb(body_, ZigZag(mark.mtime_ns));
    }
    AppendUleb(body_, entry.offsets.size());
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < entry.offsets.size(); ++i) {
      AppendUleb(body_, entry.offsets[i] - before);
      before = entry.offsets[i];
      Add(entry.locations[i]);
    }
    return Close();
  }

 private:
  // Appends the number of a text; a new text is added to the list.
  void Text(const std::string& text) {
    const auto [place, is_new] = index_.try_emplace(text, index_.size());
    if (is_new) {
      AppendUleb(texts_, text.size());
      texts_ += text;
    }
    AppendUleb(body_, place->second);
  }
  /// One location. ReadLocation and SkipLocation read its fields in this order.
  void Add(const Location& location) {
    Text(location.function);
    Text(location.raw_name);
    Text(location.clone);
    AppendUleb(body_, location.aliases);
    AppendUleb(body_, static_cast<std::uint64_t>(location.source));
    AppendUleb(body_, location.function_vaddr);
    Text(location.file);
    AppendUleb(body_, location.line);
    AppendUleb(body_, location.vaddr);
    AppendUleb(body_, location.inlined.size());
    if (location.inlined.size() > kMaxFrames) fits_ = false;
    for (const InlineFrame& frame : location.inlined) {
      Text(frame.function);
      Text(frame.raw_name);
      Text(frame.call_file);
      AppendUleb(body_, frame.call_line);
    }
  }
  // Puts header, texts and body together; the list of texts is complete only now.
  std::string Close() const {
    std::string payload;
    AppendUleb(payload, index_.size());
    if (index_.size() > kMaxTexts || !fits_) return {};
    payload += texts_;
    payload += body_;
    if (kHeaderBytes + payload.size() > kMaxEntryBytes) return {};
    std::string bytes(kMagic, sizeof kMagic);
    AppendFixed(bytes, kFormatVersion);
    AppendFixed(bytes, libdeflate_crc32(0, payload.data(), payload.size()));
    AppendFixed(bytes, std::uint64_t{payload.size()});
    return bytes + payload;
  }

  /// Keys point into the entry, which outlives this object.
  std::unordered_map<std::string_view, std::size_t> index_;
  std::string texts_;
  std::string body_;
  bool fits_ = true;
};

/// The payload, if magic number, version, size and checksum are correct; else nullopt. A file that
/// was cut off fails the size.
std::optional<Bytes> Payload(Bytes bytes) {
  ByteReader reader(bytes);
  const Bytes magic = reader.Take(sizeof kMagic);
  const std::uint32_t version = reader.U32();
  const std::uint32_t crc = reader.U32();
  const std::uint64_t size = reader.U64();
  if (!reader.ok() || std::memcmp(magic.data(), kMagic, sizeof kMagic) != 0) return std::nullopt;
  if (version != kFormatVersion || size != reader.left()) return std::nullopt;
  const Bytes payload = reader.Take(size);
  if (libdeflate_crc32(0, payload.data(), payload.size()) != crc) return std::nullopt;
  return payload;
}

/// Reads the payload. Nothing in the file is trusted: each number is checked before it is used.
class Decoder {
 public:
  explicit Decoder(Bytes payload) : reader_(payload) {}

  /// Fills the entry. Returns false if its key is another one, or if the file is damaged.
  bool Run(std::string_view key, const std::vector<std::uint64_t>* wanted, Entry& entry) {
    // A checksum protects from accidents, not from manipulation: every number is still checked.
    if (!ReadTexts() || Text() != key || !ok_) return false;
    entry.key = key;
    const std::uint64_t flags = reader_.Uleb();
    entry.has_symbols = (flags & 1) != 0;
    entry.has_lines = (flags & 2) != 0;
    entry.debug_file = Copy();
    return ReadMarks(entry) && ReadLocations(wanted, entry) && ok_ && reader_.ok() &&
           reader_.AtEnd();
  }

 private:
  /// Reads a count of items with at least `least` bytes each. nullopt: more than fit into the rest.
  std::optional<std::size_t> Count(std::size_t least) {
    const std::uint64_t count = reader_.Uleb();
    if (!reader_.ok() || count > reader_.left() / least) return std::nullopt;
    return static_cast<std::size_t>(count);
  }
  /// The texts stay views of the payload: only those of wanted locations are copied.
  bool ReadTexts() {
    const auto count = Count(1);
    if (!count || *count > kMaxTexts) return false;
    texts_.reserve(*count);
    for (std::size_t i = 0; i < *count; ++i) {
      const Bytes text = reader_.Take(reader_.Uleb());
      if (!reader_.ok()) return false;
      texts_.emplace_back(reinterpret_cast<const char*>(text.data()), text.size());
    }
    return true;
  }
  /// The text whose number follows.
  std::string_view Text() {
    const std::uint64_t index = reader_.Uleb();
    if (index >= texts_.size()) {
      ok_ = false;
      return {};
    }
    return texts_[static_cast<std::size_t>(index)];
  }
  // The text that follows, as a copy; counts towards kMaxDecodedBytes.
  std::string Copy() {
    const std::string_view text = Text();
    decoded_ += text.size();
    if (decoded_ > kMaxDecodedBytes) ok_ = false;
    return ok_ ? std::string(text) : std::string();
  }
  std::uint32_t U32() { return static_cast<std::uint32_t>(reader_.Uleb()); }

  bool ReadMarks(Entry& entry) {
    // The least size of a mark: four numbers.
    const auto count = Count(4);
    if (!count) return false;
    for (std::size_t i = 0; i < *count && ok_; ++i) {
      FileMark mark;
      mark.path = Copy();
      mark.exists = reader_.Uleb() != 0;
      mark.size = reader_.Uleb();
      mark.mtime_ns = UnZigZag(reader_.Uleb());
      entry.marks.push_back(std::move(mark));
    }
    return ok_;
  }
  bool ReadLocations(const std::vector<std::uint64_t>* wanted, Entry& entry) {
    // The least size of a location: its offset and ten numbers.
    const auto count = Count(11);
    if (!count) return false;
    std::uint64_t offset = 0;
    std::size_t next = 0;
    for (std::size_t i = 0; i < *count && ok_ && reader_.ok(); ++i) {
      const std::uint64_t step = reader_.Uleb();
      // Offsets rise; equal ones would break the merges of sorted lists.
      if ((i != 0 && step == 0) || offset + step < offset) return false;
      offset += step;
      while (wanted != nullptr && next < wanted->size() && (*wanted)[next] < offset) ++next;
      if (wanted == nullptr || (next < wanted->size() && (*wanted)[next] == offset)) {
        entry.offsets.push_back(offset);
        entry.locations.push_back(ReadLocation());
      } else {
        SkipLocation();
      }
    }
    return true;
  }
  Location ReadLocation() {
    Location location;
    location.function = Copy();
    location.raw_name = Copy();
    location.clone = Copy();
    location.aliases = U32();
    const std::uint64_t source = reader_.Uleb();
    if (source > static_cast<std::uint64_t>(NameSource::kNone)) ok_ = false;
    location.source = static_cast<NameSource>(source);
    location.function_vaddr = reader_.Uleb();
    location.file = Copy();
    location.line = U32();
    location.vaddr = reader_.Uleb();
    const std::uint64_t frames = reader_.Uleb();
    // Every location has a name, if only "[libfoo.so+0x1234]".
    if (frames > kMaxFrames || location.function.empty()) ok_ = false;
    // The location itself counts towards kMaxDecodedBytes as well as its texts.
    decoded_ += sizeof(Location) + frames * sizeof(InlineFrame);
    for (std::uint64_t i = 0; i < frames && ok_ && reader_.ok(); ++i) {
      InlineFrame frame;
      frame.function = Copy();
      frame.raw_name = Copy();
      frame.call_file = Copy();
      frame.call_line = U32();
      location.inlined.push_back(std::move(frame));
    }
    return location;
  }
  /// Steps over a location that is not wanted. No text is copied.
  void SkipLocation() {
    // The nine numbers of ReadLocation up to the number of frames; then four for each frame.
    for (int field = 0; field < 9; ++field) reader_.Uleb();
    const std::uint64_t frames = reader_.Uleb();
    if (frames > kMaxFrames) ok_ = false;
    for (std::uint64_t i = 0; i < frames * 4 && ok_ && reader_.ok(); ++i) reader_.Uleb();
  }

  ByteReader reader_;
  std::vector<std::string_view> texts_;
  std::uint64_t decoded_ = 0;
  bool ok_ = true;
};

}  // namespace

std::string Encode(const Entry& entry) { return Encoder().Run(entry); }

std::optional<Entry> Decode(Bytes bytes, std::string_view key,
                            const std::vector<std::uint64_t>* wanted) {
  const auto payload = Payload(bytes);
  if (!payload) return std::nullopt;
  Entry entry;
  if (!Decoder(*payload).Run(key, wanted, entry)) return std::nullopt;
  return entry;
}

}  // namespace csink::symbolizer::cache
