#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "profil/format/records.h"
#include "profil/reading/merge/merge.h"
#include "profil/reading/merge/merged_file.h"
#include "profil/reading/reader/reader.h"
#include "profil/reading/reader/segments.h"
#include "tests/fakes/spool_builder.h"

/// File: spools made from the bytes of a fuzzer. Inputs change a valid file, since no fuzzer
/// guesses a valid header.

namespace csink::testing {

/// Sets every field that can refer to something to the first of its kind, and numbers to 1.
template <class T>
void FillFields(T& record) {
  spool::FieldsOf<T>::Each(record, [](auto& field, const char* /*name*/, auto role) {
    using Field = std::remove_reference_t<decltype(field)>;
    if constexpr (role() == spool::FieldRole::kReserved || std::is_array_v<Field>) {
      // As it is: zero
    } else if constexpr (std::is_same_v<Field, spool::TextRef>) {
      field = {spool::kHeaderBytes + sizeof(spool::SegmentHeader), 1, 0};
    } else if constexpr (role() == spool::FieldRole::kTextAt) {
      field = spool::kHeaderBytes + sizeof(spool::SegmentHeader);
    } else if constexpr (std::is_class_v<Field>) {
      FillFields(field);
    } else if constexpr (role() == spool::FieldRole::kRegion ||
                         role() == spool::FieldRole::kPlace) {
      field = 0;
    } else {
      field = static_cast<Field>(1);
    }
  });
}

/// Appends a segment with two such records.
template <class T>
void AppendFilled(std::vector<std::byte>& file, std::uint32_t events) {
  if constexpr (!std::is_same_v<T, char>) {
    spool::SegmentHeader header{};
    header.magic = spool::kSegmentMagic;
    header.kind = spool::KindOf<T>::kKind;
    header.record_bytes = spool::BytesWithCounts<T>(events) +
                          static_cast<std::uint32_t>(spool::KindOf<T>::Tails::kBytes);
    header.capacity = header.used = 2;
    header.bytes = sizeof header + 2 * std::size_t{header.record_bytes};
    const std::size_t at = file.size();
    file.resize(at + header.bytes);
    std::memcpy(file.data() + at, &header, sizeof header);
    T record{};
    FillFields(record);
    for (std::size_t i = 0; i < 2; ++i) {
      std::memcpy(file.data() + at + sizeof header + i * header.record_bytes, &record,
                  sizeof record);
    }
  }
}

/// A spool, the merged file of two such spools, and the spool with records of every kind behind its
/// own: what inputs change.
struct WholeSpools {
  std::vector<std::byte> one;
  std::vector<std::byte> merged;
  std::vector<std::byte> every_kind;

  explicit WholeSpools(const SpoolBuilder& builder) : one(builder.Build()), every_kind(one) {
    using namespace spool;  // The names in the rows
    const std::uint32_t events = builder.header_view().event_count;
#define CSINK_SEGMENT(kind, number, type, ...) AppendFilled<type>(every_kind, events);
#include "profil/format/records.inc"
    const std::uint64_t file_bytes = every_kind.size();
    std::memcpy(every_kind.data() + offsetof(spool::Header, file_bytes), &file_bytes,
                sizeof file_bytes);
    ProfileMerger merger({.keep_callers = true, .keep_phases = true});
    for (const char* path : {"one", "two"}) {
      merger.Add(*spool::ParseSpool(one), ProcessState::kComplete, path);
    }
    merged = *BuildMergedFile(merger.Finish());
  }
};

/// The fields of a type of record; none of texts.
template <class T>
std::span<const spool::FieldPlace> FieldsOfType() {
  if constexpr (std::is_same_v<T, char>) {
    return {};
  } else {
    return spool::PlacesOf<T>::kPlaces;
  }
}
/// The same by kind; none of an unknown kind.
inline std::span<const spool::FieldPlace> FieldsOfKind(spool::SegmentKind wanted) {
  using namespace spool;  // The names in the rows
  switch (wanted) {
#define CSINK_SEGMENT(kind, number, type, ...) \
  case SegmentKind::kind:                      \
    return FieldsOfType<type>();
#include "profil/format/records.inc"
  }
  return {};
}

/// Changes one field of one record. `how`: segment, record, field, then what to: nothing at all,
/// everything, a small number, or the number that follows.
inline void DamageField(std::vector<std::byte>& bytes, const std::vector<spool::Segment>& segments,
                        const std::uint8_t* how) {
  if (segments.empty()) return;
  const spool::Segment& segment = segments[how[0] % segments.size()];
  const auto fields = FieldsOfKind(segment.kind);
  if (fields.empty() || segment.records == 0) return;
  const spool::FieldPlace& field = fields[how[2] % fields.size()];
  std::byte* const at = bytes.data() + segment.first_record +
                        how[1] % segment.records * segment.record_bytes + field.offset;
  const std::size_t size = std::min<std::size_t>(field.bytes, 8);
  const std::uint64_t small = how[4];
  const std::uint64_t number = (std::uint64_t{how[4]} << 8 | how[5]) << 4;
  switch (how[3] % 4) {
    case 0:
      std::memset(at, 0, field.bytes);
      break;
    case 1:
      std::memset(at, 0xff, field.bytes);
      break;
    case 2:
      std::memcpy(at, &small, size);
      break;
    case 3:
      std::memcpy(at, &number, size);
      break;
  }
}

/// The first byte is the mode. 0: the input replaces the whole file. 1: it replaces what follows
/// the header. Other modes change six bytes of the input at a time: with bit 5 a field
/// (DamageField), else four bytes at a place (two bytes of position, then the four), of which bit 6
/// leaves the header alone. They change the merged file if bit 7 is set, else with bit 5 the spool
/// with records of every kind.
inline std::vector<std::byte> DamagedSpool(const WholeSpools& whole, const std::uint8_t* data,
                                           std::size_t size) {
  const std::uint8_t mode = size > 0 ? data[0] : 0;
  const auto* input = reinterpret_cast<const std::byte*>(data);
  if (mode == 0) return {input, input + size};
  const bool fields = (mode & 32) != 0;
  std::vector<std::byte> bytes = mode >= 128 ? whole.merged : fields ? whole.every_kind : whole.one;
  if (mode == 1) {
    bytes.resize(spool::kHeaderBytes + size - 1);
    std::memcpy(bytes.data() + spool::kHeaderBytes, data + 1, size - 1);
    const std::uint64_t file_bytes = bytes.size();
    std::memcpy(bytes.data() + offsetof(spool::Header, file_bytes), &file_bytes, sizeof file_bytes);
    return bytes;
  }
  if (fields) {
    const auto ignore = [](const std::string&, std::uint64_t) {};
    const auto segments =
        spool::FindSegments(bytes, spool::LoadHeader(bytes)->event_count, bytes.size(), ignore);
    for (std::size_t i = 1; i + 6 <= size; i += 6) DamageField(bytes, segments, data + i);
    return bytes;
  }
  const std::size_t first = (mode & 64) != 0 ? spool::kHeaderBytes : 0;
  for (std::size_t i = 1; i + 6 <= size; i += 6) {
    const std::size_t at = first + (data[i] | data[i + 1] << 8) % (bytes.size() - first - 4);
    std::memcpy(bytes.data() + at, data + i + 2, 4);
  }
  return bytes;
}

}  // namespace csink::testing
