#include "symbolizer/names/resolve/resolver.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <optional>

#include "symbolizer/names/demangle/clone_suffix.h"
#include "symbolizer/names/demangle/demangle.h"
#include "symbolizer/names/dwarf/files.h"
#include "symbolizer/names/elf/data_symbols.h"
#include "symbolizer/names/elf/direct_calls.h"
#include "symbolizer/names/elf/plt_stubs.h"
#include "symbolizer/names/elf/symbol_table.h"
#include "symbolizer/names/elf/unwind_bounds.h"
#include "symbolizer/names/jit/names.h"
#include "symbolizer/names/kernel/kernel.h"
#include "symbolizer/names/lines/table.h"
#include "symbolizer/names/locate/debug_file.h"
#include "symbolizer/names/locate/module_file.h"
#include "symbolizer/names/resolve/addressing.h"
#include "symbolizer/names/resolve/inline_chains.h"

/// File: one class goes through the steps for a module. Offsets become sorted addresses; the files
/// with symbols and lines are chosen; names come from symbols, then PLT stubs, then unwind entries;
/// lines from the line table; inlined functions, and names that the symbols lack, from .debug_info.
/// Each step sees all addresses, so that each table is read once. At the end the locations are
/// handed out in the order of the offsets.

namespace csink::symbolizer {
namespace {

/// "libfoo.so.5" for a path, "vdso" for "[vdso]".
std::string ShortName(const ModuleRequest& request) {
  if (request.is_vdso) return "vdso";
  const std::size_t slash = request.path.rfind('/');
  std::string name = slash == std::string::npos ? request.path : request.path.substr(slash + 1);
  if (name.size() >= 2 && name.front() == '[' && name.back() == ']') {
    name = name.substr(1, name.size() - 2);
  }
  return name.empty() ? "unknown" : name;
}

/// "[libfoo.so+0x1234]": a name for code without one.
std::string Bracketed(const std::string& module, std::uint64_t vaddr) {
  char number[24];
  std::snprintf(number, sizeof number, "+0x%" PRIx64, vaddr);
  return "[" + module + number + "]";
}

/// The location of code without a name. `vaddr` becomes the function's start, by which rows are
/// grouped: one row for each unwind entry, or for each address.
Location Unnamed(const std::string& module, std::uint64_t vaddr, NameSource source) {
  Location location;
  location.function = Bracketed(module, vaddr);
  location.source = source;
  location.function_vaddr = vaddr;
  location.vaddr = vaddr;
  return location;
}

/// The answer if the module's file cannot be opened: offsets stay offsets.
ModuleAnswer AnswerWithoutFile(const ModuleRequest& request, std::string problem) {
  ModuleAnswer answer;
  answer.problem = std::move(problem);
  const std::string module = ShortName(request);
  for (const std::uint64_t offset : request.file_offsets) {
    answer.locations.push_back(Unnamed(module, offset, NameSource::kNone));
  }
  return answer;
}

/// Whether a debug section begins with a unit of a known version that fits into the section.
bool HasReadableUnit(Bytes section) {
  ByteReader reader(section);
  std::uint64_t length = reader.U32();
  if (length == 0xffffffff) length = reader.U64();
  const std::uint64_t left = reader.left();
  const std::uint16_t version = reader.U16();
  return reader.ok() && length <= left && version >= 2 && version <= 5;
}

/// Resolves one module, step by step.
class Resolution {
 public:
  Resolution(const ModuleRequest& request, const Options& options, const ElfFile& file)
      : request_(request), options_(options), file_(file), module_(ShortName(request)) {}

  ModuleAnswer Run() {
    PlaceOffsets();
    ChooseFiles();
    NameData();
    NameFunctions();
    lines_.assign(vaddrs_.size(), kNoLines);
    if (request_.detail >= Detail::kLines) FindLines();
    ReadInfo();
    return Assemble();
  }

