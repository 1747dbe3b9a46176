#include "core/events/table_encoding.h"

#include "core/events/event_alias.h"
#include "core/events/event_text.h"
#include "core/util/parse.h"

// File: encoding has four steps. The attributes are read: unit masks are marked in a bit set,
// modifiers are stored in an array of values (Read). Each group without a chosen mask gets its
// default (Complete). Values that masks fix, and ranges, are checked (CheckWired, CheckValues). The
// attr and the canonical spelling are made from masks and values (FillAttr, Spell).

namespace csink {
namespace {

/// The modifiers in libpfm4's order, which is also their order in the canonical spelling.
enum Modifier : unsigned {
  kEdge,
  kInvert,
  kCounterMask,
  kLatency,
  kAnyThread,
  kGuest,
  kInTransaction,
  kInCheckpoint,
  kThreshold,
  kUser,
  kKernel,
  kHypervisor,
  kPeriod,
  kFrequency,
  kPrecision,
  kExclusive,
  kInGuest,
  kInHost,
  kCpu,
  kPinned,
  kHardwareSampling,
  kModifiers
};

// Names, texts and numbers are libpfm4's; the numbers of the PMU's modifiers and of perf_event's
// modifiers overlap.
constexpr TableModifier kAll[kModifiers] = {
    {"e", "edge level", false, false, 2},
    {"i", "invert", false, false, 3},
    {"c", "counter-mask in range [0-255]", true, false, 4},
    {"ldlat", "load latency threshold (cycles, [3-65535])", true, false, 6},
    {"t", "measure any thread", false, false, 5},
    {"g", "measure in guest", false, false, 6},
    {"intx", "monitor only inside transactional memory region", false, false, 7},
    {"intxcp", "do not count occurrences inside aborted transactional memory region", false, false,
     8},
    {"fe_thres", "front-end bubbles threshold (cycles)", true, false, 9},
    {"u", "monitor at user level", false, true, 0},
    {"k", "monitor at kernel level", false, true, 1},
    {"h", "monitor at hypervisor level", false, true, 2},
    {"period", "sampling period", true, true, 3},
    {"freq", "sampling frequency (Hz)", true, true, 4},
    {"precise", "precise event sampling", true, true, 5},
    {"excl", "exclusive access", false, true, 6},
    {"mg", "monitor guest execution", false, true, 7},
    {"mh", "monitor host execution", false, true, 8},
    {"cpu", "CPU to program", true, true, 9},
    {"pinned", "pin event to counters", false, true, 10},
    {"hw_smpl", "enable hardware sampling", false, true, 11},
};

constexpr std::uint32_t Bit(Modifier modifier) noexcept { return 1u << modifier; }

// The modifiers that all events of all PMUs have.
constexpr std::uint32_t kEverywhere = Bit(kUser) | Bit(kKernel) | Bit(kPeriod) | Bit(kFrequency) |
                                      Bit(kExclusive) | Bit(kInGuest) | Bit(kInHost) | Bit(kCpu) |
                                      Bit(kPinned);
// The modifiers of a general counter on x86.
constexpr std::uint32_t kCounting = Bit(kEdge) | Bit(kInvert) | Bit(kCounterMask);

// The bits of config: those of IA32_PERFEVTSELx (Intel SDM vol. 3B, performance monitoring) and of
// AMD's PERF_CTLx, which agree in edge, inv and cmask. in_tx and in_tx_cp are Intel's alone. The
// kernel's format/ files of the PMU "cpu" show the same places.
constexpr std::uint64_t kEdgeBit = 1ull << 18;
constexpr std::uint64_t kAnyThreadBit = 1ull << 21;
constexpr std::uint64_t kInvertBit = 1ull << 23;
constexpr unsigned kCounterMaskShift = 24;
constexpr std::uint64_t kInTransactionBit = 1ull << 32;
constexpr std::uint64_t kInCheckpointBit = 1ull << 33;
// In cycles: the smallest threshold that the modifier's range allows.
constexpr std::uint64_t kDefaultLatency = 3;

bool IsIntel(TableArch arch) noexcept {
  return arch == TableArch::kIntelCore || arch == TableArch::kIntelAtom;
}

/// Whether this is an architectural event; the core counts those the same way inside and outside
/// transactions.
bool IsArchitectural(std::string_view name) noexcept {
  return name == "UNHALTED_CORE_CYCLES" || name == "INSTRUCTION_RETIRED" ||
         name == "INSTRUCTIONS_RETIRED" || name == "UNHALTED_REFERENCE_CYCLES";
}

/// Reads a number as strtoull does: 10, 0x10, 010.
bool ReadNumber(std::string_view text, std::uint64_t& number) noexcept {
  unsigned base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const bool hex = text[1] == 'x' || text[1] == 'X';
    base = hex ? 16 : 8;
    text.remove_prefix(hex ? 2 : 1);
  }
  if (text.empty()) return false;
  number = 0;
  for (char c : text) {
    const unsigned digit = c >= '0' && c <= '9'   ? static_cast<unsigned>(c - '0')
                           : c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a' + 10)
                           : c >= 'A' && c <= 'F' ? static_cast<unsigned>(c - 'A' + 10)
                                                  : base;
    if (digit >= base || number > (~std::uint64_t{0} - digit) / base) return false;
    number = number * base + digit;
  }
  return true;
}

// The first letter or digit of a truth value, as libpfm4 accepts it: 1, y, t and 0, n, f.
bool ReadBool(std::string_view text, std::uint64_t& value) noexcept {
  if (text.size() != 1) return false;
  switch (text[0]) {
    case '1':
    case 'y':
    case 'Y':
    case 't':
    case 'T':
      value = 1;
      return true;
    case '0':
    case 'n':
    case 'N':
    case 'f':
    case 'F':
      value = 0;
      return true;
    default:
      return false;
  }
}

/// Encodes one event: Read for each attribute string, then Finish. Return values are libpfm4's
/// error codes.
class Encoder {
 public:
  Encoder(const PresentTable& present, const TableEvent& event, PfmEncoding& answer) noexcept
      : table_(*present.table),
        type_(present.type),
        event_(event),
        masks_(MasksOf(event)),
        allowed_(ModifiersOf(table_, event)),
        answer_(answer) {}

