#include "symbolizer/report/wording/library_classes.h"

#include <algorithm>
#include <iterator>

/// File: the first list that has the function decides, so that a regex's strings count as regex. A
/// name of C is compared without its leading underscores and glibc's "GI_".

namespace csink::report {
namespace {

/// How an entry of a list is compared.
enum class Match : std::uint8_t {
  kBegin,  ///< The name of C, or the whole name, begins so
  kWhole,  ///< The name of C is that
  kPart,   ///< It stands anywhere in the name without parameters
};
struct Entry {
  LibraryClass code;
  Match match;
  std::string_view text;
};

using enum LibraryClass;
using enum Match;

constexpr Entry kEntries[] = {
    {kException, kBegin, "Unwind_"},
    {kException, kWhole, "cxa_throw"},
    {kException, kWhole, "cxa_rethrow"},
    {kException, kWhole, "cxa_begin_catch"},
    {kException, kWhole, "cxa_end_catch"},
    {kException, kWhole, "cxa_allocate_exception"},
    {kException, kWhole, "cxa_free_exception"},
    {kException, kWhole, "cxa_get_globals"},
    {kException, kWhole, "cxa_get_globals_fast"},
    {kException, kBegin, "gxx_personality"},
    {kException, kWhole, "dl_find_object"},
    {kException, kWhole, "dl_iterate_phdr"},
    {kException, kBegin, "uw_frame_state"},
    {kException, kBegin, "uw_update_context"},
    {kException, kBegin, "uw_init_context"},
    {kException, kBegin, "uw_install_context"},
    {kException, kBegin, "execute_cfa_program"},
    {kException, kBegin, "read_encoded_value"},
    {kException, kBegin, "base_of_encoded_value"},
    {kException, kBegin, "search_object"},
    {kException, kBegin, "parse_lsda"},
    {kException, kBegin, "get_adjusted_ptr"},
    {kException, kBegin, "check_exception_spec"},
    {kRegex, kPart, "std::__detail::_Executor"},
    {kRegex, kPart, "std::__detail::_NFA"},
    {kRegex, kPart, "std::__detail::_Scanner"},
    {kRegex, kPart, "std::__detail::_Compiler"},
    {kRegex, kPart, "std::__detail::_State"},
    {kRegex, kPart, "std::__detail::_BracketMatcher"},
    {kRegex, kPart, "std::__detail::_RegexTranslator"},
    {kRegex, kPart, "std::__detail::_AnyMatcher"},
    {kRegex, kPart, "std::__detail::_CharMatcher"},
    {kRegex, kPart, "std::__detail::__regex_algo"},
    {kRegex, kPart, "basic_regex<"},
    {kRegex, kPart, "match_results<"},
    {kRegex, kPart, "sub_match<"},
    {kRegex, kWhole, "re_search"},
    {kRegex, kWhole, "re_match"},
    {kRegex, kWhole, "regexec"},
    {kRegex, kWhole, "re_search_internal"},
    {kAllocation, kWhole, "malloc"},
    {kAllocation, kWhole, "free"},
    {kAllocation, kWhole, "cfree"},
    {kAllocation, kWhole, "calloc"},
    {kAllocation, kWhole, "realloc"},
    {kAllocation, kWhole, "reallocarray"},
    {kAllocation, kWhole, "memalign"},
    {kAllocation, kWhole, "aligned_alloc"},
    {kAllocation, kWhole, "posix_memalign"},
    {kAllocation, kBegin, "libc_malloc"},
    {kAllocation, kBegin, "libc_free"},
    {kAllocation, kBegin, "libc_calloc"},
    {kAllocation, kBegin, "libc_realloc"},
    {kAllocation, kWhole, "int_malloc"},
    {kAllocation, kWhole, "int_free"},
    {kAllocation, kBegin, "int_free_"},
    {kAllocation, kWhole, "int_realloc"},
    {kAllocation, kBegin, "malloc_consolidate"},
    {kAllocation, kBegin, "unlink_chunk"},
    {kAllocation, kBegin, "sysmalloc"},
    {kAllocation, kBegin, "systrim"},
    {kAllocation, kBegin, "mid_memalign"},
    {kAllocation, kBegin, "tcache_"},
    {kAllocation, kBegin, "operator new"},
    {kAllocation, kBegin, "operator delete"},
    {kAllocation, kBegin, "rust_alloc"},
    {kAllocation, kBegin, "rust_dealloc"},
    {kAllocation, kBegin, "rust_realloc"},
    {kAllocation, kBegin, "rdl_alloc"},
    {kAllocation, kBegin, "rdl_dealloc"},
    {kAllocation, kBegin, "rdl_realloc"},
    {kAllocation, kPart, "alloc::alloc::"},
    {kLock, kBegin, "pthread_mutex_"},
    {kLock, kBegin, "pthread_rwlock_"},
    {kLock, kBegin, "pthread_spin_"},
    {kLock, kBegin, "lll_lock"},
    {kLock, kBegin, "lll_mutex"},
    {kLock, kWhole, "sem_wait"},
    {kLock, kWhole, "sem_post"},
    {kLock, kBegin, "new_sem_"},
    {kContainer, kPart, "_Rb_tree"},
    {kContainer, kPart, "std::_List_"},
    {kContainer, kPart, "std::__cxx11::_List_"},
    {kContainer, kPart, "std::__cxx11::list<"},
    {kContainer, kPart, "std::list<"},
    {kContainer, kPart, "std::forward_list<"},
    {kContainer, kPart, "std::map<"},
    {kContainer, kPart, "std::multimap<"},
    {kContainer, kPart, "std::set<"},
    {kContainer, kPart, "std::multiset<"},
    {kContainer, kPart, "std::deque<"},
    {kContainer, kPart, "std::_Deque_"},
    {kHash, kPart, "std::_Hashtable"},
    {kHash, kPart, "std::__detail::_Hash"},
    {kHash, kPart, "std::__detail::_Map_base"},
    {kHash, kPart, "std::__detail::_Insert"},
    {kHash, kPart, "std::__detail::_Mod_range_hashing"},
    {kHash, kPart, "std::__detail::_Node_iterator"},
    {kHash, kPart, "std::__detail::_Node_const_iterator"},
    {kHash, kPart, "std::unordered_map<"},
    {kHash, kPart, "std::unordered_set<"},
    {kHash, kPart, "std::unordered_multimap<"},
    {kHash, kPart, "std::unordered_multiset<"},
    {kHash, kPart, "std::hash<"},
    {kHash, kPart, "Hash::operator()"},
    {kHash, kPart, "Hasher::operator()"},
    {kHash, kPart, "hashbrown::"},
    {kHash, kPart, "std::_Hash_bytes"},
    {kHash, kWhole, "Hash_bytes"},
    {kFormat, kWhole, "printf"},
    {kFormat, kWhole, "fprintf"},
    {kFormat, kWhole, "sprintf"},
    {kFormat, kWhole, "snprintf"},
    {kFormat, kWhole, "vprintf"},
    {kFormat, kWhole, "vfprintf"},
    {kFormat, kWhole, "vsprintf"},
    {kFormat, kWhole, "vsnprintf"},
    {kFormat, kBegin, "vfprintf_"},
    {kFormat, kBegin, "vsnprintf_"},
    {kFormat, kBegin, "vsprintf_"},
    {kFormat, kWhole, "fprintf_chk"},
    {kFormat, kWhole, "printf_chk"},
    {kFormat, kWhole, "sprintf_chk"},
    {kFormat, kWhole, "snprintf_chk"},
    {kFormat, kBegin, "printf_fp"},
    {kFormat, kBegin, "printf_buffer"},
    {kFormat, kBegin, "printf_positional"},
    {kFormat, kBegin, "itoa_word"},
    {kFormat, kBegin, "fitoa_word"},
    {kFormat, kWhole, "IO_default_xsputn"},
    {kFormat, kWhole, "IO_new_file_xsputn"},
    {kFormat, kWhole, "IO_file_xsputn"},
    {kFormat, kWhole, "IO_padn"},
    {kFormat, kBegin, "IO_str_init"},
    {kFormat, kBegin, "mpn_"},
    {kFormat, kBegin, "hack_digit"},
    {kFormat, kWhole, "strchrnul"},
    {kFormat, kBegin, "strchrnul_"},
    {kFormat, kPart, "std::num_put<"},
    {kFormat, kPart, "std::ostream::"},
    {kFormat, kPart, "std::basic_ostream<"},
    {kFormat, kPart, "std::__ostream_"},
    {kFormat, kPart, "std::basic_stringbuf<"},
    {kFormat, kPart, "std::__cxx11::basic_stringbuf<"},
    {kFormat, kPart, "std::basic_ostringstream<"},
    {kFormat, kPart, "std::__cxx11::basic_ostringstream<"},
    {kFormat, kPart, "std::__cxx11::basic_stringstream<"},
    {kFormat, kPart, "std::basic_ios<"},
    {kFormat, kPart, "std::ios_base::"},
    {kFormat, kPart, "std::locale::"},
    {kFormat, kPart, "std::endl<"},
    {kFormat, kPart, "std::to_chars"},
    {kFormat, kPart, "std::__detail::__to_chars"},
    {kFormat, kPart, "fmt::v"},
    {kFormat, kPart, "core::fmt::"},
    {kFormat, kPart, "std::num_get<"},
    {kFormat, kPart, "std::istream::"},
    {kFormat, kPart, "std::basic_istream<"},
    {kFormat, kPart, "std::basic_iostream<"},
    {kFormat, kPart, "std::istreambuf_iterator<"},
    {kFormat, kPart, "std::ostreambuf_iterator<"},
    {kFormat, kPart, "std::basic_streambuf<"},
    {kFormat, kPart, "std::basic_istringstream<"},
    {kFormat, kPart, "std::__cxx11::basic_istringstream<"},
    {kFormat, kPart, "std::use_facet<"},
    {kFormat, kPart, "std::has_facet<"},
    {kFormat, kPart, "std::__convert_to_v"},
    {kFormat, kPart, "std::from_chars"},
    {kFormat, kWhole, "sscanf"},
    {kFormat, kWhole, "fscanf"},
    {kFormat, kWhole, "scanf"},
    {kFormat, kBegin, "isoc99_"},
    {kFormat, kBegin, "vfscanf_"},
    {kFormat, kBegin, "vsscanf_"},
    {kString, kPart, "basic_string<"},
    {kString, kPart, "std::string::"},
    {kString, kPart, "std::operator+"},
    {kString, kPart, "alloc::string::String"},
    {kCopy, kWhole, "memcpy"},
    {kCopy, kWhole, "memmove"},
    {kCopy, kWhole, "mempcpy"},
    {kCopy, kBegin, "memcpy_"},
    {kCopy, kBegin, "memmove_"},
    {kCopy, kBegin, "mempcpy_"},
    {kCopy, kPart, "std::__copy_move"},
    {kCopy, kPart, "std::__uninitialized_copy"},
    {kCopy, kPart, "std::__do_uninit_copy"},
    {kCopy, kPart, "core::clone::Clone"},
    {kCopy, kPart, "copy_nonoverlapping"},
    {kFunction, kWhole, "dynamic_cast"},
    {kFunction, kPart, "::__do_dyncast"},
    {kFunction, kBegin, "strlen"},
    {kFunction, kBegin, "strcmp"},
    {kFunction, kBegin, "strncmp"},
    {kFunction, kBegin, "strcasecmp"},
    {kFunction, kBegin, "strchr"},
    {kFunction, kBegin, "strrchr"},
    {kFunction, kBegin, "strstr"},
    {kFunction, kBegin, "strcpy"},
    {kFunction, kBegin, "strcat"},
    {kFunction, kBegin, "strtol"},
    {kFunction, kBegin, "strtoul"},
    {kFunction, kBegin, "strtod"},
    {kFunction, kBegin, "memcmp"},
    {kFunction, kBegin, "memchr"},
    {kFunction, kBegin, "memset"},
    {kFunction, kWhole, "qsort"},
    {kFunction, kWhole, "qsort_r"},
    {kFunction, kBegin, "msort_with_tmp"},
    {kFunction, kBegin, "exp_"},
    {kFunction, kBegin, "log_"},
    {kFunction, kBegin, "pow_"},
    {kFunction, kBegin, "sin_"},
    {kFunction, kBegin, "cos_"},
    {kFunction, kBegin, "ieee754_"},
    {kFunction, kWhole, "exp"},
    {kFunction, kWhole, "log"},
    {kFunction, kWhole, "pow"},
    {kFunction, kWhole, "sin"},
    {kFunction, kWhole, "cos"},
    {kFunction, kWhole, "tan"},
};

/// The name without its parameters: they name types and say nothing of what the function does. The
/// parentheses of "operator()" and "(anonymous namespace)" belong to the name.
std::string_view WithoutParameters(std::string_view name) {
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '<' && name.substr(0, i).ends_with("operator")) continue;
    if (c == '<') ++depth;
    if (c == '>' && depth > 0) --depth;
    if (c != '(' || depth != 0) continue;
    if (name.substr(i).starts_with("(anonymous namespace)")) continue;
    if (name.substr(0, i).ends_with("operator")) continue;
    return name.substr(0, i);
  }
  return name;
}

