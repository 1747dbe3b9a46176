#include "symbolizer/commands/inspect/symbolize_command.h"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "symbolizer/commands/console/exit_codes.h"
#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/inspect/address_input.h"
#include "symbolizer/commands/inspect/frame_writer.h"
#include "symbolizer/names/elf/file.h"
#include "symbolizer/names/elf/linked_object.h"
#include "symbolizer/names/resolve/addressing.h"

/// File: `csink symbolize`. Addresses are converted to places (resolve/addressing.h), resolved in
/// batches as they arrive, and written in the order of the input. Object files and kernel modules
/// are linked in memory first (elf/linked_object.h), because all their sections begin at address 0.

namespace csink::tool {
namespace {

using symbolizer::ElfFile;
using symbolizer::Location;

/// The file whose addresses are resolved, opened once to convert addresses. The resolver opens it
/// again for each batch.
class Subject {
 public:
  /// Opens the file. Returns nullopt if it cannot be used; an error was printed.
  static std::optional<Subject> Open(const SymbolizeOptions& options);

  /// The place of a requested address. Returns nullopt if the file contains no code there.
  std::optional<std::uint64_t> Place(std::uint64_t address) const {
    if (!is_object_ && section_.empty()) return symbolizer::PlaceOf(elf_, address);
    // LinkObject has given each section an address of its own.
    const auto vaddr = symbolizer::LinkedAddress(elf_, address, section_);
    return vaddr ? symbolizer::PlaceOf(elf_, *vaddr) : std::nullopt;
  }
  bool is_object() const { return is_object_; }

 private:
  Subject(ElfFile elf, std::string section, bool is_object)
      : elf_(std::move(elf)), section_(std::move(section)), is_object_(is_object) {}

  bool HasSection(const std::string& name) const;

  ElfFile elf_;  ///< Linked, if it is an object file
  std::string section_;
  bool is_object_;
};

/// Reads the file's headers. Core files are refused: they contain memory, not the code of one file.
Result<ElfFile> ReadFile(const std::string& path) {
  auto object = symbolizer::ObjectBytes::Open(path);
  if (!object) return object.error();
  auto elf = ElfFile::Read(std::move(*object));
  if (elf && elf->type() == ET_CORE) {
    return Error{Errc::kUnsupported, 0,
                 "is a core file; give the program that dumped the core file"};
  }
  return elf;
}

std::optional<Subject> Subject::Open(const SymbolizeOptions& options) {
  auto elf = ReadFile(options.module);
  const bool is_object = elf && elf->type() == ET_REL;
  if (elf) elf = symbolizer::LinkObject(std::move(*elf));
  if (!elf) {
    const Error& error = elf.error();
    std::string text = options.module + " " + error.what;
    if (error.sys_errno != 0) text += std::string(" (") + std::strerror(error.sys_errno) + ")";
    Complain(text);
    return std::nullopt;
  }
  Subject subject(std::move(*elf), options.section, is_object);
  if (options.section.empty() || subject.HasSection(options.section)) return subject;
  Complain(options.module + " has no code section named " + options.section);
  return std::nullopt;
}

bool Subject::HasSection(const std::string& name) const {
  for (std::size_t i = 0; i < elf_.sections().size(); ++i) {
    if ((elf_.sections()[i].sh_flags & SHF_EXECINSTR) != 0 && elf_.SectionName(i) == name) {
      return true;
    }
  }
  return false;
}

/// How much of the debug information is needed.
symbolizer::Detail DetailOf(const SymbolizeOptions& options) {
  if (options.inlines) return symbolizer::Detail::kInlines;
  return options.functions ? symbolizer::Detail::kFunctions : symbolizer::Detail::kLines;
}

/// A batch of addresses, and what they resolve to. Each place is resolved once, however often it
/// occurs.
class Batch {
 public:
  /// Collects the places. The resolver requires that they are sorted and unique.
  Batch(const Subject& subject, const std::vector<std::uint64_t>& addresses) : subject_(subject) {
    for (const std::uint64_t address : addresses) {
      if (const auto place = subject.Place(address)) places_.push_back(*place);
    }
    std::sort(places_.begin(), places_.end());
    places_.erase(std::unique(places_.begin(), places_.end()), places_.end());
  }

  /// Resolves all addresses. Returns what is wrong with the file, or "".
  std::string Resolve(const SymbolizeOptions& options, const report::Resolver& resolve) {
    symbolizer::ModuleRequest request;
    request.path = options.module;
    request.detail = DetailOf(options);
    request.file_offsets = places_;
    symbolizer::ModuleAnswer answer = resolve(request);
    locations_ = std::move(answer.locations);
    if (subject_.is_object()) ForgetPlaces();
    if (!answer.problem.empty() || answer.has_symbols) return std::move(answer.problem);
    // The resolver reports no problem for a file that it could read. Without this text the user
    // would not see why all names are missing.
    return "has no symbol table and no debug information";
  }

  /// The location of an address. Returns nullptr if the address is outside of the file.
  const Location* At(std::uint64_t address) const {
    const auto place = subject_.Place(address);
    if (!place) return nullptr;
    const auto at = std::lower_bound(places_.begin(), places_.end(), *place) - places_.begin();
    // Every place of the batch is in places_, and the resolver answers each.
    return &locations_[static_cast<std::size_t>(at)];
  }

 private:
  /// Unnamed code is shown by its address. In an object file this address was made up by
  /// LinkObject, so it is not shown.
  void ForgetPlaces() {
    for (Location& location : locations_) {
      const bool has_name = location.source != symbolizer::NameSource::kNone &&
                            location.source != symbolizer::NameSource::kFde;
      if (!has_name) location.function = "??";
    }
  }

  const Subject& subject_;
  std::vector<std::uint64_t> places_;  ///< Sorted, unique
  std::vector<Location> locations_;    ///< One for each place
};

}  // namespace

int RunSymbolize(const SymbolizeOptions& options, const report::Resolver& resolve) {
  const auto subject = Subject::Open(options);
  if (!subject) return kExitNothing;
  AddressInput input(STDIN_FILENO);
  FrameWriter writer(options.format);
  std::string reported;
  for (std::vector<std::uint64_t> addresses; input.Next(addresses);) {
    Batch batch(*subject, addresses);
    const std::string problem = batch.Resolve(options, resolve);
    // A dialogue has many batches; one warning is enough.
    if (!problem.empty() && problem != reported) Warn(options.module + ": " + problem);
    reported = problem;
    std::string text;
    for (const std::uint64_t address : addresses) writer.Add(address, batch.At(address), text);
    if (!Print(text)) return kExitNothing;
  }
  const bool is_written = Print(writer.End());
  if (!input.problem().empty()) Complain(input.problem());
  return is_written && input.problem().empty() ? 0 : kExitNothing;
}

}  // namespace csink::tool
