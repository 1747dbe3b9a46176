#include "symbolizer/report/wording/library_classes.h"

#include <gtest/gtest.h>

namespace csink::report {
namespace {

LibraryClass Of(const char* function, const char* module = "libc.so.6") {
  return LibraryClassOf(function, module);
}

TEST(LibraryClasses, Exceptions) {
  EXPECT_EQ(Of("_Unwind_RaiseException", "libgcc_s.so.1"), LibraryClass::kException);
  EXPECT_EQ(Of("[libgcc_s.so.1+0x16330]", "libgcc_s.so.1"), LibraryClass::kException);
  EXPECT_EQ(Of("__cxa_throw", "libstdc++.so.6"), LibraryClass::kException);
  EXPECT_EQ(Of("_dl_find_object"), LibraryClass::kException);
  // The facets of a stream's locale come by it.
  EXPECT_EQ(Of("__dynamic_cast", "libstdc++.so.6"), LibraryClass::kFunction);
  EXPECT_EQ(Of("ThrowIfBad(int)", "app"), LibraryClass::kNone);
}

TEST(LibraryClasses, Allocation) {
  for (const char* name : {"malloc", "__libc_malloc", "_int_malloc", "__GI___libc_malloc", "free",
                           "cfree@GLIBC_2.2.5", "operator new(unsigned long)",
                           "operator delete(void*, unsigned long)", "unlink_chunk.constprop.0"}) {
    EXPECT_EQ(Of(name), LibraryClass::kAllocation) << name;
  }
  EXPECT_EQ(Of("malloc_statistics(int)", "app"), LibraryClass::kNone);
  EXPECT_EQ(Of("freeze(Node*)", "app"), LibraryClass::kNone);
}

TEST(LibraryClasses, Containers) {
  EXPECT_EQ(Of("std::_Rb_tree<int, std::pair<int const, int>, std::less<int> "
               ">::_M_get_insert_unique_pos(int const&)",
               "app"),
            LibraryClass::kContainer);
  EXPECT_EQ(Of("std::map<int, int>::operator[](int const&)", "app"), LibraryClass::kContainer);
  EXPECT_EQ(Of("std::_Hashtable<int, int>::_M_find_before_node(unsigned long, int const&)", "app"),
            LibraryClass::kHash);
  // A function of a vector, whatever lies in it; and one of the program with such a parameter.
  EXPECT_EQ(
      Of("std::vector<std::map<int, int>, std::allocator<std::map<int, int> > >::size() const",
         "app"),
      LibraryClass::kNone);
  EXPECT_EQ(Of("Count(std::map<int, int>&, unsigned int)", "app"), LibraryClass::kNone);
}

TEST(LibraryClasses, Texts) {
  EXPECT_EQ(Of("__vfprintf_internal"), LibraryClass::kFormat);
  EXPECT_EQ(Of("_itoa_word"), LibraryClass::kFormat);
  EXPECT_EQ(Of("std::ostream::operator<<(int)", "libstdc++.so.6"), LibraryClass::kFormat);
  EXPECT_EQ(Of("std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> "
               ">::_M_append(char const*, unsigned long)",
               "libstdc++.so.6"),
            LibraryClass::kString);
  EXPECT_EQ(Of("std::__cxx11::basic_string<char> "
               "std::operator+<char>(std::__cxx11::basic_string<char> const&, char)",
               "app"),
            LibraryClass::kString);
  EXPECT_EQ(Of("std::__detail::_Executor<char const*, int>::_M_dfs(int, long)", "app"),
            LibraryClass::kRegex);
  EXPECT_EQ(Of("printfoo(int)", "app"), LibraryClass::kNone);
}

TEST(LibraryClasses, CopiesAndFunctions) {
  EXPECT_EQ(Of("__memmove_avx_unaligned_erms"), LibraryClass::kCopy);
  EXPECT_EQ(Of("std::vector<int, std::allocator<int> >::vector(std::vector<int, "
               "std::allocator<int> > const&)",
               "app"),
            LibraryClass::kCopy);
  EXPECT_EQ(Of("std::vector<int, std::allocator<int> >::vector(unsigned long)", "app"),
            LibraryClass::kNone);
  EXPECT_EQ(Of("__strlen_avx2"), LibraryClass::kFunction);
  EXPECT_EQ(Of("pthread_mutex_lock"), LibraryClass::kLock);
  EXPECT_EQ(Of("___pthread_mutex_unlock"), LibraryClass::kLock);
}

TEST(LibraryClasses, CallsOfTheKernelEndAChain) {
  for (const char* name : {"write", "__GI___libc_write", "__write", "fsync", "pread64",
                           "clock_nanosleep@@GLIBC_2.17", "__futex_abstimed_wait_common"}) {
    EXPECT_FALSE(KernelCallOf(name).empty()) << name;
  }
  for (const char* name : {"fwrite", "write_all(int)", "App::read(int)", "printf"}) {
    EXPECT_TRUE(KernelCallOf(name).empty()) << name;
  }
}

TEST(LibraryClasses, DamagedNamesHaveNone) {
  for (const char* name : {"", "(", "<", ">>>", "operator", "operator<", "a<b", "_____", "std::"}) {
    EXPECT_EQ(Of(name), LibraryClass::kNone) << name;
  }
}

TEST(LibraryClasses, EachHasItsWords) {
  for (std::size_t i = 1; i < kLibraryClasses; ++i) {
    EXPECT_STRNE(WordsFor(static_cast<LibraryClass>(i)), "") << i;
    EXPECT_STRNE(KeyOf(static_cast<LibraryClass>(i)), "") << i;
  }
}

}  // namespace
}  // namespace csink::report
