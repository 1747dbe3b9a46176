#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "profil/format/chain_end.h"
#include "profil/format/evidence.h"
#include "profil/format/format.h"

/// File: what records.inc says of the spool's structures, for code that handles every kind of
/// record or every field of one in the same way. Nothing of it is stored in a program: sizes become
/// constants, and a loop over fields becomes a statement for each.

namespace csink::spool {

/// What a field is, as far as readers treat it by that.
enum class FieldRole {
  kPlain,           ///< Anything else; numbers are shown in decimal
  kReserved,        ///< Zero so far
  kHex,             ///< A number that people read in hexadecimal: an address, a set of bits
  kPc,              ///< An address in code
  kText,            ///< Characters, NUL-terminated
  kTextAt,          ///< File offset of a text; the field NAME_bytes has its length
  kReal,            ///< A finite floating-point number
  kSquare,          ///< A finite floating-point number that is not negative
  kRegion,          ///< Id of a region, or kNone
  kPlace,           ///< Id of the region in which the kPc before it lies, or kNone
  kThread,          ///< Id of a thread, or kNone
  kChain,           ///< Id of a chain; 0: none, as for the next two
  kPhase,           ///< Id of a phase
  kLock,            ///< Id of a lock
  kWaitKind,        ///< A WaitKind. A later version may know more
  kDescriptorKind,  ///< A DescriptorKind, likewise
};
template <FieldRole kRole>
using RoleIs = std::integral_constant<FieldRole, kRole>;

/// FieldsOf<T>::Each(record, visit) calls visit(field, name, RoleIs<...>) for each field of T.
template <class T>
struct FieldsOf;
#define CSINK_RECORD(type)               \
  template <>                            \
  struct FieldsOf<type> {                \
    template <class Record, class Visit> \
    static constexpr void Each(Record& record, Visit&& visit) {
#define CSINK_FIELD(name, role) visit(record.name, #name, RoleIs<FieldRole::role>{});
#define CSINK_END \
  }               \
  }               \
  ;
#include "profil/format/records.inc"

/// Where a field is in its structure.
struct FieldPlace {
  const char* name;
  std::size_t offset;
  std::size_t bytes;
};
/// PlacesOf<T>::kPlaces: the fields of T, in their order.
template <class T>
struct PlacesOf;
#define CSINK_RECORD(type) \
  template <>              \
  struct PlacesOf<type> {  \
    using Record = type;   \
    static constexpr FieldPlace kPlaces[] = {
#define CSINK_FIELD(name, role) {#name, offsetof(Record, name), sizeof(Record::name)},
#define CSINK_END \
  }               \
  ;               \
  }               \
  ;
#include "profil/format/records.inc"

/// Whether the rows name every byte of a structure, once.
template <class T>
constexpr bool NamesAllOf() noexcept {
  std::size_t end = 0;
  for (const FieldPlace& field : PlacesOf<T>::kPlaces) {
    if (field.offset != end) return false;
    end += field.bytes;
  }
  return end == sizeof(T);
}
#define CSINK_RECORD(type) static_assert(NamesAllOf<type>());
#define CSINK_FIELD(...)
#define CSINK_END
#include "profil/format/records.inc"

/// The structures that follow the counts behind a record.
template <class... Tails>
struct TailsBehind {
  static constexpr std::size_t kBytes = (sizeof(Tails) + ... + 0);
  /// Bytes of the structures before Tail.
  template <class Tail>
  static constexpr std::size_t Before() noexcept {
    std::size_t bytes = 0;
    (void)((std::is_same_v<Tails, Tail> || (bytes += sizeof(Tails), false)) || ...);
    return bytes;
  }
};
/// What records.inc says of the kind that has records of type T.
template <class T>
struct KindOf;
#define CSINK_SEGMENT(kind, number, type, first, least, counts, ...) \
  template <>                                                        \
  struct KindOf<type> {                                              \
    static constexpr SegmentKind kKind = SegmentKind::kind;          \
    static constexpr std::uint32_t kFirstId = first;                 \
    static constexpr std::uint32_t kLeastBytes = least;              \
    static constexpr bool kHasCounts = counts;                       \
    using Tails = TailsBehind<__VA_ARGS__>;                          \
  };
#include "profil/format/records.inc"

/// The size of a record of type T and its counts, as this version writes it; without its tails.
template <class T>
constexpr std::uint32_t BytesWithCounts(std::uint32_t events) noexcept {
  return static_cast<std::uint32_t>(sizeof(T) +
                                    (KindOf<T>::kHasCounts ? events * sizeof(Count) : 0));
}
/// The same by kind; 0: an unknown kind.
constexpr std::uint32_t BytesWithCounts(SegmentKind kind, std::uint32_t events) noexcept {
  switch (kind) {
#define CSINK_SEGMENT(kind, number, type, ...) \
  case SegmentKind::kind:                      \
    return BytesWithCounts<type>(events);
#include "profil/format/records.inc"
  }
  return 0;
}
/// The smallest valid size of a record with its counts; 0: an unknown kind.
constexpr std::uint32_t LeastBytes(SegmentKind kind, std::uint32_t events) noexcept {
  switch (kind) {
#define CSINK_SEGMENT(kind, number, type, first, least, ...) \
  case SegmentKind::kind:                                    \
    return BytesWithCounts<type>(events) - static_cast<std::uint32_t>(sizeof(type) - (least));
#include "profil/format/records.inc"
  }
  return 0;
}
/// The name of a kind, as in the enumeration without its k; nullptr: an unknown kind.
constexpr const char* NameOf(SegmentKind kind) noexcept {
  switch (kind) {
#define CSINK_SEGMENT(kind, ...) \
  case SegmentKind::kind:        \
    return &#kind[1];
#include "profil/format/records.inc"
  }
  return nullptr;
}

}  // namespace csink::spool
