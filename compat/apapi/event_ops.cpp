#include "compat/apapi/event_ops.h"

#include <algorithm>
#include <cstring>

#include "compat/apapi/settings.h"

/// File: event operations from CSV text. The text is split in place, because upstream's callers get
/// strings that point into their buffer and free only that. One malformed line rejects the whole
/// file.

namespace csink::apapi {

namespace {

constexpr int kFieldCount = 11;

/// Splits a line at its delimiters. Returns the number of fields; the first eleven are stored.
int SplitLine(char* line, char delimiter, char** fields) noexcept {
  int count = 0;
  for (char* at = line; at != nullptr; ++count) {
    char* end = std::strchr(at, delimiter);
    if (end != nullptr) *end = 0;
    if (count < kFieldCount) fields[count] = at;
    at = end ? end + 1 : nullptr;
  }
  return count;
}

/// Returns what is wrong with the line, or "".
std::string ParseLine(char* line, char delimiter, apapi_event_ops& ops) {
  char* fields[kFieldCount] = {};
  const int count = SplitLine(line, delimiter, fields);
  for (int i = 0; i < std::min(count, kFieldCount); ++i) {
    // Empty fields are reported before a wrong number of fields: a doubled delimiter causes both.
    if (*fields[i] == 0) return FieldComplaint(i, fields[i], "is empty");
  }
  if (count != kFieldCount) {
    return std::string(count < kFieldCount ? "too few" : "too many") +
           " fields: " + std::to_string(count) + ", 11 are needed, the last one is '" +
           fields[std::min(count, kFieldCount) - 1] + "'";
  }
  return ParseFields(fields, ops);
}

/// Empty lines and comments.
bool IsSkipped(const char* line) noexcept { return *line == 0 || *line == '#'; }

/// Removes a carriage return (line ends of Windows). A line that consists of it alone is kept, and
/// then reported as malformed.
void DropCarriageReturn(char* line) noexcept {
  const std::size_t length = std::strlen(line);
  if (length > 1 && line[length - 1] == '\r') line[length - 1] = 0;
}

// An upper bound of the number of entries, so that the array need not grow: clients free it as one
// block.
std::size_t LinesIn(const char* text) noexcept {
  std::size_t lines = 1;
  for (; *text != 0; ++text) lines += *text == '\n' ? 1 : 0;
  return lines;
}

}  // namespace

bool ParseEventOps(char* text, char delimiter, const char* source, OpsList& ops, std::string& why) {
  // Filled here and moved at the end: `ops` is unchanged on an error.
  OpsList found;
  // One entry more than lines: the end of the list.
  found.entries.reset(
      static_cast<apapi_event_ops*>(std::calloc(LinesIn(text) + 1, sizeof(apapi_event_ops))));
  if (!found.entries) {
    why = "not enough memory";
    return false;
  }
  int number = 0;
  for (char* line = text; line != nullptr;) {
    char* end = std::strchr(line, '\n');
    if (end != nullptr) *end = 0;
    ++number;
    // Tested before the carriage return is removed: a line that has nothing else is malformed.
    if (!IsSkipped(line)) {
      DropCarriageReturn(line);
      const std::string wrong =
          ParseLine(line, delimiter, found.entries[static_cast<std::size_t>(found.count)]);
      if (!wrong.empty()) {
        why = std::string(source) + ":" + std::to_string(number) + ": " + wrong;
        return false;
      }
      ++found.count;
    }
    line = end ? end + 1 : nullptr;
  }
  // The entry that ends the list.
  found.entries[static_cast<std::size_t>(found.count)] = {};
  ops = std::move(found);
  return true;
}

void FindDataTypes(OpsList& ops) {
  if (ops.count == 0) return;
  // Upstream's atime reads the file before it starts PAPI; types would then all be INT64.
  if (PAPI_is_initialized() == PAPI_NOT_INITED) PAPI_library_init(PAPI_VER_CURRENT);
  for (apapi_event_ops* entry = ops.entries.get(); entry->event_name != nullptr; ++entry) {
    // A pattern has no type: its events may have different ones.
    if (std::strchr(entry->event_name, '*') != nullptr) continue;
    int code = 0;
    PAPI_event_info_t info = {};
    const int found = PAPI_event_name_to_code(entry->event_name, &code);
    if (found == PAPI_OK && PAPI_get_event_info(code, &info) == PAPI_OK) {
      entry->data_type = info.data_type;
    } else {
      Warn(std::string("event not found by PAPI: ") + entry->event_name);
    }
  }
}

/// Greedy matching with one point of return: where a character differs, the last '*' takes one more
/// character. The time is at most the product of both lengths.
bool Fits(const char* pattern, const char* text) noexcept {
  const char* star = nullptr;
  const char* retry = nullptr;  // where the text that the last '*' covers ends so far
  while (*text != 0) {
    if (*pattern == '*') {
      star = pattern++;
      retry = text;
    } else if (*pattern == *text) {
      ++pattern;
      ++text;
    } else if (star != nullptr) {
      pattern = star + 1;
      text = ++retry;
    } else {
      return false;
    }
  }
  while (*pattern == '*') ++pattern;
  return *pattern == 0;
}

/// Two passes over the list: exact names win over patterns wherever they stand.
const apapi_event_ops* FindOps(const apapi_event_ops* list, const char* const* names) noexcept {
  if (list == nullptr) return nullptr;
  // With the first function only equal names fit, with the second one patterns, too.
  using Same = bool (*)(const char*, const char*) noexcept;
  const Same exactly = [](const char* a, const char* b) noexcept { return std::strcmp(a, b) == 0; };
  for (const Same same : {exactly, Same{Fits}}) {
    for (const apapi_event_ops* entry = list; entry->event_name != nullptr; ++entry) {
      for (const char* const* name = names; *name != nullptr; ++name) {
        if (same(entry->event_name, *name)) return entry;
      }
    }
  }
  return nullptr;
}

}  // namespace csink::apapi