/// The function's own qualified name, without its return type and template arguments of its last
/// part: "int std::f<3>" -> "std::f". A class's template arguments stay.
std::string_view WithoutReturnType(std::string_view name) {
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const std::string_view before = name.substr(0, i);
    if (before.ends_with("operator")) break;  // "operator new", "operator<"
    if (name[i] == '<' || name[i] == '(') ++depth;
    if ((name[i] == '>' || name[i] == ')') && depth > 0) --depth;
    if (name[i] == ' ' && depth == 0) begin = i + 1;
  }
  return name.substr(begin);
}

/// A name of C without what libraries put before it.
std::string_view NameOfC(std::string_view name) {
  const auto drop_underscores = [&] {
    while (name.starts_with('_')) name.remove_prefix(1);
  };
  drop_underscores();
  if (name.starts_with("GI_")) name.remove_prefix(3);
  drop_underscores();
  return name.substr(0, name.find('@'));
}

/// Whether `part` stands in `name` where no template argument is: std::vector<std::map<..>>::size
/// is a function of a vector.
bool HasPart(std::string_view name, std::string_view part) {
  for (std::size_t at = name.find(part); at != std::string_view::npos;
       at = name.find(part, at + 1)) {
    int depth = 0;
    for (std::size_t i = 0; i < at; ++i) {
      if (name[i] == '<') ++depth;
      if (name[i] == '>') --depth;
    }
    if (depth <= 0) return true;
  }
  return false;
}

}  // namespace

