#include "agent/threads/started_function.h"

#include <string.h>

#include <atomic>

#include "agent/process/lasting_objects.h"
#include "core/machine/process_memory.h"

/// File: names of types are read by a small part of the grammar of the Itanium C++ ABI (5.1.5,
/// mangled types). What is not part of it ends the search: the virtual function is then the answer.

namespace csink::agent {
namespace {

constexpr std::uint64_t kWord = sizeof(void*);

/// A type as far as the layout of a tuple needs it. Size 0: not known.
struct Type {
  std::size_t size = 0;
  std::size_t align = 0;
  bool is_function = false;  ///< A pointer to a function
  bool is_member = false;    ///< A pointer to a member function
};

std::size_t SizeOfBuiltin(char code) noexcept {
  switch (code) {
    case 'b':
    case 'c':
    case 'a':
    case 'h':
      return 1;
    case 's':
    case 't':
      return 2;
    case 'i':
    case 'j':
    case 'f':
    case 'w':
      return 4;
    case 'l':
    case 'm':
    case 'x':
    case 'y':
    case 'd':
      return 8;
    default:
      return 0;
  }
}

/// Reads types from front to back. Once it fails, it stays failed.
class TypeReader {
 public:
  /// `substitutions`: how many the part of the name before `at` has defined; their types are
  /// unknown.
  TypeReader(const char* at, std::size_t substitutions) noexcept
      : at_(at), seen_before_(substitutions) {}
  bool ok() const noexcept { return ok_; }
  /// Whether the list of types ends here; moves behind its end.
  bool TakeEnd() noexcept { return Take('E'); }

  Type Next() noexcept {
    // Types nest as deep as the program likes.
    if (++depth_ > kMaxDepth) return Fail();
    const Type type = Read();
    --depth_;
    return type;
  }

 private:
  static constexpr int kMaxDepth = 16;
  static constexpr std::size_t kMaxSeen = 64;