int APAPI_read_event_ops_csv(char* input, char delimiter, apapi_event_ops** event_ops,
                             int* num_event_ops) {
  return csink::apapi::AtEdge([&] {
    if (input == nullptr || event_ops == nullptr || num_event_ops == nullptr) return -1;
    csink::apapi::OpsList ops;
    std::string why;
    if (!csink::apapi::ParseEventOps(input, delimiter, "event operations", ops, why)) {
      csink::apapi::Warn(why);
      return -1;
    }
    csink::apapi::FindDataTypes(ops);
    *num_event_ops = ops.count;
    *event_ops = ops.entries.release();
    return 0;
  });
}

int APAPI_read_env_eventops(char** buffer, apapi_event_ops** event_ops, int* num_event_ops) {
  return csink::apapi::AtEdge([&] {
    csink::apapi::ReadSettings();
    const char* path = std::getenv("APAPI_EVENTOPS");
    if (path == nullptr || buffer == nullptr || event_ops == nullptr || num_event_ops == nullptr) {
      return -1;
    }
    std::string why;
    csink::apapi::OpsList ops;
    auto text = csink::apapi::ReadTextFile(path, why);
    if (!text) {
      csink::apapi::Warn("APAPI_EVENTOPS: " + why);
      return 1;
    }
    if (!csink::apapi::ParseEventOps(text.get(), ',', path, ops, why)) {
      csink::apapi::Warn("APAPI_EVENTOPS: " + why);
      return -1;
    }
    csink::apapi::FindDataTypes(ops);
    csink::apapi::Tell("read " + std::to_string(ops.count) + " event operations from " + path);
    *num_event_ops = ops.count;
    *event_ops = ops.entries.release();
    // The strings of the operations point into the text, so the caller frees both.
    *buffer = text.release();
    return 0;
  });
}