 private:
  /// Converts file offsets to sorted unique addresses. `slot_` has the index of each offset's
  /// address.
  void PlaceOffsets() {
    std::vector<std::optional<std::uint64_t>> placed;
    placed.reserve(request_.file_offsets.size());
    vaddrs_.reserve(request_.file_offsets.size());
    for (const std::uint64_t offset : request_.file_offsets) {
      placed.push_back(AddressAt(file_, offset));
      if (placed.back()) vaddrs_.push_back(*placed.back());
    }
    // Sorted offsets have sorted addresses, unless the file has unusual segments.
    if (!std::is_sorted(vaddrs_.begin(), vaddrs_.end())) std::sort(vaddrs_.begin(), vaddrs_.end());
    vaddrs_.erase(std::unique(vaddrs_.begin(), vaddrs_.end()), vaddrs_.end());
    slot_.reserve(placed.size());
    auto at = vaddrs_.begin();
    for (const auto& vaddr : placed) {
      if (!vaddr) {
        slot_.emplace_back();
        continue;
      }
      // The address behind the one before is tried first.
      if (at == vaddrs_.end() || *at != *vaddr) {
        at = std::lower_bound(vaddrs_.begin(), vaddrs_.end(), *vaddr);
      }
      slot_.emplace_back(static_cast<std::size_t>(at++ - vaddrs_.begin()));
    }
    locations_.resize(vaddrs_.size());
  }

  // Symbols and lines may be in different files: a stripped file with MiniDebugInfo, or a file with
  // symbols whose lines are in its debug file. The debug file is looked for only if something is
  // missing that is wanted.
  void ChooseFiles() {
    const bool has_symtab = HasStaticTable(file_);
    const bool has_lines = file_.HasDebugSection("line");
    if (!request_.is_vdso && (!has_symtab || (!has_lines && request_.detail >= Detail::kLines))) {
      debug_ = FindDebugFile(file_, request_.path, options_.root, options_.fetch, &refused_);
    }
    const bool debug_has_symtab = debug_ && HasStaticTable(debug_->elf);
    if (!has_symtab && !debug_has_symtab) mini_ = ReadMiniDebugInfo(file_);
    static_file_ = has_symtab         ? &file_
                   : debug_has_symtab ? &debug_->elf
                   : mini_            ? &*mini_
                                      : nullptr;
    line_file_ = has_lines                                       ? &file_
                 : debug_ && debug_->elf.HasDebugSection("line") ? &debug_->elf
                                                                 : nullptr;
  }
  static bool HasStaticTable(const ElfFile& file) {
    return std::any_of(file.sections().begin(), file.sections().end(), [](const Elf64_Shdr& s) {
      return s.sh_type == SHT_SYMTAB && s.sh_size > sizeof(Elf64_Sym);
    });
  }

  // From the best to the worst source: a symbol with a size, a PLT stub, a symbol without size, an
  // unwind entry, nothing.
  void NameFunctions() {
    SymbolMatcher matcher(vaddrs_);
    // Always .dynsym, too: exported names and versions are there.
    matcher.Add(file_, SymbolMatcher::Table::kDynamic);
    if (static_file_ != nullptr) matcher.Add(*static_file_, SymbolMatcher::Table::kStatic);
    symbols_ = matcher.Match();
    const auto stubs = MatchPltStubs(file_, static_file_, vaddrs_);
    // Unwind entries are read only for addresses without a sized symbol or stub: the search is
    // expensive.
    std::vector<std::uint64_t> open;
    for (std::size_t i = 0; i < vaddrs_.size(); ++i) {
      if (!IsSized(i) && !stubs[i]) open.push_back(vaddrs_[i]);
    }
    const auto ranges = MatchUnwindEntries(file_, open);
    std::size_t next_open = 0;
    for (std::size_t i = 0; i < vaddrs_.size(); ++i) {
      if (IsSized(i)) {
        TakeSymbol(i);
      } else if (stubs[i]) {
        TakeStub(i, *stubs[i]);
      } else {
        const auto& range = ranges[next_open++];
        // A symbol without a size ends where the unwind table has another function.
        if (symbols_[i] && !(range && range->start > symbols_[i]->start)) {
          TakeSymbol(i);
        } else if (range) {
          locations_[i] = Unnamed(module_, range->start, NameSource::kFde);
        } else {
          locations_[i] = Unnamed(module_, vaddrs_[i], NameSource::kNone);
        }
      }
    }
  }
  bool IsSized(std::size_t i) const { return symbols_[i] && symbols_[i]->is_sized; }

  /// Names variables: "NAME", or "NAME+0x10" inside of an array or structure.
  void NameData() {
    if (request_.data_addresses.empty()) return;
    std::vector<const ElfFile*> files = {&file_};
    if (static_file_ != nullptr && static_file_ != &file_) files.push_back(static_file_);
    for (const auto& hit : MatchDataSymbols(files, request_.data_addresses)) {
      data_names_.emplace_back();
      if (!hit) continue;
      data_names_.back() = Demangle(hit->name);
      if (hit->offset == 0) continue;
      char number[24];
      std::snprintf(number, sizeof number, "+0x%" PRIx64, hit->offset);
      data_names_.back() += number;
    }
  }

