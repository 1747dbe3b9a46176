#include "core/events/sysfs_event.h"

#include "core/events/event_rate.h"
#include "core/util/parse.h"
#include "core/util/small_file.h"

// File: the terms between the two '/' are read from left to right. A term without '=' may be the
// name of an event file, whose terms are then read in the same way. Each term's bits are looked up
// in format/TERM and collected in three config words. given_ has the bits of the user's own terms:
// they win over an event file's, and no two of them may overlap.

namespace csink {
namespace {

constexpr Error kNotPerfs{Errc::kInvalid, 0, "not an event in perf's syntax"};

// The files have one short line; longer ones are cut.
using SysfsFile = SmallFile<512>;

// The characters of PMU, term and event names in sysfs.
bool IsNameChar(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

/// Whether a name may become part of a path: it has no '/' and does not begin with '.', so the path
/// stays below the PMU's folder. At most 60 bytes, which fit into SysfsEvent::pmu.
bool IsPlainName(std::string_view name) noexcept {
  if (name.empty() || name.size() > 60 || name[0] == '.') return false;
  for (char c : name) {
    if (!IsNameChar(c)) return false;
  }
  return true;
}

// A decimal number, or a hexadecimal one with 0x, as perf writes them.
Result<std::uint64_t> ParseValue(std::string_view text) noexcept {
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    text.remove_prefix(2);
    return ParseHex(text);
  }
  return ParseUnsigned(text);
}

/// Distributes the bits of `value`, lowest first, to the bits of `mask` in `word`, where they are
/// added to what is there. Returns false if the value has more bits than the mask.
bool Deposit(std::uint64_t value, std::uint64_t mask, std::uint64_t& word) noexcept {
  for (; mask != 0; mask &= mask - 1) {
    if (value & 1) word |= mask & -mask;
    value >>= 1;
  }
  return value == 0;
}

/// Reads one event's terms into a SysfsEvent.
class Reader {
 public:
  Reader(std::string_view name, const char* devices, SysfsEvent& event,
         EventComplaint& complaint) noexcept
      : name_(name), devices_(devices), event_(event), complaint_(complaint) {}

  Result<void> Read() noexcept;

 private:
  // devices/PMU/folder[/file[suffix]]
  Text<320> Path(std::string_view folder, std::string_view file,
                 std::string_view suffix = {}) const noexcept {
    Text<320> path;
    path.Add(devices_).Add('/').Add(event_.pmu.view()).Add('/').Add(folder);
    if (!file.empty()) path.Add('/').Add(file).Add(suffix);
    return path;
  }
  // Starts a sentence with `event "NAME"`, in the place of an earlier complaint.
  EventComplaint& Complain() noexcept {
    complaint_.Clear();
    complaint_.Add("event ");
    AddQuoted(complaint_, name_);
    return complaint_;
  }
  // Completes the sentence by `why` and the quoted `what`, and makes the error.
  Error Refuse(Errc code, std::string_view why, std::string_view what) noexcept {
    Complain().Add(why);
    AddQuoted(complaint_, what);
    return {code, 0, "event of sysfs"};
  }

  // Reads the PMU's name, type and cpumask, and finds the text between the two '/'.
  Result<void> Pmu() noexcept;
  // Read terms, one term, and store the value of one field. `from_file`: the text is the kernel's
  // event file, otherwise the user's.
  Result<void> Terms(std::string_view terms, bool from_file) noexcept;
  Result<void> Term(std::string_view term, bool from_file) noexcept;
  Result<void> Set(std::string_view key, std::uint64_t value, SysfsField field,
                   bool from_file) noexcept;
  Result<bool> NamedEvent(std::string_view name) noexcept;

