#include "compat/utils/papi_avail/listing.h"

#include <cstdio>

#include "compat/utils/events.h"
#include "compat/utils/text.h"

/// File: papi_avail's tables in the layout of papi-tools 7.0, whose columns and empty lines are
/// kept.

namespace csink::utils::avail {
namespace {

constexpr char kDoubleRule[] =
    "================================================================================";
constexpr char kRule[] =
    "--------------------------------------------------------------------------------";

/// The heads of the two layouts: one line an event, or with -d several.
void PrintTitle(const Listing& listing, const char* title) {
  std::printf("%s\n  %s%s%s\n%s\n", kDoubleRule, Colour().bold, title, Colour().off, kDoubleRule);
  if (listing.detail) {
    std::printf("%-13s%-11s%-8s%-16s\n", "Symbol", "Event Code", "Count", "|Short Description|");
    std::puts(
        " |Long Description|\n |Developer's Notes|\n |Derived|\n |PostFix|\n"
        " Native Code[n]: <hex> |name|");
  } else {
    std::printf("    Name        Code    %sDeriv Description (Note)\n",
                listing.available_only ? "" : "Avail ");
  }
}

/// Prints all of an event. Lines after the first begin with a blank, one for each native event.
void PrintDetail(const PAPI_event_info_t& event) {
  std::printf("%s\t%#x\t%d\t|%s|\n |%s|\n |%s|\n |%s|\n |%s|\n", event.symbol, event.event_code,
              static_cast<int>(event.count), event.short_descr, event.long_descr, event.note,
              event.derived, event.postfix);
  for (unsigned i = 0; i < event.count; ++i) {
    std::printf(" Native Code[%d]: %#x |%s|\n", static_cast<int>(i), event.code[i], event.name[i]);
  }
}

/// A line of the table. Colours stand outside of the padded columns.
void PrintRow(const Listing& listing, const Walk& walk) {
  const PAPI_event_info_t& event = walk.event();
  const char* derived = IsDerived(event) ? "Yes" : "No";
  if (!listing.available_only) {
    std::printf("%-13s%#x  %s%-6s%s%-4s %s", event.symbol, event.event_code,
                walk.available() ? Colour().good : Colour().dim, walk.available() ? "Yes" : "No",
                Colour().off, derived, event.long_descr);
    // An event that is not available leaves an empty line here (see Walk).
  } else if (walk.available()) {
    std::printf("%-13s%#x  %-5s%s", event.symbol, event.event_code, derived, event.long_descr);
  }
  if (event.note[0] != '\0') std::printf(" (%s)", event.note);
  std::putchar('\n');
}

/// Prints an event and counts it. With -a or -c only available events count as possible.
void Print(const Listing& listing, const Walk& walk, Counts& counts) {
  if (listing.detail) {
    // The detail has no empty line for it, unlike the table.
    if (!walk.available() && listing.available_only) return;
    PrintDetail(walk.event());
  } else {
    PrintRow(listing, walk);
  }
  if (walk.available() || !listing.available_only) {
    ++counts.possible;
    counts.derived += IsDerived(walk.event());
  }
  counts.available += walk.available();
}

}  // namespace

Counts PrintEvents(const Listing& listing) {
  Counts counts;
  PrintTitle(listing, "PAPI Preset Events");
  for (Walk presets(listing, PAPI_PRESET_MASK); presets.Next();) Print(listing, presets, counts);
  // User events get their title only if there are any.
  bool titled = false;
  for (Walk users(listing, PAPI_UE_MASK); users.Next();) {
    if (!titled) {
      std::putchar('\n');
      PrintTitle(listing, "User Defined Events");
      titled = true;
    }
    Print(listing, users, counts);
  }
  std::puts(kRule);
  return counts;
}

void PrintCounts(const Listing& listing, const Counts& counts) {
  // The sentences of papi-tools 7.0.
  const char* are = counts.derived == 1 ? "is" : "are";
  if (listing.available_only) {
    std::printf("Of %d available events, %d %s derived.\n\n", counts.available, counts.derived,
                are);
  } else {
    std::printf("Of %d possible events, %d are available, of which %d %s derived.\n\n",
                counts.possible, counts.available, counts.derived, are);
  }
  if (counts.available == 0) {
    std::puts("No events detected!  Check papi_component_avail to find out why.\n");
  }
}

}  // namespace csink::utils::avail