LibraryClass LibraryClassOf(std::string_view function, std::string_view module) {
  // Its functions have no names without their debug file.
  if (module.starts_with("libgcc_s.")) return kException;
  const std::string_view name = WithoutReturnType(WithoutParameters(function));
  const std::string_view c = NameOfC(name);
  for (const Entry& entry : kEntries) {
    const bool is_it = entry.match == kPart    ? HasPart(name, entry.text)
                       : entry.match == kWhole ? c == entry.text
                                               : c.starts_with(entry.text);
    if (is_it) return entry.code;
  }
  // "std::vector<int, std::allocator<int> >::vector(std::vector<...> const&)": the copy of a
  // container is told by its parameter alone.
  if (name.starts_with("std::vector<") && name.ends_with(">::vector") &&
      function.substr(name.size()).find("(std::vector<") != std::string_view::npos) {
    return kCopy;
  }
  return kNone;
}

std::string_view KernelCallOf(std::string_view function) {
  constexpr std::string_view kCalls[] = {"read",
                                         "pread",
                                         "pread64",
                                         "readv",
                                         "write",
                                         "pwrite",
                                         "pwrite64",
                                         "writev",
                                         "fsync",
                                         "fdatasync",
                                         "open64",
                                         "openat64",
                                         "open",
                                         "openat",
                                         "close",
                                         "lseek64",
                                         "mmap",
                                         "mmap64",
                                         "munmap",
                                         "poll",
                                         "ppoll",
                                         "select",
                                         "epoll_wait",
                                         "nanosleep",
                                         "clock_nanosleep",
                                         "send",
                                         "sendto",
                                         "sendmsg",
                                         "recv",
                                         "recvfrom",
                                         "recvmsg",
                                         "futex_abstimed_wait_common",
                                         "lll_lock_wait",
                                         "lll_lock_wake",
                                         "syscall",
                                         "ioctl",
                                         "sched_yield"};
  std::string_view name = NameOfC(WithoutReturnType(WithoutParameters(function)));
  if (name.starts_with("libc_")) name.remove_prefix(5);
  const bool is_one = std::find(std::begin(kCalls), std::end(kCalls), name) != std::end(kCalls);
  return is_one ? name : std::string_view();
}