  /// Moves the symbol's name.
  void TakeSymbol(std::size_t i) {
    SymbolHit& hit = *symbols_[i];
    Location& location = locations_[i];
    // Addresses are sorted, so the one before is often in the same function: demangle once.
    if (i != 0 && locations_[i - 1].source == NameSource::kSymbol &&
        locations_[i - 1].raw_name == hit.name) {
      location.function = locations_[i - 1].function;
      location.clone = locations_[i - 1].clone;
    } else {
      location.function = Demangle(hit.name);
      location.clone = CloneSuffix(hit.name);
    }
    location.raw_name = std::move(hit.name);
    location.aliases = hit.aliases;
    if (!hit.alternatives.empty()) aliases_.try_emplace(hit.start, std::move(hit.alternatives));
    location.source = NameSource::kSymbol;
    location.function_vaddr = hit.start;
  }
  /// A PLT stub is named after the function that it calls.
  void TakeStub(std::size_t i, const PltHit& stub) {
    locations_[i].function = Demangle(stub.target) + "@plt";
    locations_[i].raw_name = stub.target + "@plt";
    locations_[i].source = NameSource::kPlt;
    locations_[i].function_vaddr = stub.start;
  }

  /// Takes the lines of all addresses from the line table, and notes the borrowed ones.
  void FindLines() {
    if (line_file_ == nullptr) return;
    std::vector<LineHit> hits = MatchLines(*line_file_, vaddrs_, &FilesOf(*line_file_));
    for (std::size_t i = 0; i < hits.size(); ++i) {
      Location& location = locations_[i];
      lines_[i] = hits[i].unit;
      // The row before may belong to another function. A borrowed line from before the function's
      // start is certainly wrong; the others are checked by ReadInfo.
      const bool has_start =
          location.source == NameSource::kSymbol || location.source == NameSource::kFde;
      if (hits[i].is_borrowed) {
        if (has_start && hits[i].row_vaddr < location.function_vaddr) continue;
        borrowed_.push_back({i, hits[i].row_vaddr});
      }
      location.file = std::move(hits[i].file);
      location.line = hits[i].line;
    }
  }

  /// The addresses whose names .debug_info may know better: those of symbols with several names,
  /// and those without a symbol. Reading .debug_info is expensive, so the padding between functions
  /// is left out: it has no unwind entry. In a file without such entries nothing tells it apart.
  std::vector<std::size_t> Unsettled() const {
    const bool has_entries = file_.FindSection(".eh_frame").has_value();
    std::vector<std::size_t> unsettled;
    for (std::size_t i = 0; i < locations_.size(); ++i) {
      const NameSource source = locations_[i].source;
      const bool is_alias = source == NameSource::kSymbol && locations_[i].aliases != 0 &&
                            aliases_.contains(locations_[i].function_vaddr);
      if (is_alias || source == NameSource::kFde || (source == NameSource::kNone && !has_entries)) {
        unsettled.push_back(i);
      }
    }
    return unsettled;
  }

  /// Reads .debug_info: finds inlined functions and names, and checks whether borrowed lines belong
  /// to the same function.
  void ReadInfo() {
    const bool is_own = file_.HasDebugSection("info");
    const ElfFile* info = is_own ? &file_ : debug_ ? &debug_->elf : nullptr;
    if (info == nullptr || !info->HasDebugSection("info")) return;
    // Offsets of line tables can be compared only with units of the same file.
    if (info != line_file_) lines_.assign(vaddrs_.size(), kNoLines);
    const std::vector<std::size_t> unsettled = Unsettled();
    const AddressFacts facts{vaddrs_, lines_, borrowed_, unsettled, aliases_, locations_};
    if (request_.detail >= Detail::kInlines) {
      AddInlines(*info, FilesOf(*info), facts);
    } else {
      SettleNamesAndLines(*info, FilesOf(*info), facts);
    }
  }

  /// Opens the files to which the debug information in `file` refers (`file` is the module or its
  /// debug file).
  DebugFiles& FilesOf(const ElfFile& file) {
    auto& files = &file == &file_ ? own_files_ : debug_files_;
    if (!files) {
      const std::string& path = &file == &file_ ? request_.path : debug_->path;
      files = MakeDebugFiles(file, path, request_.path, options_.root);
    }
    return *files;
  }