  Type Fail() noexcept {
    ok_ = false;
    return {};
  }
  bool Take(char c) noexcept {
    if (!ok_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  /// Each type that is not builtin can be referred to later ("S3_").
  Type Remember(Type type) noexcept {
    if (seen_ >= kMaxSeen) return Fail();
    types_[seen_++] = type;
    return type;
  }

  Type Read() noexcept {
    if (!ok_) return {};
    const char code = *at_;
    if (code == 'v' || code == 'z') {
      ++at_;
      return {};
    }
    if (const std::size_t size = SizeOfBuiltin(code)) {
      ++at_;
      return {size, size};
    }
    if (code >= '0' && code <= '9') return ReadName();
    switch (code) {
      case 'P':
      case 'R':
      case 'O': {
        ++at_;
        const bool is_function = *at_ == 'F' || (*at_ == 'D' && at_[1] == 'o');
        Next();
        return Remember({kWord, kWord, is_function && code == 'P'});
      }
      case 'K':
      case 'V': {
        ++at_;
        return Remember(Next());
      }
      case 'M': {
        ++at_;
        Next();  // The class
        Take('K');
        if (*at_ != 'F' && *at_ != 'D') return Fail();
        Next();
        return Remember({2 * kWord, kWord, false, true});
      }
      case 'D':
        // A function that is noexcept.
        if (at_[1] != 'o') return Fail();
        at_ += 2;
        return *at_ == 'F' ? Next() : Fail();
      case 'F':
        return ReadFunction();
      case 'N':
        return ReadNested();
      case 'S':
        return ReadSubstitution();
      default:
        return Fail();
    }
  }

  Type ReadFunction() noexcept {
    ++at_;
    while (ok_ && !Take('E')) Next();
    return Remember({});
  }
  /// The digits and characters of one name.
  void SkipName() noexcept {
    std::size_t length = 0;
    while (*at_ >= '0' && *at_ <= '9' && length < 4096) {
      length = length * 10 + static_cast<std::size_t>(*at_++ - '0');
    }
    if (length == 0 || strnlen(at_, length) != length) {
      ok_ = false;
      return;
    }
    at_ += length;
  }
  /// "<...>" behind the name of a template.
  void SkipArguments() noexcept {
    ++at_;
    while (ok_ && !Take('E')) {
      if (Take('J')) {
        while (ok_ && !Take('E')) Next();
      } else {
        Next();
      }
    }
  }
  Type ReadName() noexcept {
    SkipName();
    Remember({});
    if (*at_ != 'I') return {};
    SkipArguments();
    return Remember({});
  }
  Type ReadNested() noexcept {
    ++at_;
    while (ok_ && !Take('E')) {
      if (*at_ == 'S') {
        // A substitution, or "St", which is no substitution of its own.
        ReadSubstitutionIn();
      } else if (*at_ == 'I') {
        SkipArguments();
        Remember({});
      } else {
        SkipName();
        Remember({});
      }
    }
    return {};
  }
  void ReadSubstitutionIn() noexcept {
    if (at_[1] == 't') {
      at_ += 2;
    } else {
      Substituted();
    }
  }
  Type ReadSubstitution() noexcept {
    if (at_[1] != 't') {
      const Type type = Substituted();
      if (*at_ != 'I') return type;
      SkipArguments();
      return Remember({});
    }
    at_ += 2;
    const bool is_reference = strncmp(at_, "17reference_wrapperI", 20) == 0;
    ReadName();
    if (!is_reference || !ok_) return {};
    types_[seen_ - 1] = {kWord, kWord};
    return types_[seen_ - 1];
  }
  /// "S_", "S0_", "SA_", or an abbreviation of the standard library ("Ss").
  Type Substituted() noexcept {
    ++at_;
    if (*at_ >= 'a' && *at_ <= 'z') {
      ++at_;
      return {};
    }
    std::size_t index = 0;
    if (*at_ != '_') {
      for (; ok_ && *at_ != '_'; ++at_) {
        const bool is_digit = *at_ >= '0' && *at_ <= '9';
        if (!is_digit && !(*at_ >= 'A' && *at_ <= 'Z')) return Fail();
        index = index * 36 + static_cast<std::size_t>(is_digit ? *at_ - '0' : *at_ - 'A' + 10);
        if (index > kMaxSeen) return Fail();
      }
      ++index;
    }
    if (!ok_) return {};
    ++at_;
    if (index < seen_before_) return {};
    return index - seen_before_ < seen_ ? types_[index - seen_before_] : Fail();
  }

  const char* at_;
  const std::size_t seen_before_;
  bool ok_ = true;
  int depth_ = 0;
  Type types_[kMaxSeen];
  std::size_t seen_ = 0;
};

constexpr char kStdThread[] = "NSt6thread11_State_implI";
constexpr char kStdTuple[] = "NSt6thread11_State_implINS_8_InvokerISt5tupleIJ";
/// std::async's thread: a member function of the object that the program's callable is in.
constexpr char kStdAsync[] = "MNSt13__future_base17_Async_state_implINS1_IS2_IJ";
/// Substitutions in these names: thread, _State_impl, _Invoker, tuple; __future_base,
/// _Async_state_impl.
constexpr std::size_t kInTuple = 4, kInAsync = 6;
/// libstdc++'s <future>: _Async_state_impl has its _Invoker behind 56 bytes (_State_baseV2's,
/// _Async_state_commonV2's, the pointer to the result); the pointer to it is the only argument of
/// the thread.
constexpr std::size_t kAsyncInvoker = 56, kAsyncObject = kWord;
constexpr char kBoostThread[] = "N5boost6detail11thread_dataI";
/// Longer names are not read to their end.
constexpr std::size_t kNameBytes = 512;

bool StartsWith(const char* text, const char* begin) noexcept {
  return strncmp(text, begin, strlen(begin)) == 0;
}

/// The pointer to a function that lies in the object at `object`; 0: there is none, or it is
/// virtual.
std::uint64_t PointerAt(ProcessMemory& memory, std::uint64_t object, CallableField field) noexcept {
  std::uint64_t words[2] = {};
  if (field.offset == 0) return 0;
  if (!memory.Read(object + field.offset, words, field.is_member ? 2 * kWord : kWord)) return 0;
  // A virtual member function has an odd number in one of the words (Itanium C++ ABI, 2.3; the
  // second one on Arm). Both are the offset of a table then, not an address.
  const bool is_virtual = field.is_member && (((words[0] | words[1]) & 1) != 0);
  return is_virtual ? 0 : words[0];
}

/// The pointer to a function in the object of the class `name` at `argument`; 0: as PointerAt.
std::uint64_t PointerIn(ProcessMemory& memory, std::uint64_t argument, const char* name) noexcept {
  if (!StartsWith(name, kStdTuple)) return 0;
  const char* const types = name + sizeof kStdTuple - 1;
  if (StartsWith(types, kStdAsync)) {
    CallableField field = FindCallable(types + sizeof kStdAsync - 1, kInAsync);
    std::uint64_t state = 0;
    if (field.offset != 0 && memory.Read(argument + kAsyncObject, state)) {
      // FindCallable counts a pointer to virtual functions before the tuple; here is none.
      field.offset += kAsyncInvoker - kWord;
      if (const std::uint64_t pointed = PointerAt(memory, state, field)) return pointed;
    }
  }
  return PointerAt(memory, argument, FindCallable(types, kInTuple));
}

/// The function that the object at `argument` runs; 0: it is no object of a known class.
std::uint64_t FunctionOfObject(std::uint64_t argument) noexcept {
  ProcessMemory memory;
  std::uint64_t table = 0;
  if (argument % kWord != 0 || !memory.Read(argument, table)) return 0;
  if (table < kWord || table % kWord != 0) return 0;
  // The type information, two destructors, the function (Itanium C++ ABI, 2.5).
  struct {
    std::uint64_t type_info, destructors[2], function;
  } entries;
  std::uint64_t name_address = 0;
  if (!memory.Read(table - kWord, entries)) return 0;
  if (entries.type_info % kWord != 0 || !memory.Read(entries.type_info + kWord, name_address)) {
    return 0;
  }
  char name[kNameBytes + 1];
  const std::size_t bytes = memory.ReadSome(name_address, name, kNameBytes);
  name[bytes] = 0;
  // A name with this mark is that of a type of one file (gcc).
  const char* const text = name[0] == '*' ? name + 1 : name;
  if (!StartsWith(text, kStdThread) && !StartsWith(text, kBoostThread)) return 0;
  const std::uint64_t pointed = PointerIn(memory, argument, text);
  return pointed != 0 ? pointed : entries.function;
}

/// Whether the code at `pc` is in the library whose file's name begins with `name`.
bool IsIn(std::uint64_t pc, const char* name) noexcept {
  const char* const path = ObjectOfCode(pc);
  if (!path) return false;
  const char* const slash = strrchr(path, '/');
  return StartsWith(slash ? slash + 1 : path, name);
}

constexpr char kGlib[] = "libglib-2.0.so.";

/// The function of an exclusive GThreadPool; 0: `pool` is none. The threads of all other pools
/// serve one pool after the other, so that none is their function.
std::uint64_t FunctionOfPool(ProcessMemory& memory, std::uint64_t pool) noexcept {
  // The public beginning (glib/gthreadpool.h).
  struct {
    std::uint64_t function, user_data;
    std::uint32_t exclusive;
  } fields = {};
  if (!memory.Read(pool, fields) || fields.exclusive != 1) return 0;
  return ObjectOfCode(fields.function) ? fields.function : 0;
}

/// The function that a library in C starts its threads with; 0: `routine` is in none that we know.
/// The first word of what such a library passes to its own start routine is the program's function:
/// GThread's `func` of glib (glib/gthread.c: GRealThread begins with it) and
/// gomp_thread_start_data's `fn` of libgomp (libgomp/team.c). libgomp's threads stay for later
/// regions of the program.
std::uint64_t FunctionOfLibrary(std::uint64_t routine, std::uint64_t argument) noexcept {
  const bool is_glib = IsIn(routine, kGlib);
  if (!is_glib && !IsIn(routine, "libgomp.so.")) return 0;
  ProcessMemory memory;
  struct {
    std::uint64_t function, data;
  } start = {};
  if (!memory.Read(argument, start) || !ObjectOfCode(start.function)) return 0;
  // Of glib's own functions only that of its pools has an argument.
  const std::uint64_t of_pool = is_glib && start.data != 0 && IsIn(start.function, kGlib)
                                    ? FunctionOfPool(memory, start.data)
                                    : 0;
  return of_pool != 0 ? of_pool : start.function;
}

/// Start routines whose first argument was no known object. Their later threads cost no system
/// call.
constexpr std::size_t kOthers = 8;
std::atomic<std::uint64_t> g_others[kOthers];

}  // namespace

CallableField FindCallable(const char* types, std::size_t substitutions) noexcept {
  // Of the arguments, from the first one on.
  constexpr std::size_t kMaxArguments = 16;
  Type arguments[kMaxArguments];
  std::size_t count = 0;
  TypeReader reader(types, substitutions);
  const Type callable = reader.Next();
  if (!reader.ok() || !(callable.is_function || callable.is_member)) return {};
  while (reader.ok() && !reader.TakeEnd()) {
    if (count == kMaxArguments) return {};
    arguments[count] = reader.Next();
    if (arguments[count++].size == 0) return {};
  }
  if (!reader.ok()) return {};
  // Behind the pointer to the table of virtual functions.
  std::size_t offset = kWord;
  const auto align = [&](std::size_t to) { offset = (offset + to - 1) / to * to; };
  while (count > 0) {
    const Type& argument = arguments[--count];
    align(argument.align);
    offset += argument.size;
  }
  align(kWord);
  return {offset, callable.is_member};
}

std::uint64_t StartedFunction(std::uint64_t routine, std::uint64_t argument) noexcept {
  for (const auto& other : g_others) {
    if (other.load(std::memory_order_relaxed) == routine) return routine;
  }
  std::uint64_t function = FunctionOfLibrary(routine, argument);
  if (function == 0) function = FunctionOfObject(argument);
  if (function != 0) return function;
  // Any place will do: what is overwritten is found again.
  g_others[routine / 16 % kOthers].store(routine, std::memory_order_relaxed);
  return routine;
}

}  // namespace csink::agent