bool IsByChain(LibraryClass code) {
  return code == kException || code == kRegex || code == kString || code == kFormat ||
         code == kContainer;
}

const char* WordsFor(LibraryClass code) {
  switch (code) {
    case kNone:
      return "";
    case kException:
      return "throwing and catching exceptions";
    case kAllocation:
      return "allocating and freeing memory";
    case kRegex:
      return "regular expressions";
    case kLock:
      return "taking and releasing locks";
    case kContainer:
      return "containers of nodes (map, set, list, deque)";
    case kHash:
      return "hash tables";
    case kFormat:
      return "formatting and parsing of text (printf, scanf, streams)";
    case kString:
      return "building strings";
    case kCopy:
      return "copying memory";
    case kFunction:
      return "functions of the C library";
  }
  return "";
}

const char* KeyOf(LibraryClass code) {
  switch (code) {
    case kNone:
      return "";
    case kException:
      return "exception";
    case kAllocation:
      return "allocation";
    case kRegex:
      return "regex";
    case kLock:
      return "lock-code";
    case kContainer:
      return "container";
    case kHash:
      return "hash";
    case kFormat:
      return "format";
    case kString:
      return "string";
    case kCopy:
      return "copy";
    case kFunction:
      return "c-function";
  }
  return "";
}

}  // namespace csink::report