  /// True if there is a line table that gave no line and has no readable unit.
  bool IsLineTableDamaged() const {
    if (line_file_ == nullptr || request_.detail < Detail::kLines || vaddrs_.empty()) return false;
    const bool has_line = std::any_of(locations_.begin(), locations_.end(),
                                      [](const Location& location) { return location.line != 0; });
    return !has_line && !HasReadableUnit(line_file_->ReadDebugSection("line").bytes());
  }

  /// The problem for the report; empty: none.
  std::string Problem() const {
    // The vdso is copied from memory. The kernel maps what programs need of it, so that missing
    // parts are not damage.
    if (file_.is_cut() && !request_.is_vdso) return "the file is truncated or damaged";
    if (debug_ && debug_->elf.is_cut()) return "the debug file is truncated or damaged";
    return IsLineTableDamaged() ? "the line table is damaged" : refused_;
  }

  /// Hands the locations out in the order of the offsets.
  ModuleAnswer Assemble() {
    ModuleAnswer answer;
    answer.problem = Problem();
    answer.has_symbols = static_file_ != nullptr || line_file_ != nullptr;
    answer.has_lines = line_file_ != nullptr;
    if (debug_ && (static_file_ == &debug_->elf || line_file_ == &debug_->elf)) {
      answer.debug_file = debug_->path;
    }
    answer.data_names = std::move(data_names_);
    for (const std::string& name : request_.calls_from) {
      answer.called.push_back(DirectCallees(file_, name, 2));
    }
    for (std::size_t i = 0; i < vaddrs_.size(); ++i) locations_[i].vaddr = vaddrs_[i];
    if (HasOwnSlots()) {
      answer.locations = std::move(locations_);
      return answer;
    }
    answer.locations.reserve(slot_.size());
    // Several offsets may have the same address: the last use moves the location, the others copy
    // it.
    std::vector<std::size_t> uses(locations_.size());
    for (const auto& slot : slot_) {
      if (slot) ++uses[*slot];
    }
    for (std::size_t i = 0; i < slot_.size(); ++i) {
      if (!slot_[i]) {
        // An offset outside all segments has no address: the offset itself is shown.
        answer.locations.push_back(Unnamed(module_, request_.file_offsets[i], NameSource::kNone));
      } else if (--uses[*slot_[i]] == 0) {
        answer.locations.push_back(std::move(locations_[*slot_[i]]));
      } else {
        answer.locations.push_back(locations_[*slot_[i]]);
      }
    }
    return answer;
  }

  /// Whether each offset has an address of its own, in the order of the addresses.
  bool HasOwnSlots() const {
    for (std::size_t i = 0; i < slot_.size(); ++i) {
      if (slot_[i] != i) return false;
    }
    return slot_.size() == locations_.size();
  }

  const ModuleRequest& request_;
  const Options& options_;
  const ElfFile& file_;
  std::string module_;
  std::vector<std::uint64_t> vaddrs_;
  std::vector<std::optional<std::size_t>> slot_;
  std::optional<DebugFile> debug_;
  std::string refused_;  ///< Why an existing debug file was not accepted
  std::optional<ElfFile> mini_;
  const ElfFile* static_file_ = nullptr;     ///< Has the .symtab
  const ElfFile* line_file_ = nullptr;       ///< Has .debug_line
  std::unique_ptr<DebugFiles> own_files_;    ///< See FilesOf
  std::unique_ptr<DebugFiles> debug_files_;  ///< For debug_
  std::vector<std::optional<SymbolHit>> symbols_;
  AliasNames aliases_;                   ///< Of the symbols that were taken
  std::vector<std::string> data_names_;  ///< ModuleAnswer::data_names
  std::vector<Location> locations_;      ///< Per address
  std::vector<std::uint64_t> lines_;     ///< LineHit::unit, per address
  std::vector<BorrowedLine> borrowed_;   ///< Lines that do not come from the address's own row
};

}  // namespace

ModuleAnswer ResolveModule(const ModuleRequest& request, const Options& options) {
  if (request.path == kKernelPath) {
    ModuleAnswer answer = ResolveKernel(request, options.root + "/proc/kallsyms");
    AddKernelLines(request, options, ResolveModule, answer);
    AddKernelModuleLines(request, options, ResolveModule, answer);
    return answer;
  }
  if (request.is_anonymous) return ResolveAnonymous(request, options);
  ModuleFile file = OpenModule(request, options);
  if (!file.elf) return AnswerWithoutFile(request, std::move(file.problem));
  return Resolution(request, options, *file.elf).Run();
}

}  // namespace csink::symbolizer