  int Read(std::string_view attributes) noexcept;
  int Finish(int levels) noexcept;

 private:
  static constexpr unsigned kMaskWords = 4;  // 256 unit masks: TableEvent::masks is 8 bits

  // Whether unit mask number `mask` was chosen; Choose chooses it.
  bool Has(unsigned mask) const noexcept { return chosen_[mask / 64] >> mask % 64 & 1; }
  void Choose(unsigned mask) noexcept { chosen_[mask / 64] |= std::uint64_t{1} << mask % 64; }
  bool Given(Modifier modifier) const noexcept { return given_ & Bit(modifier); }

  int Token(std::string_view token) noexcept;
  bool TakeDotted(std::string_view piece) noexcept;
  int TakeModifier(unsigned modifier, std::string_view value, bool has_value) noexcept;
  int Complete() noexcept;
  int CheckWired(std::uint64_t code) noexcept;
  int CheckValues() noexcept;
  void FillAttr(std::uint64_t code, int levels) noexcept;
  void Spell() noexcept;

  const EventTable& table_;
  const std::uint32_t type_;
  const TableEvent& event_;
  const TableMask* masks_;
  const std::uint32_t allowed_;
  PfmEncoding& answer_;
  // The chosen unit masks, as a bit set.
  std::uint64_t chosen_[kMaskWords] = {};
  std::uint64_t values_[kModifiers] = {};
  std::uint32_t given_ = 0;
  std::uint8_t wired_ = 0;
  std::uint8_t mask_flags_ = 0;
};

// Stores the value of a modifier. The same value may be given twice; another value is
// PFM_ERR_ATTR_SET.
int Encoder::TakeModifier(unsigned modifier, std::string_view value, bool has_value) noexcept {
  std::uint64_t number = 1;
  if (kAll[modifier].is_integer) {
    if (!has_value || !ReadNumber(value, number)) return PFM_ERR_ATTR_VAL;
  } else if (has_value && !ReadBool(value, number)) {
    return PFM_ERR_ATTR_VAL;
  }
  // The field in config has 8 bits; the ranges of other values are checked when all of them are
  // known.
  if (modifier == kCounterMask && number > 0xff) return PFM_ERR_ATTR_VAL;
  if (given_ >> modifier & 1 && values_[modifier] != number) return PFM_ERR_ATTR_SET;
  given_ |= 1u << modifier;
  values_[modifier] = number;
  return PFM_SUCCESS;
}

// One attribute: a unit mask of the event, or a modifier that the event has. Unit masks are
// compared first, so a mask hides a modifier of the same name.
int Encoder::Token(std::string_view token) noexcept {
  std::string_view value = token;
  const std::string_view key = NextToken(value, '=');
  const bool has_value = key.size() < token.size();
  for (unsigned i = 0; i < event_.masks; ++i) {
    if (!EqualsIgnoringCase(key, NameOf(masks_[i]))) continue;
    if (has_value) return PFM_ERR_ATTR;
    if (masks_[i].same_as == 0) {
      Choose(i);
      return PFM_SUCCESS;
    }
    // An abbreviation never expands to another one: the tables have one level.
    return Read(kTableNames + masks_[i].same_as);
  }
  for (unsigned i = 0; i < kModifiers; ++i) {
    if (allowed_ >> i & 1 && EqualsIgnoringCase(key, kAll[i].name)) {
      return TakeModifier(i, value, has_value);
    }
  }
  return PFM_ERR_ATTR;
}

// Intel's event files and perf spell a mask of several words with dots, "OCR.DEMAND_RFO.L3_HIT";
// here it is one name with '_'.
bool Encoder::TakeDotted(std::string_view piece) noexcept {
  Text<96> name;
  bool dotted = false;
  for (const char c : piece) {
    dotted |= c == '.';
    name.Add(c == '.' ? '_' : c);
  }
  if (!dotted || name.view().size() != piece.size()) return false;  // or longer than any name
  for (unsigned i = 0; i < event_.masks; ++i) {
    if (!EqualsIgnoringCase(name.view(), NameOf(masks_[i]))) continue;
    return Token(NameOf(masks_[i])) == PFM_SUCCESS;
  }
  return false;
}

// Two levels of separators, so "A.B:c=1" has three attributes. An empty part is an unknown
// attribute.
int Encoder::Read(std::string_view attributes) noexcept {
  Tokens pieces(attributes, ':');
  for (std::string_view piece; pieces.Next(piece);) {
    if (TakeDotted(piece)) continue;
    Tokens parts(piece, '.');
    for (std::string_view part; parts.Next(part);) {
      if (const int code = Token(part); code != PFM_SUCCESS) return code;
    }
  }
  return PFM_SUCCESS;
}

/// Adds the default of each group without a chosen member, and checks masks that must stand alone.
int Encoder::Complete() noexcept {
  for (const std::uint8_t group : {std::uint8_t{0}, std::uint8_t{kGroupOne}}) {
    unsigned members = 0;
    unsigned chosen = 0;
    bool alone = false;
    int first_default = -1;
    for (unsigned i = 0; i < event_.masks; ++i) {
      if ((masks_[i].flags & kGroupOne) != group) continue;
      ++members;
      if (Has(i)) {
        ++chosen;
        alone |= (masks_[i].flags & kMaskAlone) != 0;
      }
      // A mask that abbreviates another is no default: its code is not an encoding of its own.
      if (first_default < 0 && masks_[i].flags & kMaskDefault && masks_[i].same_as == 0) {
        first_default = static_cast<int>(i);
      }
    }
    if (members == 0) continue;
    // Masks may be combined unless one of them must stand alone.
    if (chosen > 1 && alone) return PFM_ERR_FEATCOMB;
    if (chosen != 0) continue;
    // A group without a default: the user must choose.
    if (first_default < 0) return PFM_ERR_UMASK;
    Choose(static_cast<unsigned>(first_default));
  }
  return PFM_SUCCESS;
}

/// Checks modifiers whose value is part of a unit mask's code: the user may not change that value.
/// `code` is that of all chosen masks together; the values are read from its bits.
int Encoder::CheckWired(std::uint64_t code) noexcept {
  const struct {
    WiredModifier wired;
    Modifier modifier;
    std::uint64_t value;
  } wires[] = {
      {kWiredEdge, kEdge, (code & kEdgeBit) != 0},
      {kWiredInvert, kInvert, (code & kInvertBit) != 0},
      {kWiredCounterMask, kCounterMask, code >> kCounterMaskShift & 0xff},
      {kWiredInTransaction, kInTransaction, (code & kInTransactionBit) != 0},
      {kWiredInCheckpoint, kInCheckpoint, (code & kInCheckpointBit) != 0},
      // FRONTEND_RETIRED: bits 8 to 19 of the extra register (the code is shifted by 8).
      {kWiredThreshold, kThreshold, code >> 16 & 0xfff},
  };
  for (const auto& wire : wires) {
    if (!(wired_ & wire.wired)) continue;
    if (Given(wire.modifier) && values_[wire.modifier] != wire.value) return PFM_ERR_ATTR_SET;
    values_[wire.modifier] = wire.value;
  }
  return PFM_SUCCESS;
}

int Encoder::CheckValues() noexcept {
  constexpr std::uint64_t kMostPrecise = 3;
  if (Given(kPeriod) && Given(kFrequency)) return PFM_ERR_ATTR_VAL;
  if (values_[kPrecision] > kMostPrecise) return PFM_ERR_ATTR_VAL;
  if (values_[kCpu] > 0x7fffffff) return PFM_ERR_ATTR_VAL;
  if (values_[kLatency] > 0xffff || values_[kThreshold] > 0xfff) return PFM_ERR_ATTR_VAL;
  if (Given(kLatency) && !(mask_flags_ & kLoadLatency)) return PFM_ERR_ATTR;
  // Intel's counters detect an edge only of the condition "at least as many as the counter mask".
  if (IsIntel(table_.arch) && values_[kEdge] && values_[kCounterMask] == 0) return PFM_ERR_ATTR;
  return PFM_SUCCESS;
}

// `code`: the codes of all chosen masks, combined. `levels` apply where no level is given.
void Encoder::FillAttr(std::uint64_t code, int levels) noexcept {
  perf_event_attr& attr = answer_.attr;
  attr = {};
  attr.size = sizeof(attr);
  attr.type = type_;
  if (mask_flags_ & kReplacesCode) {
    attr.config = code;
  } else if (event_.flags & kExtraRegister) {
    attr.config = event_.code;
    attr.config1 = code >> 8;  // the code has its place in config; the register has another
  } else if (table_.arch == TableArch::kAmd) {
    // AMD's event select has 12 bits: 0 to 7 and 32 to 35 of config.
    attr.config = (event_.code & 0xff) | std::uint64_t{event_.code & 0xf00} << 24 | code;
  } else {
    attr.config = event_.code | code;
  }
  if (values_[kEdge]) attr.config |= kEdgeBit;
  if (values_[kInvert]) attr.config |= kInvertBit;
  if (values_[kAnyThread]) attr.config |= kAnyThreadBit;
  attr.config |= values_[kCounterMask] << kCounterMaskShift;
  if (values_[kInTransaction]) attr.config |= kInTransactionBit;
  if (values_[kInCheckpoint]) attr.config |= kInCheckpointBit;
  if (mask_flags_ & kLoadLatency) attr.config1 = values_[kLatency];

  // One stated level decides all three: "u" alone excludes the kernel.
  if (Given(kUser) || Given(kKernel) || Given(kHypervisor)) {
    levels = (values_[kUser] ? PFM_PLM3 : 0) | (values_[kKernel] ? PFM_PLM0 : 0) |
             (values_[kHypervisor] ? PFM_PLMH : 0);
  }
  // The spelling shows the levels that apply, stated or not.
  values_[kUser] = (levels & PFM_PLM3) != 0;
  values_[kKernel] = (levels & PFM_PLM0) != 0;
  values_[kHypervisor] = (levels & PFM_PLMH) != 0;
  attr.exclude_user = !values_[kUser];
  attr.exclude_kernel = !values_[kKernel];
  attr.exclude_hv = allowed_ & Bit(kHypervisor) && !values_[kHypervisor];
  // Neither guest nor host is stated: the host is counted.
  if (!values_[kInGuest] && !values_[kInHost]) values_[kInHost] = 1;
  attr.exclude_guest = !values_[kInGuest];
  attr.exclude_host = !values_[kInHost];
  if (Given(kFrequency)) {
    attr.freq = 1;
    attr.sample_freq = values_[kFrequency];
  } else if (Given(kPeriod)) {
    attr.sample_period = values_[kPeriod];
  }
  // "& 3" is for the compiler: CheckValues has refused larger values.
  attr.precise_ip = values_[kPrecision] & 3;
  if (values_[kHardwareSampling]) attr.precise_ip = 1;
  attr.exclusive = values_[kExclusive] != 0;
  attr.pinned = values_[kPinned] != 0;
  answer_.cpu = Given(kCpu) ? static_cast<int>(values_[kCpu]) : -1;
}

/// Builds the canonical spelling: "spr::ARITH:DIV_ACTIVE:e=0:i=0:c=1:...:u=1:k=1:excl=0:mg=0:mh=1".
/// All modifiers of the event are spelt with their values, except period and frequency, which
/// appear only if one of them is given, and cpu and pinned, which never do.
void Encoder::Spell() noexcept {
  auto& text = answer_.canonical;
  text.Clear();
  text.Add(table_.name).Add("::").Add(NameOf(event_));
  for (unsigned i = 0; i < event_.masks; ++i) {
    if (Has(i)) text.Add(':').Add(NameOf(masks_[i]));
  }
  constexpr std::uint32_t kOnlyWhenGiven = Bit(kPeriod) | Bit(kFrequency);
  constexpr std::uint32_t kNever = Bit(kCpu) | Bit(kPinned);
  for (unsigned i = 0; i < kModifiers; ++i) {
    const std::uint32_t bit = 1u << i;
    if (!(allowed_ & bit) || bit & kNever) continue;
    if (bit & kOnlyWhenGiven) {
      // Period and frequency share a field of perf_event_attr, and libpfm4 spells both from it.
      if (!(given_ & kOnlyWhenGiven)) continue;
      values_[i] = answer_.attr.sample_period;
    }
    text.Add(':').Add(kAll[i].name).Add('=').Number(values_[i]);
  }
}

// In this order: defaults must be chosen before the codes are combined, and codes before their
// values are compared.
int Encoder::Finish(int levels) noexcept {
  if (const int complete = Complete(); complete != PFM_SUCCESS) return complete;
  std::uint64_t code = 0;
  for (unsigned i = 0; i < event_.masks; ++i) {
    if (!Has(i)) continue;
    // A register's value is kept without the 8 bits that the place of a unit mask has in config.
    code |= masks_[i].code() << (event_.flags & kExtraRegister ? 8 : 0);
    wired_ |= masks_[i].wired;
    mask_flags_ |= masks_[i].flags;
  }
  if (const int wired = CheckWired(code); wired != PFM_SUCCESS) return wired;
  if (const int values = CheckValues(); values != PFM_SUCCESS) return values;
  // After the check, which refuses a threshold for masks that take none.
  if (mask_flags_ & kLoadLatency && !Given(kLatency)) values_[kLatency] = kDefaultLatency;
  FillAttr(code, levels);
  Spell();
  return PFM_SUCCESS;
}

}  // namespace

