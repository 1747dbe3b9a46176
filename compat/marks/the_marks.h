#pragma once

#include "compat/marks/mark_file.h"

namespace csink::marks {

/// Where marks go in this process. Set before main (open.cpp), and never changed.
struct TheMarks {
  MarkFile* file = nullptr;  ///< nullptr: the process was not started by `atime --phases`
  int (*agent)(const char*) = nullptr;  ///< csink_agent_mark of libagent.so; nullptr: there is none
};
extern TheMarks g_marks;

}  // namespace csink::marks
