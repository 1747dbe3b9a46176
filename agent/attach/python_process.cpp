#include "agent/attach/python_process.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "core/machine/maps.h"
#include "core/util/unique_fd.h"

/// File: symbols are read from the file, since the table of a mapped image has no length. The file
/// is the profiled program's and may be damaged: every read is checked.

namespace csink::attach {
namespace {

// More than any interpreter has.
constexpr std::uint64_t kMostBytes = 64 << 20;
constexpr unsigned kMostHeaders = 4096;
constexpr std::uint64_t kPage = 4096;

bool ReadAt(int fd, std::uint64_t offset, void* out, std::size_t size) {
  return pread(fd, out, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
}

template <class T>
std::optional<std::vector<T>> ReadTable(int fd, std::uint64_t offset, std::uint64_t bytes) {
  if (bytes > kMostBytes) return std::nullopt;
  std::vector<T> rows(bytes / sizeof(T));
  if (!ReadAt(fd, offset, rows.data(), rows.size() * sizeof(T))) return std::nullopt;
  return rows;
}

// The interpreter's symbols in a file, as addresses of the file; nullopt: not there.
std::optional<PythonSymbols> SymbolsIn(int fd, std::uint64_t& first_address) {
  Elf64_Ehdr elf;
  if (!ReadAt(fd, 0, &elf, sizeof elf) || std::memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 ||
      elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_shentsize != sizeof(Elf64_Shdr) ||
      elf.e_shnum > kMostHeaders || elf.e_phentsize != sizeof(Elf64_Phdr)) {
    return std::nullopt;
  }
  const auto parts =
      ReadTable<Elf64_Phdr>(fd, elf.e_phoff, std::uint64_t{elf.e_phnum} * sizeof(Elf64_Phdr));
  const auto sections =
      ReadTable<Elf64_Shdr>(fd, elf.e_shoff, std::uint64_t{elf.e_shnum} * sizeof(Elf64_Shdr));
  if (!parts || !sections) return std::nullopt;
  bool has_first = false;
  for (const Elf64_Phdr& part : *parts) {
    if (part.p_type != PT_LOAD || part.p_offset / kPage != 0) continue;
    first_address = part.p_vaddr & ~(kPage - 1);
    has_first = true;
    break;
  }
  if (!has_first) return std::nullopt;
  for (const Elf64_Shdr& section : *sections) {
    if (section.sh_type != SHT_DYNSYM || section.sh_link >= sections->size()) continue;
    const Elf64_Shdr& texts = (*sections)[section.sh_link];
    const auto symbols = ReadTable<Elf64_Sym>(fd, section.sh_offset, section.sh_size);
    auto names = ReadTable<char>(fd, texts.sh_offset, texts.sh_size);
    if (!symbols || !names) return std::nullopt;
    names->push_back('\0');
    std::uint64_t addresses[std::size(kPythonSymbolNames)] = {};
    for (const Elf64_Sym& symbol : *symbols) {
      if (symbol.st_shndx == SHN_UNDEF || symbol.st_name >= names->size()) continue;
      for (std::size_t i = 0; i < std::size(kPythonSymbolNames); ++i) {
        if (std::strcmp(names->data() + symbol.st_name, kPythonSymbolNames[i]) == 0) {
          addresses[i] = symbol.st_value;
        }
      }
    }
    if (addresses[0] == 0) return std::nullopt;
    PythonSymbols found;
    static_assert(sizeof found == sizeof addresses);
    std::memcpy(&found, addresses, sizeof found);
    return found;
  }
  return std::nullopt;
}

// The begin of a file's mappings.
struct Mapped {
  std::string path;
  std::uint64_t start = 0;
  std::uint64_t inode = 0;
};
// The files that may have an interpreter: the program, and libraries of that name.
struct Candidates {
  std::string program;
  std::vector<Mapped> found;
};

bool Visit(const MapsLine& line, void* arg) noexcept {
  auto& candidates = *static_cast<Candidates*>(arg);
  const std::string_view name = line.path.substr(line.path.rfind('/') + 1);
  if (line.offset != 0 || line.inode == 0 ||
      (line.path != candidates.program && !name.starts_with("libpython3"))) {
    return true;
  }
  candidates.found.push_back({std::string(line.path), line.start, line.inode});
  return true;
}

// The file that the process has mapped. Its path is another user's, who may have put a FIFO or
// another file there.
UniqueFd OpenMapped(const std::string& path, std::uint64_t inode, int flags) {
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags));
  struct stat facts = {};
  if (!fd || fstat(fd.get(), &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_ino != inode) {
    fd.reset();
  }
  return fd;
}

}  // namespace

FoundPython FindPythonIn(const std::string& folder, pid_t pid, PythonInterpreter& interpreter) {
  char program[4096] = {};
  if (readlink((folder + "/exe").c_str(), program, sizeof program - 1) < 0) {
    return FoundPython::kNo;
  }
  Candidates candidates{program, {}};
  (void)ForEachMapping((folder + "/maps").c_str(), Visit, &candidates);
  ProcessMemory memory;
  memory.SetProcess(pid);
  for (const Mapped& mapped : candidates.found) {
    const bool is_program = mapped.path == candidates.program;
    const UniqueFd fd = is_program
                            ? OpenMapped(folder + "/exe", mapped.inode, 0)
                            : OpenMapped(folder + "/root" + mapped.path, mapped.inode, O_NOFOLLOW);
    std::uint64_t first_address = 0;
    auto symbols = fd ? SymbolsIn(fd.get(), first_address) : std::nullopt;
    if (!symbols) continue;
    for (std::uint64_t PythonSymbols::*symbol :
         {&PythonSymbols::version, &PythonSymbols::runtime, &PythonSymbols::code_type,
          &PythonSymbols::text_type, &PythonSymbols::bytes_type, &PythonSymbols::eval}) {
      if ((*symbols).*symbol != 0) (*symbols).*symbol += mapped.start - first_address;
    }
    std::uint64_t version = 0;
    if (!memory.Read(symbols->version, version)) return FoundPython::kUnreadable;
    if (DescribePython(memory, *symbols, interpreter)) return FoundPython::kYes;
  }
  return FoundPython::kNo;
}

}  // namespace csink::attach
