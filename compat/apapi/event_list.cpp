#include "compat/apapi/event_list.h"

#include <cstring>

#include "compat/apapi/include/apapi.h"
#include "compat/apapi/settings.h"

/// File: lists of events in files. A list of all components' events is split into one list for each
/// component, in the form that C programs expect: arrays of pointers into the text.

namespace csink::apapi {

std::vector<char*> SplitEventList(char* text) {
  std::vector<char*> names;
  for (char* line = text; line != nullptr;) {
    char* end = std::strchr(line, '\n');
    if (end != nullptr) *end = 0;
    // Line ends of Windows.
    if (const std::size_t length = std::strlen(line); length != 0 && line[length - 1] == '\r') {
      line[length - 1] = 0;
    }
    // Upstream takes the first line as an event even if it begins with '#'.
    if (*line != 0 && (*line != '#' || line == text)) names.push_back(line);
    line = end ? end + 1 : nullptr;
  }
  return names;
}

bool IsTooShort(const char* text) noexcept { return std::strlen(text) < 5; }

namespace {

/// Index of the first component whose name is a prefix of the event's name; -1: none. Any prefix
/// matches, not only one that ends at a colon: "perf" finds the kernel's events "perf::...".
int ComponentOf(const char* event, char** components) noexcept {
  for (int i = 0; components[i] != nullptr; ++i) {
    if (std::strncmp(event, components[i], std::strlen(components[i])) == 0) return i;
  }
  return -1;
}

/// A list of `count` pointers, all NULL. The caller in C frees it.
MallocPtr<char* []> PointerList(std::size_t count) noexcept {
  // One element more: the NULL that ends the list.
  return MallocPtr<char*[]>(static_cast<char**>(std::calloc(count + 1, sizeof(char*))));
}

using Groups = std::vector<std::vector<char*>>;

/// Reports lines that belong to no component of the list: a misspelt component would otherwise be
/// measured with its default events, without a message. A comment in the first line, which
/// upstream takes as an event, is not reported.
void SayUnused(const std::vector<char*>& unused, char** components, const char* path) {
  std::string measured;
  for (char** name = components; *name != nullptr; ++name) {
    measured.append(measured.empty() ? "" : ", ").append(*name);
  }
  // A list of another machine may have hundreds of lines; ten show what is wrong.
  constexpr std::size_t kMostLines = 10;
  for (std::size_t i = 0; i < unused.size() && i < kMostLines; ++i) {
    Warn(std::string("APAPI_EVENTLIST: ") + path + ": '" + unused[i] +
         "' is ignored: it is an event of no measured component (" +
         (measured.empty() ? "none is measured" : measured) + ")");
  }
  if (unused.size() > kMostLines) {
    Warn(std::string("APAPI_EVENTLIST: ") + path + ": " +
         std::to_string(unused.size() - kMostLines) + " more lines are ignored");
  }
}

/// Events of no component are dropped, as upstream does, and collected in `unused`. Order and
/// duplicates are kept.
Groups GroupByComponent(const std::vector<char*>& names, char** components,
                        std::vector<char*>& unused) {
  std::size_t count = 0;
  while (components[count] != nullptr) ++count;
  Groups groups(count);
  for (char* name : names) {
    const int component = ComponentOf(name, components);
    if (component >= 0) {
      groups[static_cast<std::size_t>(component)].push_back(name);
    } else if (*name != '#') {
      unused.push_back(name);
    }
  }
  return groups;
}

/// Copies the groups that have events into NULL-terminated lists, which callers in C free. False:
/// no memory.
bool ToLists(const Groups& groups, char** components, char**** sorted, char*** used) {
  MallocPtr<char**[]> lists(static_cast<char***>(std::calloc(groups.size() + 1, sizeof(char**))));
  MallocPtr<char*[]> names = PointerList(groups.size());
  if (!lists || !names) return false;
  bool complete = true;
  std::size_t count = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].empty()) continue;
    MallocPtr<char*[]> list = PointerList(groups[i].size());
    complete = list != nullptr;
    if (!complete) break;
    // The pointers alone: the names stay in the text that the caller gets as `buffer`.
    std::memcpy(list.get(), groups[i].data(), groups[i].size() * sizeof(char*));
    lists[count] = list.release();
    names[count++] = components[i];
  }
  *sorted = lists.release();
  *used = names.release();
  // calloc has ended the lists that were made so far.
  if (!complete) APAPI_free_sorted_eventlist(used, sorted);
  return complete;
}

}  // namespace

}  // namespace csink::apapi

int APAPI_read_env_eventlist(char** cmp_list, char** buffer, char**** sorted, char*** used_cmp) {
  return csink::apapi::AtEdge([&] {
    // Upstream's clients may call this function before APAPI_init.
    csink::apapi::ReadSettings();
    const char* path = std::getenv("APAPI_EVENTLIST");
    // A variable that is not set is the usual case: no message.
    if (path == nullptr || cmp_list == nullptr || buffer == nullptr || sorted == nullptr ||
        used_cmp == nullptr) {
      return -1;
    }
    std::string why;
    auto text = csink::apapi::ReadTextFile(path, why);
    if (!text) {
      csink::apapi::Warn("APAPI_EVENTLIST: " + why);
      return 1;
    }
    if (csink::apapi::IsTooShort(text.get())) {
      csink::apapi::Warn(std::string("APAPI_EVENTLIST: ") + path +
                         ": the file contains no event name");
      return -1;
    }
    const auto names = csink::apapi::SplitEventList(text.get());
    std::vector<char*> unused;
    const auto groups = csink::apapi::GroupByComponent(names, cmp_list, unused);
    csink::apapi::SayUnused(unused, cmp_list, path);
    if (!csink::apapi::ToLists(groups, cmp_list, sorted, used_cmp)) {
      return -1;
    }
    csink::apapi::Tell("read " + std::to_string(names.size()) + " event names from " + path);
    *buffer = text.release();
    return 0;
  });
}

/// The names themselves belong to the text and to the caller's list of components.
void APAPI_free_sorted_eventlist(char*** used_cmp, char**** sorted) {
  if (sorted != nullptr && *sorted != nullptr) {
    for (char*** list = *sorted; *list != nullptr; ++list) std::free(*list);
    std::free(*sorted);
    *sorted = nullptr;
  }
  if (used_cmp != nullptr && *used_cmp != nullptr) {
    std::free(*used_cmp);
    *used_cmp = nullptr;
  }
}
