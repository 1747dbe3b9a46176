#include "profil/reading/reader/raw_dump.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <type_traits>

#include "profil/format/records.h"
#include "profil/reading/reader/bytes.h"
#include "profil/reading/reader/segments.h"

namespace csink::spool {
namespace {

// Many records may refer to one long text.
constexpr std::size_t kMostTextBytes = 4096;

/// The name of a structure.
template <class T>
constexpr const char* kNameOf = nullptr;
#define CSINK_RECORD(type) \
  template <>              \
  constexpr const char* kNameOf<type> = #type;
#define CSINK_FIELD(...)
#define CSINK_END
#include "profil/format/records.inc"

void AppendHex(std::string& to, std::uint64_t number) {
  char text[24];
  to.append(text, static_cast<std::size_t>(std::snprintf(text, sizeof text, "0x%" PRIx64, number)));
}

/// A text in quotes.
void AppendQuoted(std::string& to, std::string_view text) {
  to += '"';
  for (const char c : text.substr(0, kMostTextBytes)) {
    if (c == '"' || c == '\\') to += '\\';
    if (c >= 0x20 && c < 0x7f) {
      to += c;
    } else {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned char>(c));
      to += escape;
    }
  }
  to += text.size() > kMostTextBytes ? "\"..." : "\"";
}

/// Whether a field has no bit set.
template <class T>
bool IsZero(const T& value) {
  const auto* bytes = reinterpret_cast<const char*>(&value);
  return std::all_of(bytes, bytes + sizeof value, [](char c) { return c == 0; });
}

/// The length of the text at the field `name`: the field NAME_bytes.
template <class T>
std::uint64_t BytesOfText(const T& record, std::string_view name) {
  std::uint64_t bytes = 0;
  FieldsOf<T>::Each(record, [&](const auto& field, std::string_view other, auto) {
    if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(field)>>) {
      if (other.size() == name.size() + 6 && other.starts_with(name) && other.ends_with("_bytes")) {
        bytes = field;
      }
    }
  });
  return bytes;
}

/// Writes values. `bytes`: the file, in which the texts are.
class Values {
 public:
  explicit Values(const std::vector<std::byte>& bytes) : bytes_(bytes) {}

  /// The fields of a structure, each behind `separator`.
  template <class T>
  void Append(std::string& to, const T& record, const char* separator) const {
    FieldsOf<T>::Each(record, [&](const auto& field, const char* name, auto role) {
      if (role() == FieldRole::kReserved && IsZero(field)) return;
      to += separator;
      to += name;
      to += '=';
      if constexpr (role() == FieldRole::kTextAt) {
        AppendText(to, field, BytesOfText(record, name));
      } else {
        Value(to, field, role() == FieldRole::kHex || role() == FieldRole::kPc);
      }
    });
  }
  template <class T>
  void Value(std::string& to, const T& value, bool hex) const {
    if constexpr (std::is_same_v<T, TextRef>) {
      AppendText(to, value.at, value.bytes);
    } else if constexpr (std::is_array_v<T>) {
      AppendArray(to, value, hex);
    } else if constexpr (std::is_class_v<T>) {
      to += '{';
      if (!IsZero(value)) {
        std::string fields;
        Append(fields, value, " ");
        to += std::string_view(fields).substr(1);
      }
      to += '}';
    } else if constexpr (std::is_floating_point_v<T>) {
      char text[40];
      std::snprintf(text, sizeof text, "%.17g", value);
      to += text;
    } else if constexpr (std::is_enum_v<T>) {
      Value(to, static_cast<std::underlying_type_t<T>>(value), hex);
    } else if constexpr (std::is_signed_v<T>) {
      to += std::to_string(value);
    } else if (std::is_same_v<T, std::uint32_t> && value == static_cast<T>(kNone)) {
      to += "none";
    } else if (hex) {
      AppendHex(to, value);
    } else {
      to += std::to_string(value);
    }
  }

 private:
  template <class T, std::size_t N>
  void AppendArray(std::string& to, const T (&values)[N], bool hex) const {
    if constexpr (std::is_same_v<T, char>) {
      AppendQuoted(to, {values, strnlen(values, N)});
    } else {
      std::size_t used = N;
      while (used > 0 && IsZero(values[used - 1])) --used;
      to += '[';
      for (std::size_t i = 0; i < used; ++i) {
        if (i > 0) to += ' ';
        Value(to, values[i], hex || sizeof(T) == 1);
      }
      to += ']';
    }
  }
  void AppendText(std::string& to, std::uint64_t at, std::uint64_t length) const {
    AppendHex(to, at);
    to += '+';
    to += std::to_string(length);
    if (at == 0 && length == 0) return;
    to += ' ';
    if (at > bytes_.size() || length > bytes_.size() - at) {
      to += "(outside the file)";
    } else {
      AppendQuoted(to, {reinterpret_cast<const char*>(bytes_.data()) + at, length});
    }
  }

  const std::vector<std::byte>& bytes_;
};

/// Writes the lines of a file.
class Dump {
 public:
  Dump(const std::vector<std::byte>& bytes, std::uint32_t events,
       const std::function<bool(std::string_view)>& print)
      : bytes_(bytes), events_(events), values_(bytes), print_(print) {}

