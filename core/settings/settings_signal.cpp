#include <signal.h>

#include <algorithm>
#include <iterator>

#include "core/settings/settings.h"
#include "core/util/nearest.h"
#include "core/util/parse.h"
#include "core/util/report_format.h"
#include "core/util/signal_name.h"

// The columns of the table that the agent needs, made from kSettings by the compiler: texts as one
// array of bytes with offsets (TextColumn), the rest as small structs (kSmall), and an order by
// name (kByName). Look-ups are linear: there are a few dozen settings, each read once.

namespace csink {
namespace {

static_assert(
    [] {
      for (std::size_t i = 0; i < kSettingCount; ++i) {
        if (static_cast<std::size_t>(kSettings[i].setting) != i) return false;
      }
      return true;
    }(),
    "rows are in the order of the enumerators");
// A column of texts as bytes and offsets: no pointers, so nothing to relocate at each start.
template <auto kColumn>
class TextColumn {
 public:
  static std::string_view At(Setting setting) noexcept {
    const auto i = static_cast<std::size_t>(setting);
    return {kData.bytes + kData.from[i],
            static_cast<std::size_t>(kData.from[i + 1] - kData.from[i])};
  }

 private:
  static constexpr std::size_t kBytes = [] {
    std::size_t bytes = 0;
    for (const SettingRow& row : kSettings) bytes += (row.*kColumn).size();
    return bytes;
  }();
  struct Data {
    char bytes[kBytes];
    std::uint16_t from[kSettingCount + 1];
  };
  static constexpr Data kData = [] {
    Data data = {};
    std::size_t used = 0;
    for (std::size_t i = 0; i < kSettingCount; ++i) {
      for (const char c : kSettings[i].*kColumn) data.bytes[used++] = c;
      data.from[i + 1] = static_cast<std::uint16_t>(used);
    }
    return data;
  }();
};
// Offsets have 16 bits; a column has well below 64 KiB.
using Names = TextColumn<&SettingRow::name>;
using Words = TextColumn<&SettingRow::words>;
using Defaults = TextColumn<&SettingRow::default_value>;

// The columns without texts.
struct Small {
  ValueType type;
  ReadBy read_by;
  InSpool in_spool;
  std::uint16_t most_bytes;
};
struct SmallColumns {
  Small of[kSettingCount];
};
// Wrapped in a struct, because a lambda cannot return an array.
constexpr SmallColumns kSmall = [] {
  SmallColumns columns = {};
  for (std::size_t i = 0; i < kSettingCount; ++i) {
    const SettingRow& row = kSettings[i];
    columns.of[i] = {row.type, row.read_by, row.in_spool, row.most_bytes};
  }
  return columns;
}();

struct Order {
  Setting of[kSettingCount];
};
// Sorted by the compiler, so that nothing is computed at the start of a program.
constexpr Order kByName = [] {
  Order order = {};
  for (std::size_t i = 0; i < kSettingCount; ++i) order.of[i] = kSettings[i].setting;
  std::sort(std::begin(order.of), std::end(order.of),
            [](Setting a, Setting b) { return RowOf(a).name < RowOf(b).name; });
  return order;
}();

// The columns without texts, of one setting.
const Small& SmallOf(Setting setting) noexcept {
  return kSmall.of[static_cast<std::size_t>(setting)];
}

// The kernel or people have another use for the others: SIGURG drains, the faults and SIGABRT end
// the program, a terminal or a batch system ends it by SIGINT and SIGTERM.
bool MayAskForSnapshot(int signal) noexcept {
  for (const int other : {SIGURG, SIGCHLD, SIGINT, SIGTERM, SIGABRT, SIGTRAP, SIGSEGV, SIGBUS,
                          SIGFPE, SIGILL, SIGSYS}) {
    if (signal == other) return false;
  }
  return signal > 0;
}

// "a, b or c".
void AddWords(Expectation& text, std::string_view words) noexcept {
  for (std::size_t i = 0;; ++i) {
    const std::string_view word = WordAt(words, i);
    if (word.empty()) return;
    if (i != 0) text.Add(WordAt(words, i + 1).empty() ? " or " : ", ");
    text.Add(word);
  }
}

}  // namespace

std::string_view NameOf(Setting setting) noexcept { return Names::At(setting); }
ValueType TypeOf(Setting setting) noexcept { return SmallOf(setting).type; }
ReadBy ReadByWhom(Setting setting) noexcept { return SmallOf(setting).read_by; }
InSpool IsInSpool(Setting setting) noexcept { return SmallOf(setting).in_spool; }
std::string_view DefaultOf(Setting setting) noexcept { return Defaults::At(setting); }
Setting SettingByName(std::size_t index) noexcept { return kByName.of[index]; }

// Exact, in upper case, as the environment has it.
std::optional<Setting> FindSetting(std::string_view name) noexcept {
  for (std::size_t i = 0; i < kSettingCount; ++i) {
    const auto setting = static_cast<Setting>(i);
    if (NameOf(setting) == name) return setting;
  }
  return std::nullopt;
}

std::optional<Setting> FindSettingByKey(std::string_view key) noexcept {
  // Capitals are refused, so that each key has one spelling.
  Text<32> capitals;
  if (key.size() >= 31) return std::nullopt;
  for (const char c : key) {
    if (c >= 'A' && c <= 'Z') return std::nullopt;
    capitals.Add(c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c);
  }
  return FindSetting(capitals.view());
}

// `name` may have any case: NearestNames ignores it.
std::optional<Setting> NearestSetting(std::string_view name) noexcept {
  NearestNames<1> nearest(name);
  // In alphabetic order, so that the hint does not depend on the table where two names are equally
  // close.
  for (std::size_t i = 0; i < kSettingCount; ++i) nearest.Offer(NameOf(SettingByName(i)));
  return nearest.count() != 0 ? FindSetting(nearest[0]) : std::nullopt;
}

// The setting is not needed: all yes and no are read alike. The parameter keeps the overloads
// alike.
bool ReadValue(Setting, std::string_view value, bool& result) noexcept {
  const Result<bool> parsed = ParseBool(value);
  if (parsed) result = *parsed;
  return parsed.has_value();
}

bool ReadValue(Setting setting, std::string_view value, std::uint64_t& result) noexcept {
  if (TypeOf(setting) == ValueType::kSignal) {
    const int signal = SignalNumber(value);
    if (!MayAskForSnapshot(signal)) return false;
    result = static_cast<std::uint64_t>(signal);
    return true;
  }
  // kCount and kTime. `result` is left alone on failure, so that a caller's default stays.
  const Result<std::uint64_t> parsed =
      TypeOf(setting) == ValueType::kTime ? ParseDuration(value) : ParseCount(value);
  if (parsed) result = *parsed;
  return parsed.has_value();
}

// Words are compared exactly, in case, too: they are the spellings of the documents.
bool ReadChoice(Setting setting, std::string_view value, unsigned char& index) noexcept {
  // Yes and no take the first two numbers, in front of the words.
  unsigned char first = 0;
  if (TypeOf(setting) == ValueType::kBoolOrWord) {
    first = 2;
    bool yes = false;
    if (ReadValue(setting, value, yes)) {
      index = yes ? 1 : 0;
      return true;
    }
  }
  const std::string_view words = Words::At(setting);
  // The list of words is one text; WordAt finds the i-th word, "" behind the last one.
  for (unsigned char i = 0;; ++i) {
    const std::string_view word = WordAt(words, i);
    if (word.empty()) return false;
    if (word != value) continue;
    index = static_cast<unsigned char>(first + i);
    return true;
  }
}

bool IsUsable(Setting setting, std::string_view value) noexcept {
  bool yes = false;
  std::uint64_t number = 0;
  unsigned char index = 0;
  switch (TypeOf(setting)) {
    case ValueType::kBool:
      return ReadValue(setting, value, yes);
    case ValueType::kBoolOrWord:
    case ValueType::kWord:
      return ReadChoice(setting, value, index);
    case ValueType::kCount:
    case ValueType::kTime:
    case ValueType::kSignal:
      return ReadValue(setting, value, number);
    case ValueType::kBoolOrFolder:
      // A relative folder would depend on where the program is when it uses the folder.
      return ReadValue(setting, value, yes) || value.starts_with('/');
    default:
      return SmallOf(setting).most_bytes == 0 || value.size() <= SmallOf(setting).most_bytes;
  }
}

// The words of each type, for "expected ...". Lists of words are those of the row.
Expectation ExpectationOf(Setting setting) noexcept {
  // true and false are accepted, too; the message names the shorter spellings.
  constexpr std::string_view kBools = "1 or 0, yes or no, on or off";
  Expectation text;
  switch (TypeOf(setting)) {
    case ValueType::kBool:
      text.Add(kBools);
      break;
    case ValueType::kBoolOrWord:
      text.Add(kBools).Add(", or ");
      AddWords(text, Words::At(setting));
      break;
    case ValueType::kBoolOrFolder:
      text.Add("1, 0 or the absolute path of a folder");
      break;
    case ValueType::kWord:
      AddWords(text, Words::At(setting));
      break;
    case ValueType::kCount:
      text.Add("a whole number");
      break;
    case ValueType::kTime:
      text.Add("a time: 5, 1.5s, 200ms, 2min");
      break;
    case ValueType::kSignal:
      text.Add("a signal such as USR1, SIGUSR2, RTMIN+3 or 12");
      break;
    default:
      // Only the length of such a text is checked (IsUsable), so this is what was wrong.
      text.Add("a shorter text");
      break;
  }
  return text;
}

std::string_view WriteValue(bool value) noexcept { return value ? "1" : "0"; }

Text<24> WriteValue(Setting setting, std::uint64_t value) noexcept {
  Text<24> text;
  // 0 means "not set" there, which no text expresses.
  if (value == 0 && DefaultOf(setting).empty()) return text;
  text.Number(value);
  if (TypeOf(setting) == ValueType::kTime && value != 0) text.Add("ns");
  return text;
}

std::string_view WriteChoice(Setting setting, unsigned char index) noexcept {
  return WordAt(Words::At(setting), index);
}

}  // namespace csink
