#include "symbolizer/report/verdict/python_note.h"

#include <gtest/gtest.h>

namespace csink::report {
namespace {

TEST(PythonNote, SaysWhatWasSeenOfEachSample) {
  Profile profile;
  profile.python = {{0x030b02f0, 0x030d05f0}, 96, 1, 2, 1};
  EXPECT_EQ(
      PythonNote(profile),
      "Python 3.11, 3.13: 96.0% of the samples have a Python function; none was found for 1.0%; "
      "2.0% have a stack that could not be followed; 1.0% have a stack without the interpreter. "
      "The time of a call or a return may count for either function");
}

TEST(PythonNote, LeavesOutWhatDidNotHappen) {
  Profile profile;
  profile.python = {{0x030e00f0}, 10, 0, 0, 0};
  EXPECT_EQ(PythonNote(profile),
            "Python 3.14: 100.0% of the samples have a Python function. The time of a call or a "
            "return may count for either function");
}

TEST(PythonNote, IsEmptyWhereNothingWasLookedFor) { EXPECT_EQ(PythonNote(Profile()), ""); }

}  // namespace
}  // namespace csink::report
