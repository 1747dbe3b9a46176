#include "symbolizer/names/lines/compilation_folders.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "symbolizer/names/dwarf/files.h"
#include "symbolizer/names/dwarf/names.h"
#include "symbolizer/names/dwarf/units.h"

namespace csink::symbolizer {
namespace {

using namespace dwarf;  // the forms

/// Reads root DIEs in the order of the section and keeps the folders of wanted line tables, until
/// none is missing.
class FolderReader {
 public:
  FolderReader(const ElfFile& file, DebugFiles* files, std::set<std::uint64_t> wanted)
      // A shared_ptr without ownership: the caller owns the file.
      : object_(std::shared_ptr<const ElfFile>(std::shared_ptr<const ElfFile>(), &file), ""),
        lookup_(object_),
        files_(files),
        wanted_(std::move(wanted)) {}

  void ReadHinted(std::span<const HintedUnit> hinted) {
    std::vector<std::uint64_t> units;
    for (const HintedUnit& unit : hinted) {
      // In the order of .debug_info: the feed goes forward only.
      if (wanted_.contains(unit.lines)) units.push_back(unit.info);
    }
    std::sort(units.begin(), units.end());
    InfoFeed feed(object_.info);
    for (const std::uint64_t unit : units) {
      // The hint is not trusted: it may name an offset inside a unit that was already read.
      if (unit < feed.offset()) continue;
      if (!feed.Skip(unit - feed.offset()) || !ReadNext(feed)) return;
    }
  }
  void ReadAll() {
    InfoFeed feed(object_.info);
    while (!wanted_.empty() && feed.left() != 0 && cost_ < kMaxRootCost) {
      if (!ReadNext(feed)) return;
    }
  }
  FoldersByLines Take() { return std::move(found_); }

 private:
  /// Reads the unit at the feed's position and steps over it. False: no more units can be read.
  bool ReadNext(InfoFeed& feed) {
    auto unit = ReadUnitHeader(feed.Peek(kMaxUnitHeader), feed.offset(), feed.left());
    if (!unit || unit->size == 0) return false;
    cost_ += kCostOfUnit;
    if (ReadRootAhead(*unit, feed, object_.abbrev, cost_) && unit->stmt_list) Keep(*unit);
    return feed.Skip(unit->end() - feed.offset());
  }
  /// Keeps the folder of a unit whose line table is wanted.
  void Keep(const Unit& unit) {
    if (!wanted_.contains(unit.stmt_list.number)) return;
    std::string folder = TextOf(unit);
    // The line table stays wanted: another unit may share it and have the folder.
    if (folder.empty()) return;
    found_[unit.stmt_list.number] = std::move(folder);
    wanted_.erase(unit.stmt_list.number);
  }
  /// The folder of a unit; empty if the unit has none or it cannot be read.
  std::string TextOf(const Unit& unit) {
    if (!IsAlternateText(unit.folder.form)) return lookup_.Text(unit, unit.folder);
    // The supplementary file is opened for the first string that lies in it.
    if (!alternate_ && files_ != nullptr) {
      if (auto file = files_->Alternate()) {
        alternate_ = std::make_unique<DwarfObject>(std::move(file), "");
        alternate_lookup_ = std::make_unique<Lookup>(*alternate_);
      }
    }
    return alternate_lookup_ ? alternate_lookup_->TextAt(unit.folder.number) : std::string();
  }

  DwarfObject object_;
  Lookup lookup_;
  DebugFiles* files_;
  std::unique_ptr<DwarfObject> alternate_;
  std::unique_ptr<Lookup> alternate_lookup_;
  std::set<std::uint64_t> wanted_;
  FoldersByLines found_;
  std::uint64_t cost_ = 0;
};

}  // namespace

FoldersByLines CompilationFolders(const ElfFile& file, DebugFiles* files,
                                  std::span<const HintedUnit> hinted,
                                  std::set<std::uint64_t> wanted) {
  FolderReader reader(file, files, std::move(wanted));
  reader.ReadHinted(hinted);
  // The hint may lack units. This pass ends at once if no folder is missing.
  reader.ReadAll();
  return reader.Take();
}

}  // namespace csink::symbolizer
