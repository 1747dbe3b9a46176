#include "symbolizer/names/jit/dump.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "symbolizer/names/bytes/free_items.h"
#include "symbolizer/names/jit/perf_map.h"

/// File: one pass over the records keeps, for each function, where its name and lines are. Records
/// have a length, so that unknown ones are stepped over. A lookup goes through the functions from
/// the newest to the oldest, and takes the addresses that are still without a name (FreeItems).

namespace csink::symbolizer {
namespace {

// Constants of jitdump-specification.txt.
constexpr std::uint32_t kMagic = 0x4a695444;  // "JiTD"
constexpr std::uint32_t kMagicSwapped = 0x4454694a;
constexpr std::uint32_t kVersion = 1;
constexpr std::uint64_t kHeaderBytes = 40;
constexpr std::uint64_t kPrefixBytes = 16;  // id, total_size, timestamp
constexpr std::uint64_t kLoadBytes = 40;    // pid, tid, vma, code_addr, code_size, code_index
constexpr std::uint64_t kMoveBytes = 48;    // pid, tid, vma, old, new, code_size, code_index
/// JIT_CODE_LOAD, JIT_CODE_MOVE, JIT_CODE_DEBUG_INFO, JIT_CODE_CLOSE.
enum RecordId : std::uint32_t { kLoad = 0, kMove = 1, kDebugInfo = 2, kClose = 3 };

/// A larger record of lines is not read: it is read as a whole.
constexpr std::uint64_t kMaxLineRecord = 4u << 20;
/// V8 writes line addresses as `perf inject` needs them: shifted by the size of the ELF header that
/// it puts before the code.
constexpr std::uint64_t kInjectedHeader = 0x40;
/// Stands for the file name of the row before (tools/perf/util/genelf_debug.c).
constexpr std::string_view kSameFile = "\xff";

/// Serves small reads at rising offsets from one buffer, without a system call for each.
class Window {
 public:
  explicit Window(const ObjectBytes& object) : object_(object) {}
  /// Exactly `size` bytes, or an empty view.
  Bytes At(std::uint64_t offset, std::uint64_t size) {
    if (offset > object_.size() || size > object_.size() - offset) return {};
    if (offset < start_ || offset + size > start_ + bytes_.size()) {
      start_ = offset;
      bytes_ = object_.Read(offset, std::min(std::max(size, kWindow), object_.size() - offset));
    }
    return bytes_.size() < size ? Bytes() : Part(bytes_.bytes(), offset - start_, size);
  }

 private:
  static constexpr std::uint64_t kWindow = 64u << 10;
  const ObjectBytes& object_;
  std::uint64_t start_ = 0;
  Buffer bytes_;
};

}  // namespace

/// One pass over the heads of all records.
class JitDump::Reader {
 public:
  Reader(JitDump& dump, std::uint64_t first) : dump_(dump), window_(dump.object_), next_(first) {}

  void Run() {
    while (dump_.functions_.size() < kMaxJitFunctions) {
      ByteReader prefix(window_.At(next_, kPrefixBytes));
      const std::uint32_t id = prefix.U32();
      const std::uint64_t bytes = prefix.U32();
      // The JIT may still be writing the last record.
      if (!prefix.ok() || bytes < kPrefixBytes || bytes > dump_.object_.size() - next_) return;
      const std::uint64_t body = next_ + kPrefixBytes;
      next_ += bytes;
      if (id == kLoad) Load(body);
      if (id == kMove) Move(body);
      if (id == kDebugInfo) Lines(body);
      // The last record of a complete file.
      if (id == kClose) return;
    }
  }

 private:
  /// JIT_CODE_LOAD: a new function. Name and code follow the fixed fields.
  void Load(std::uint64_t body) {
    if (next_ - body < kLoadBytes) return;
    ByteReader reader(window_.At(body, kLoadBytes));
    // pid and tid, vma.
    reader.Skip(8 + 8);
    Function function{};
    function.start = function.origin = reader.U64();
    function.bytes = reader.U64();
    const std::uint64_t index = reader.U64();
    function.at = body + kLoadBytes;
    function.end = next_;
    // The record with the lines (JIT_CODE_DEBUG_INFO) precedes the record of the function.
    if (lines_of_ == function.start) {
      function.lines = lines_;
      function.lines_end = lines_end_;
    }
    // A record of lines belongs to the next function only.
    lines_of_ = lines_ = 0;
    if (!reader.ok() || !IsRange(function)) return;
    by_index_[index] = dump_.functions_.size();
    dump_.functions_.push_back(function);
  }
  /// JIT_CODE_MOVE: the function with this index has another address from here on.
  void Move(std::uint64_t body) {
    if (next_ - body < kMoveBytes) return;
    ByteReader reader(window_.At(body, kMoveBytes));
    reader.Skip(8 + 8 + 8);
    const std::uint64_t to = reader.U64();
    reader.U64();
    // The index names the function, which the JIT moved.
    const auto known = by_index_.find(reader.U64());
    if (!reader.ok() || known == by_index_.end()) return;
    Function function = dump_.functions_[known->second];
    // Name, code and lines stay those of the first record; `origin` is still the address at which
    // the function was made.
    function.start = to;
    if (IsRange(function)) dump_.functions_.push_back(function);
  }
  /// JIT_CODE_DEBUG_INFO: where the lines of the next function are. They are read if it was
  /// sampled.
  void Lines(std::uint64_t body) {
    ByteReader reader(window_.At(body, 8));
    lines_of_ = reader.U64();
    lines_ = reader.ok() && next_ - body >= 8 ? body + 8 : 0;
    lines_end_ = next_;
    if (lines_ == 0) lines_of_ = 0;
  }
  // Not empty, and not beyond the last address.
  static bool IsRange(const Function& function) {
    return function.bytes != 0 && function.start + (function.bytes - 1) >= function.start;
  }

