#include "core/events/pfm_library.h"

#include <dlfcn.h>

#include <cstdlib>

#include "core/events/cpu_tables.h"
#include "core/events/event_alias.h"
#include "core/events/event_text.h"
#include "core/util/parse.h"

// File: libpfm4 is opened by dlopen and its functions are stored in a struct. Where this processor
// has tables, a second struct holds functions of this file (Combined...): each looks whether an
// index or name is a table's, answers for the tables, and passes everything else to libpfm4. Both
// number events by PMU << 21 | number, so an index tells whose event it is.

namespace csink {
namespace {

enum class State : unsigned char { kNotTried, kLoaded, kMissing };
State g_state = State::kNotTried;  ///< Of libpfm4
PfmLibrary g_libpfm4;
// Get was called; g_library is its answer, which may be null.
bool g_joined = false;
const PfmLibrary* g_library = nullptr;

// Looks up one function. Returns false if this libpfm4 lacks it.
template <class F>
bool Bind(void* handle, const char* name, F& function) noexcept {
  function = reinterpret_cast<F>(dlsym(handle, name));
  return function != nullptr;
}

// RTLD_LOCAL keeps libpfm4's symbols out of the program's symbol resolution. The handle is not
// closed after a failure either.
bool Load(PfmLibrary& pfm) noexcept {
  // By name, not linked: programs and the agent work without libpfm4.
  void* handle = dlopen("libpfm.so.4", RTLD_NOW | RTLD_LOCAL);
  return handle && Bind(handle, "pfm_initialize", pfm.initialize) &&
         Bind(handle, "pfm_strerror", pfm.strerror) &&
         Bind(handle, "pfm_get_pmu_info", pfm.get_pmu_info) &&
         Bind(handle, "pfm_get_event_next", pfm.get_event_next) &&
         Bind(handle, "pfm_find_event", pfm.find_event) &&
         Bind(handle, "pfm_get_event_info", pfm.get_event_info) &&
         Bind(handle, "pfm_get_event_attr_info", pfm.get_event_attr_info) &&
         Bind(handle, "pfm_get_os_event_encoding", pfm.get_os_event_encoding) &&
         pfm.initialize() == PFM_SUCCESS;
}

// The functions below join libpfm4 and the tables. An event's index is PMU << 21 | number, in
// libpfm4 as well as here. The state is global, since libpfm4's functions have no context argument.
constexpr int kPmuShift = 21;

// libpfm4; its functions are null where it is missing.
PfmLibrary g_own;
PfmLibrary g_combined;
PresentTables g_tables;
/// By table: the PMU of libpfm4 that the table replaces; -1: none.
int g_hidden[kMostPresentTables] = {};

/// The table and number of an event.
struct Place {
  const PresentTable* present = nullptr;  ///< nullptr: the event is libpfm4's
  std::size_t number = 0;
  explicit operator bool() const noexcept { return present != nullptr; }
};

// The table of a PMU number; nullptr: the PMU is libpfm4's.
const PresentTable* TableOfPmu(int pmu) noexcept {
  const int number = pmu - PfmLibrary::kFirstTablePmu;
  if (number < 0 || static_cast<std::size_t>(number) >= g_tables.count) return nullptr;
  return &g_tables.tables[static_cast<std::size_t>(number)];
}

// The index by which table event `event` of table `table` is known outside.
int IndexOf(std::size_t table, std::size_t event) noexcept {
  return (PfmLibrary::kFirstTablePmu + static_cast<int>(table)) << kPmuShift |
         static_cast<int>(event);
}

// Which table event an index stands for. Negative indices are libpfm4's errors.
Place PlaceOf(int index) noexcept {
  if (index < 0) return {};
  Place place;
  place.present = TableOfPmu(index >> kPmuShift);
  place.number = static_cast<std::size_t>(index & ((1 << kPmuShift) - 1));
  if (place && place.number >= TableView(*place.present->table).size()) place.present = nullptr;
  return place;
}

/// The index of the table event that "pmu::EVENT.MASK:..." names; -1: there is none. Without a PMU
/// the first table with an event of that name is taken, in the order of PMUs.
int FindTableEvent(const EventText& event) noexcept {
  std::string_view rest = event.base;
  const std::string_view name = NextToken(rest, '.');
  for (std::size_t i = 0; i < g_tables.count; ++i) {
    const EventTable& table = *g_tables.tables[i].table;
    if (!event.pmu.empty() && !EqualsIgnoringCase(event.pmu, table.name)) continue;
    const TableView view(table);
    const std::size_t number = view.Find(name);
    if (number < view.size()) return IndexOf(i, number);
  }
  return -1;
}

// Whether a table replaces this PMU of libpfm4. It is shown as absent; its number stays valid.
bool IsHidden(int pmu) noexcept {
  for (std::size_t i = 0; i < g_tables.count; ++i) {
    if (g_hidden[i] == pmu) return true;
  }
  return false;
}

// Without libpfm4 there is no text for its codes. The texts of complaints do not depend on it.
const char* CombinedError(int code) {
  if (g_own.strerror) return g_own.strerror(code);
  return "libpfm4 cannot be loaded";
}

pfm_err_t CombinedPmuInfo(pfm_pmu_t pmu, pfm_pmu_info_t* info) {
  const PresentTable* present = TableOfPmu(static_cast<int>(pmu));
  if (!present) {
    if (!g_own.get_pmu_info) return PFM_ERR_NOTSUPP;
    const pfm_err_t code = g_own.get_pmu_info(pmu, info);
    if (code == PFM_SUCCESS && IsHidden(static_cast<int>(pmu))) info->is_present = 0;
    return code;
  }
  const EventTable& table = *present->table;
  info->name = table.name;
  info->desc = table.text;
  // WithTables makes the numbers follow each other from kFirstTablePmu on, in the order of
  // g_tables.
  info->pmu = pmu;
  info->type = table.arch == TableArch::kAmdL3 ? PFM_PMU_TYPE_UNCORE : PFM_PMU_TYPE_CORE;
  info->nevents = static_cast<int>(TableView(table).size());
  info->first_event = static_cast<int>(pmu) << kPmuShift;
  // The words that an encoding fills: config and config1.
  info->max_encoding = 2;
  info->num_cntrs = table.counters;
  info->num_fixed_cntrs = table.fixed;
  // A table was chosen because the processor has the PMU, or because the user forced it.
  info->is_present = 1;
  return PFM_SUCCESS;
}

int CombinedEventNext(int index) {
  // -1 behind the last event of a table: ForEachPfmEvent lists one PMU at a time.
  if (!PlaceOf(index)) return g_own.get_event_next ? g_own.get_event_next(index) : -1;
  return PlaceOf(index + 1) ? index + 1 : -1;
}

int CombinedFindEvent(const char* text) {
  const int index = FindTableEvent(SplitEvent(text));
  if (index >= 0) return index;
  return g_own.find_event ? g_own.find_event(text) : PFM_ERR_NOTFOUND;
}

pfm_err_t CombinedEventInfo(int index, pfm_os_t os, pfm_event_info_t* info) {
  const Place place = PlaceOf(index);
  if (!place) return g_own.get_event_info ? g_own.get_event_info(index, os, info) : PFM_ERR_INVAL;
  const EventTable& table = *place.present->table;
  const TableView view(table);
  const TableEvent& event = view[place.number];
  info->name = NameOf(event);
  info->desc = nullptr;  // WordsOfName makes a description from the name
  // libpfm4's way to say that the event is another name of `equiv`.
  info->equiv = event.same_as == place.number ? nullptr : NameOf(view[event.same_as]);
  info->pmu = static_cast<pfm_pmu_t>(index >> kPmuShift);
  info->dtype = PFM_DTYPE_UINT64;
  info->idx = index;
  info->code = event.code;
  info->is_precise = (event.flags & kPrecise) != 0;
  // Attributes are numbered through: unit masks first, then the modifiers that the event has.
  info->nattrs = event.masks;
  const std::uint32_t modifiers = ModifiersOf(table, event);
  for (std::size_t i = 0; TableModifierAt(i); ++i) info->nattrs += modifiers >> i & 1;
  return PFM_SUCCESS;
}

pfm_err_t CombinedAttributeInfo(int index, int attribute, pfm_os_t os,
                                pfm_event_attr_info_t* info) {
  const Place place = PlaceOf(index);
  if (!place) {
    return g_own.get_event_attr_info ? g_own.get_event_attr_info(index, attribute, os, info)
                                     : PFM_ERR_INVAL;
  }
  const EventTable& table = *place.present->table;
  const TableView view(table);
  const TableEvent& event = view[place.number];
  if (attribute < 0) return PFM_ERR_INVAL;
  if (attribute < event.masks) {
    const TableMask& mask = MasksOf(event)[attribute];
    info->name = NameOf(mask);
    info->equiv = mask.same_as != 0 ? kTableNames + mask.same_as : nullptr;
    info->type = PFM_ATTR_UMASK;
    info->ctrl = PFM_ATTR_CTRL_PMU;
    info->idx = static_cast<std::uint64_t>(attribute);
    // As libpfm4 reports it: without the event code in the low byte.
    const bool whole = mask.flags & kReplacesCode || event.flags & kExtraRegister;
    info->code = whole ? mask.code() : mask.code() >> 8;
    info->is_dfl = (mask.flags & kMaskDefault) != 0;
    info->is_precise = (mask.flags & kPrecise) != 0;
    return PFM_SUCCESS;
  }
  // The modifier whose number among the event's own modifiers is `left`.
  int left = attribute - event.masks;
  const std::uint32_t modifiers = ModifiersOf(table, event);
  for (std::size_t i = 0; const TableModifier* modifier = TableModifierAt(i); ++i) {
    if (!(modifiers >> i & 1) || left-- != 0) continue;
    info->name = modifier->name;
    info->desc = modifier->text;
    info->type = modifier->is_integer ? PFM_ATTR_MOD_INTEGER : PFM_ATTR_MOD_BOOL;
    info->ctrl = modifier->is_kernels ? PFM_ATTR_CTRL_PERF_EVENT : PFM_ATTR_CTRL_PMU;
    info->code = modifier->index;
    info->idx = static_cast<std::uint64_t>(attribute);
    return PFM_SUCCESS;
  }
  return PFM_ERR_INVAL;
}

/// Where libpfm4 has a PMU with a table's name, the one with more events is used,
/// the table where both have as many (docs/design/events.md). A table that loses is dropped;
/// libpfm4's PMU is hidden if the table wins. g_hidden is indexed as the remaining tables are.
void HideSmaller(const PfmLibrary& own) noexcept {
  PresentTables kept;
  for (std::size_t i = 0; i < g_tables.count; ++i) {
    const PresentTable& present = g_tables.tables[i];
    int hidden = -1;
    const bool wins = ForEachPmu(own, [&](int number, const pfm_pmu_info_t& pmu) {
      if (!pmu.is_present || !EqualsIgnoringCase(pmu.name, present.table->name)) return true;
      hidden = number;
      // Stops at libpfm4's PMU of this name, if it has more events than the table: the result is
      // then false.
      return static_cast<std::size_t>(pmu.nevents) <= TableView(*present.table).size();
    });
    if (!wins) continue;
    g_hidden[kept.count] = hidden;
    kept.tables[kept.count++] = present;
  }
  g_tables = kept;
}

}  // namespace

const PfmLibrary* PfmLibrary::Libpfm4() noexcept {
  if (g_state == State::kNotTried) g_state = Load(g_libpfm4) ? State::kLoaded : State::kMissing;
  return g_state == State::kLoaded ? &g_libpfm4 : nullptr;
}

const PfmLibrary* PfmLibrary::Get() noexcept {
  if (!g_joined) g_library = WithTables(Libpfm4(), CpuFacts::Read());
  g_joined = true;
  return g_library;
}

const PfmLibrary* PfmLibrary::WithTables(const PfmLibrary* own, const CpuFacts& cpu) noexcept {
  // Set before the functions of this file may be called: they read these variables.
  g_tables = TablesOf(cpu);
  g_own = own ? *own : PfmLibrary{};
  for (int& hidden : g_hidden) hidden = -1;
  if (own) HideSmaller(*own);
  // Without tables nothing is replaced, and libpfm4's functions are called directly.
  if (g_tables.count == 0) return own;
  g_combined = g_own;
  g_combined.strerror = &CombinedError;
  g_combined.get_pmu_info = &CombinedPmuInfo;
  g_combined.get_event_next = &CombinedEventNext;
  g_combined.find_event = &CombinedFindEvent;
  g_combined.get_event_info = &CombinedEventInfo;
  g_combined.get_event_attr_info = &CombinedAttributeInfo;
  g_combined.has_tables = true;
  return &g_combined;
}

bool PfmLibrary::Pmu(int number, pfm_pmu_info_t& info) const noexcept {
  // `size` tells libpfm4 which version of the struct the caller has (man page pfm_get_pmu_info).
  info = pfm_pmu_info_t{};
  info.size = sizeof(info);
  return get_pmu_info(static_cast<pfm_pmu_t>(number), &info) == PFM_SUCCESS && info.name;
}

void PfmLibrary::Encode(const char* event, int levels, PfmEncoding& answer) const noexcept {
  if (has_tables) {
    const EventText text = SplitEvent(event);
    // A string with a rate ('@') is not libpfm4's syntax, so libpfm4 refuses it below.
    answer.event = text.has_rate ? -1 : FindTableEvent(text);
    if (const Place place = PlaceOf(answer.event)) {
      // The text behind the name is put into one string, whether '.' or ':' separates it.
      std::string_view dotted = text.base;
      const std::string_view name = NextToken(dotted, '.');
      Text<1100> attributes;  // longer than the longest name
      attributes.Add(dotted);
      const bool has_dotted = name.size() < text.base.size();
      if (has_dotted && text.has_attributes) attributes.Add(':');
      attributes.Add(text.attributes);
      answer.code = EncodeTableEvent(*place.present, place.number, attributes.view(),
                                     has_dotted || text.has_attributes, levels, answer);
      // An alias reports the index of the event that it is another name of.
      answer.event &= ~((1 << kPmuShift) - 1);
      answer.event |= TableView(*place.present->table)[place.number].same_as;
      return;
    }
  }
  if (!get_os_event_encoding) {
    answer.code = PFM_ERR_NOTFOUND;
    return;
  }
  char* canonical = nullptr;
  pfm_perf_encode_arg_t arg{};
  arg.attr = &answer.attr;
  arg.fstr = &canonical;
  arg.size = sizeof(arg);
  answer.attr = {};
  answer.attr.size = sizeof(answer.attr);
  answer.code = get_os_event_encoding(event, levels, PFM_OS_PERF_EVENT_EXT, &arg);
  answer.attr.size = sizeof(answer.attr);
  if (answer.code == PFM_SUCCESS) {
    answer.event = arg.idx;
    answer.cpu = arg.cpu;
    if (canonical) answer.canonical.Add(canonical);
  }
  std::free(canonical);  // allocated by libpfm4 with asprintf
}

}  // namespace csink