  /// False: no more lines are wanted.
  bool Print(std::uint64_t offset, const std::string& text) {
    std::string line;
    AppendHex(line, offset);
    return print_(line + " " + text + "\n");
  }
  bool PrintHeader(const Header& header) {
    std::string text = "Header " + std::to_string(kHeaderBytes) + " bytes";
    values_.Append(text, header, "\n  ");
    return Print(0, text);
  }
  bool PrintSegment(const Segment& segment) {
    const std::uint64_t at = segment.first_record - sizeof(SegmentHeader);
    const auto header = Load<SegmentHeader>(bytes_, at);
    const char* name = NameOf(segment.kind);
    std::string text = "segment ";
    text += name != nullptr ? name : "of an unknown kind";
    text += ' ' + std::to_string(header.bytes) + " bytes:";
    values_.Append(text, header, " ");
    if (!Print(at, text)) return false;
    if (segment.kind == SegmentKind::kStrings) return true;  // Shown where records refer to them
    switch (segment.kind) {
#define CSINK_SEGMENT(kind, number, type, ...) \
  case SegmentKind::kind:                      \
    return PrintRecords<type>(segment);
#include "profil/format/records.inc"
    }
    return true;
  }

 private:
  template <class T>
  bool PrintRecords(const Segment& segment) {
    if constexpr (!std::is_same_v<T, char>) {
      std::uint32_t& id = next_ids_.try_emplace(segment.kind, KindOf<T>::kFirstId).first->second;
      for (std::uint64_t i = 0; i < segment.records; ++i, ++id) {
        const std::uint64_t offset = segment.first_record + i * segment.record_bytes;
        const StoredRecord<T> at{offset, segment.record_bytes, bytes_.size()};
        const T record = at.Load(bytes_);
        if constexpr (std::is_same_v<T, Bucket>) {
          if (IsZero(record)) continue;
        }
        std::string text = NameOf(segment.kind);
        text += '[' + std::to_string(id) + "] " + std::to_string(segment.record_bytes) + " bytes:";
        values_.Append(text, record, " ");
        AppendMore(text, record);
        if constexpr (KindOf<T>::kHasCounts) AppendCounts(text, at);
        if (!Print(offset, text)) return false;
      }
    }
    return true;
  }
  template <class T>
  void AppendMore(std::string& /*text*/, const T& /*record*/) {}
  void AppendMore(std::string& text, const Bucket& bucket) {
    const BucketIds ids = IdsOf(bucket);
    text += " (region=";
    values_.Value(text, ids.region, false);
    text += " thread=";
    values_.Value(text, ids.thread, false);
    text += " phase=" + std::to_string(ids.phase) + " chain=" + std::to_string(ids.chain);
    text += (bucket.tag & kPublished) != 0 ? ")" : ", not published)";
  }
  /// The counts behind a record, and what is behind those.
  template <class T>
  void AppendCounts(std::string& text, const StoredRecord<T>& at) {
    text += " counts=[";
    for (std::uint32_t i = 0; i < events_; ++i) {
      if (i > 0) text += ' ';
      values_.Value(text, Load<Count>(bytes_, at.offset + sizeof(T) + i * sizeof(Count)), false);
    }
    text += ']';
    AppendTails(text, at, typename KindOf<T>::Tails{});
  }
  template <class T, class... Tails>
  void AppendTails(std::string& text, const StoredRecord<T>& at, TailsBehind<Tails...> /*tails*/) {
    [[maybe_unused]] const auto append = [&](const auto& tail, const char* name) {
      text += ' ';
      text += name;
      text += '=';
      values_.Value(text, tail, false);
    };
    (append(at.template LoadTail<Tails>(bytes_, events_), kNameOf<Tails>), ...);
  }

  const std::vector<std::byte>& bytes_;
  std::uint32_t events_;
  Values values_;
  const std::function<bool(std::string_view)>& print_;
  std::map<SegmentKind, std::uint32_t> next_ids_;
};

}  // namespace

Result<void> DumpSpool(const std::vector<std::byte>& bytes,
                       const std::function<bool(std::string_view line)>& print) {
  const auto header = LoadHeader(bytes);
  if (!header) return header.error();
  // Printed at the segment that they are about; those of no segment at the header.
  std::multimap<std::uint64_t, std::string> problems;
  const auto problem = [&](const std::string& text, std::uint64_t offset) {
    problems.emplace(offset, "problem: " + text);
  };
  const std::uint64_t limit = ReadableBytes(*header, bytes.size(), problem);
  const auto segments = FindSegments(bytes, header->event_count, limit, problem);
  Dump dump(bytes, header->event_count, print);
  const auto print_problems = [&](std::uint64_t before) {
    const auto end = problems.lower_bound(before);
    bool wanted = true;
    for (auto i = problems.begin(); i != end && wanted; ++i)
      wanted = dump.Print(i->first, i->second);
    problems.erase(problems.begin(), end);
    return wanted;
  };
  if (!dump.PrintHeader(*header)) return {};
  for (const Segment& segment : segments) {
    if (!print_problems(segment.first_record - sizeof(SegmentHeader))) return {};
    if (!dump.PrintSegment(segment)) return {};
  }
  (void)print_problems(~std::uint64_t{0});
  return {};
}

}  // namespace csink::spool