  JitDump& dump_;
  Window window_;
  std::uint64_t next_;
  std::uint64_t lines_of_ = 0;
  std::uint64_t lines_ = 0;
  std::uint64_t lines_end_ = 0;
  std::unordered_map<std::uint64_t, std::size_t> by_index_;
};

Result<JitDump> JitDump::Read(ObjectBytes object) {
  JitDump dump(std::move(object));
  const Buffer head = dump.object_.Read(0, kHeaderBytes);
  ByteReader reader(head.bytes());
  const std::uint32_t magic = reader.U32();
  const std::uint32_t version = reader.U32();
  const std::uint64_t header_bytes = reader.U32();
  reader.Skip(4 + 4);
  dump.pid_ = reader.U32();
  if (magic == kMagicSwapped || (magic == kMagic && version != kVersion)) {
    return Error{Errc::kUnsupported, 0, "has another byte order or version"};
  }
  if (!reader.ok() || magic != kMagic || header_bytes < kHeaderBytes) {
    return Error{Errc::kCorrupt, 0, "is not a jitdump file"};
  }
  if (header_bytes <= dump.object_.size()) Reader(dump, header_bytes).Run();
  return dump;
}

std::string JitDump::Name(const Function& function) const {
  const std::uint64_t room =
      std::min<std::uint64_t>(function.end - function.at, kMaxPerfMapName + 1);
  const Buffer bytes = object_.Read(function.at, room);
  const auto* text = reinterpret_cast<const char*>(bytes.bytes().data());
  const std::string_view all(text, bytes.size());
  return PrintableName(all.substr(0, all.find('\0')));
}

/// The line record of one function. It is read once for all PCs in the function.
struct JitDump::Lines {
  struct Row {
    std::uint64_t at;  ///< Offset from the function's start
    std::uint32_t line;
    std::string_view file;
  };
  Buffer record;
  std::vector<Row> rows;

  void Find(std::uint64_t at, JitMatch& match) const {
    // The last of the rows with the largest offset that is not above `at`. Rows may be in any
    // order.
    const Row* best = nullptr;
    for (const Row& row : rows) {
      if (row.at <= at && (best == nullptr || row.at >= best->at)) best = &row;
    }
    if (best == nullptr || best->line == 0) return;
    match.line = best->line;
    match.file = PrintableName(best->file);
  }
};

JitDump::Lines JitDump::ReadLines(const Function& function) const {
  Lines lines;
  if (function.lines == 0 || function.lines_end - function.lines > kMaxLineRecord) return lines;
  lines.record = object_.Read(function.lines, function.lines_end - function.lines);
  ByteReader reader(lines.record.bytes());
  std::string_view file;
  bool is_behind_header = true;
  bool is_beyond = false;
  const std::uint64_t count = reader.U64();
  for (std::uint64_t i = 0; i < count && !reader.AtEnd(); ++i) {
    // Addresses are those at which the function was made, also after a move.
    Lines::Row row{reader.U64() - function.origin, reader.U32(), {}};
    reader.U32();  // discriminator
    const std::string_view name = reader.Text();
    if (!reader.ok()) break;
    if (name != kSameFile) file = name;
    row.file = file;
    is_behind_header = is_behind_header && row.at >= kInjectedHeader;
    is_beyond = is_beyond || row.at >= function.bytes;
    lines.rows.push_back(row);
  }
  // V8's shift: no row lies before the header, and a row lies behind the end of the function.
  if (is_behind_header && is_beyond) {
    for (Lines::Row& row : lines.rows) row.at -= kInjectedHeader;
  }
  return lines;
}

std::vector<JitMatch> JitDump::Find(const std::vector<std::uint64_t>& pcs) const {
  std::vector<JitMatch> matches(pcs.size());
  FreeItems unknown(pcs.size());
  // From the newest record to the oldest, because the newest function at an address wins.
  for (auto function = functions_.rbegin(); function != functions_.rend(); ++function) {
    const auto first = static_cast<std::size_t>(
        std::lower_bound(pcs.begin(), pcs.end(), function->start) - pcs.begin());
    // The last byte, not the end, which may be 2^64.
    const std::uint64_t last_pc = function->start + (function->bytes - 1);
    std::size_t i = unknown.From(first);
    // Name and lines are read only for functions that were sampled.
    if (i >= pcs.size() || pcs[i] > last_pc) continue;
    const std::string name = Name(*function);
    const Lines lines = ReadLines(*function);
    for (; i < pcs.size() && pcs[i] <= last_pc; i = unknown.From(i)) {
      matches[i] = {name, function->start, function->bytes, {}, 0};
      lines.Find(pcs[i] - function->start, matches[i]);
      unknown.Take(i);
    }
  }
  return matches;
}

std::optional<JitDump> OpenJitDump(const std::string& path, const PerfMapOwner& owner,
                                   std::string& problem) {
  OwnedFile file = OpenOwned(path, owner, kMaxJitDumpBytes);
  if (!file.fd) {
    // No dump at this place: what was wrong at another one stays.
    if (!file.problem.empty()) problem = std::move(file.problem);
    return std::nullopt;
  }
  auto dump = JitDump::Read(ObjectBytes::FromFile(std::move(file.fd), file.bytes));
  if (!dump) {
    problem = path + " " + dump.error().what;
    return std::nullopt;
  }
  // The path is from a mapping, and a program may map the dump of another process.
  if (dump->pid() != owner.pid) {
    problem = path + " belongs to another process";
    return std::nullopt;
  }
  return std::move(*dump);
}

}  // namespace csink::symbolizer