  std::string_view name_;
  const char* devices_;
  SysfsEvent& event_;
  EventComplaint& complaint_;
  std::uint64_t words_[3] = {};
  std::uint64_t given_[3] = {};  ///< Bits of the terms that the user wrote
  // An event file was read; a second one is an error.
  bool has_event_file_ = false;
  // The text between the two '/'.
  std::string_view terms_;
};

Result<void> Reader::Pmu() noexcept {
  std::string_view rest = name_;
  const std::string_view pmu = NextToken(rest, '/');
  if (!IsPlainName(pmu)) return Refuse(Errc::kInvalid, " has no PMU before its first '/': ", pmu);
  event_.pmu.Add(pmu);
  const std::size_t before = rest.size();
  terms_ = NextToken(rest, '/');
  if (terms_.size() == before) {
    Complain().Add(" has no second '/'; perf's syntax is pmu/term=value,term/");
    return kNotPerfs;
  }
  event_.modifiers = rest;
  if (!ReadPmuType(devices_, pmu, event_.type)) {
    return Refuse(Errc::kNoEvent, " belongs to a PMU that the kernel does not have: ", pmu);
  }
  // Documentation/ABI: the cpumask lists the CPUs on which an event of the PMU is to be opened, one
  // for each socket. The PMU counts for all CPUs of the socket.
  const SysfsFile mask(Path("cpumask", {}).c_str());
  if (mask.error() == 0) {
    event_.socket_wide = true;
    std::string_view cpus = Trimmed(mask.view());
    std::size_t digits = 0;
    while (digits < cpus.size() && cpus[digits] >= '0' && cpus[digits] <= '9') ++digits;
    const Result<std::uint64_t> first = ParseUnsigned(std::string_view(cpus.data(), digits));
    // Above any CPU number of Linux; a larger number is no CPU list.
    if (first && *first < 1u << 20) event_.cpu = static_cast<int>(*first);
  }
  return {};
}

Result<void> Reader::Set(std::string_view key, std::uint64_t value, SysfsField field,
                         bool from_file) noexcept {
  std::uint64_t& word = words_[field.word];
  if (from_file) {
    // What the user wrote takes precedence over the kernel's file, whatever the order.
    std::uint64_t bits = 0;
    if (!Deposit(value, field.mask, bits)) {
      return Refuse(Errc::kUnsupported,
                    ": the value in the kernel's event file is too large for the term ", key);
    }
    word |= bits & ~given_[field.word];
    return {};
  }
  if (given_[field.word] & field.mask) {
    return Refuse(Errc::kInvalid, " has two terms for the same bits; one of them is ", key);
  }
  given_[field.word] |= field.mask;
  // Deposit adds bits, so the bits that the kernel's file set before are cleared.
  word &= ~field.mask;
  if (!Deposit(value, field.mask, word)) {
    return Refuse(Errc::kInvalid, ": the value is too large for the term ", key);
  }
  return {};
}

/// Reads the terms of the event file events/NAME. Returns false if there is no such file: the name
/// may be a term.
Result<bool> Reader::NamedEvent(std::string_view name) noexcept {
  const SysfsFile file(Path("events", name).c_str());
  if (file.error() != 0) return false;
  if (has_event_file_) return Refuse(Errc::kInvalid, " names two events; the second is ", name);
  has_event_file_ = true;
  const Result<void> read = Terms(Trimmed(file.view()), true);
  if (!read) return read.error();
  const SysfsFile scale(Path("events", name, ".scale").c_str());
  if (scale.error() == 0) event_.scale.Add(Trimmed(scale.view()));
  const SysfsFile unit(Path("events", name, ".unit").c_str());
  if (unit.error() == 0) event_.unit.Add(Trimmed(unit.view()));
  return true;
}

Result<void> Reader::Term(std::string_view term, bool from_file) noexcept {
  std::string_view text = term;
  const std::string_view key = NextToken(text, '=');
  const bool has_value = key.size() < term.size();
  if (!IsPlainName(key)) return Refuse(Errc::kInvalid, " has a term with an invalid name: ", term);
  // In an event file a word is always a term: event files do not refer to each other.
  if (!has_value && !from_file) {
    const Result<bool> named = NamedEvent(key);
    if (!named) return named.error();
    if (*named) return {};
  }
  // In a file, "domain=?" is a term that the user must give. Its bits stay 0 otherwise.
  if (from_file && text == "?") return {};
  std::uint64_t value = 1;  // a term without a value means 1
  if (has_value) {
    const Result<std::uint64_t> number = ParseValue(text);
    if (!number) return Refuse(Errc::kInvalid, " has a term whose value is not a number: ", term);
    value = *number;
  }
  // perf's terms for whole config words, which need no format file.
  constexpr std::string_view kWords[] = {"config", "config1", "config2"};
  for (unsigned word = 0; word < 3; ++word) {
    if (key == kWords[word]) return Set(key, value, {word, ~std::uint64_t{0}}, from_file);
  }
  // perf's term for the sampling period.
  if (key == "period" && has_value) {
    event_.period = value;
    return {};
  }
  // Only the formats of terms that are used are read, so an unknown format of another term does no
  // harm.
  const SysfsFile file(Path("format", key).c_str());
  if (file.error() != 0) {
    return Refuse(Errc::kNoEvent,
                  has_value ? ": the PMU has no term " : ": the PMU has no event or term ", key);
  }
  const Result<SysfsField> field = ParseSysfsFormat(Trimmed(file.view()));
  if (!field) {
    return Refuse(Errc::kUnsupported, ": the kernel's format of this term is not supported: ", key);
  }
  return Set(key, value, *field, from_file);
}

Result<void> Reader::Terms(std::string_view terms, bool from_file) noexcept {
  if (terms.empty()) {
    Complain().Add(" has no terms between its two '/'");
    return kNotPerfs;
  }
  while (!terms.empty()) {
    const Result<void> read = Term(NextToken(terms, ','), from_file);
    if (!read) return read;
  }
  return {};
}

Result<void> Reader::Read() noexcept {
  if (const Result<void> pmu = Pmu(); !pmu) return pmu;
  if (const Result<void> terms = Terms(terms_, false); !terms) return terms;
  event_.config = words_[0];
  event_.config1 = words_[1];
  event_.config2 = words_[2];
  return {};
}

}  // namespace

bool ReadPmuType(const char* devices, std::string_view pmu, std::uint32_t& type) noexcept {
  Text<256> path;
  path.Add(devices).Add('/').Add(pmu).Add("/type");
  const SmallFile<32> file(path.c_str());
  const Result<std::uint64_t> number = ParseUnsigned(Trimmed(file.view()));
  if (file.error() != 0 || !number) return false;
  type = static_cast<std::uint32_t>(*number);
  return true;
}

bool IsSysfsName(std::string_view name) noexcept {
  for (char c : name) {
    if (c == '/') return true;
  }
  return false;
}

std::string_view NextListedEvent(std::string_view& list) noexcept {
  bool inside = false;
  std::size_t size = 0;
  for (; size < list.size(); ++size) {
    if (list[size] == '/') inside = !inside;
    if (list[size] == ',' && !inside) break;
  }
  // After a single '/', each comma ends an event: the complaint about the missing '/' should quote
  // that event and not the rest of the list.
  if (inside) return NextToken(list, ',');
  const std::string_view first(list.data(), size);
  list.remove_prefix(size < list.size() ? size + 1 : size);
  return first;
}

Result<SysfsField> ParseSysfsFormat(std::string_view text) noexcept {
  constexpr Error kBad{Errc::kInvalid, 0, "format of a PMU's term"};
  const std::string_view word = NextToken(text, ':');
  SysfsField field;
  if (word == "config1") {
    field.word = 1;
  } else if (word == "config2") {
    field.word = 2;
  } else if (word != "config") {
    return kBad;
  }
  std::uint64_t highest = 0;
  bool any = false;
  while (!text.empty()) {
    std::string_view last = NextToken(text, ',');
    const std::string_view first = NextToken(last, '-');
    const Result<std::uint64_t> low = ParseUnsigned(first);
    // A single bit is written as "21", a range as "0-7".
    const Result<std::uint64_t> high = ParseUnsigned(last.empty() ? first : last);
    // Bit ranges must ascend, in the order in which the value's bits fill them.
    if (!low || !high || *high > 63 || *low > *high || (any && *low <= highest)) return kBad;
    for (std::uint64_t bit = *low; bit <= *high; ++bit) field.mask |= std::uint64_t{1} << bit;
    highest = *high;
    any = true;
  }
  if (!any) return kBad;
  return field;
}

Result<SysfsEvent> EncodeSysfsEvent(std::string_view name, EventComplaint& complaint,
                                    const char* devices) noexcept {
  SysfsEvent event;
  Reader reader(name, devices, event, complaint);
  const Result<void> read = reader.Read();
  if (!read) return read.error();
  return event;
}

}  // namespace csink