const TableModifier* TableModifierAt(std::size_t number) noexcept {
  return number < kModifiers ? &kAll[number] : nullptr;
}

// The same modifiers as libpfm4 has for each kind of PMU; another one is an unknown attribute.
std::uint32_t ModifiersOf(const EventTable& table, const TableEvent& event) noexcept {
  switch (table.arch) {
    case TableArch::kAmd:
      return kEverywhere | kCounting | Bit(kGuest) | Bit(kHypervisor);
    case TableArch::kAmdL3:
      return kEverywhere;
    case TableArch::kArm:
      return kEverywhere | Bit(kHypervisor) | Bit(kHardwareSampling);
    default:
      break;  // Intel: the event's flags decide
  }
  std::uint32_t modifiers = kEverywhere;
  modifiers |= event.flags & kPrecise ? Bit(kPrecision) : Bit(kHardwareSampling);
  // Fixed counters have no fields for edge, invert and counter mask.
  if (event.flags & kFixedCounter) return modifiers | Bit(kAnyThread);
  modifiers |= kCounting;
  if (event.flags & kLoadLatency) modifiers |= Bit(kLatency);
  if (event.flags & kExtraRegister && event.flags & kPrecise) modifiers |= Bit(kThreshold);
  if (table.arch == TableArch::kIntelCore && !IsArchitectural(NameOf(event))) {
    modifiers |= Bit(kInTransaction) | Bit(kInCheckpoint);
  }
  return modifiers;
}

int EncodeTableEvent(const PresentTable& present, std::size_t number, std::string_view attributes,
                     bool has_attributes, int levels, PfmEncoding& answer) noexcept {
  if (!present.can_encode) return PFM_ERR_NOTSUPP;
  const TableView view(*present.table);
  // Another name of an event is encoded, and spelt, as the event itself.
  Encoder encoder(present, view[view[number].same_as], answer);
  if (has_attributes) {
    if (const int code = encoder.Read(attributes); code != PFM_SUCCESS) return code;
  }
  return encoder.Finish(levels);
}

}  // namespace csink
