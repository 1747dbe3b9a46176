#pragma once

#include <vector>

#include "symbolizer/report/causes/evidence.h"

/// File: the rules, by what they look at. In their sentences {A} and {B} stand for the names of the
/// earlier and the later side. Each adds the causes that its evidence supports, with a
/// grade by docs/causes.md: proved from 60 % of the added time on, if A does not have what the
/// cause names; likely from 30 % on; else seen. A kind's highest grade is in
/// change_cause_kinds.inc.

namespace csink::report {

using Causes = std::vector<ChangeCause>;

inline constexpr double kProvedShare = 0.6;
inline constexpr double kLikelyShare = 0.3;

/// The grade of a share of the added time. `is_new`: A does not have what the cause names.
CauseGrade GradeOf(double share, bool is_new);
/// Adds a cause; its grade is at most that of its kind.
void Add(ChangeCause cause, Causes& causes);

/// What differs around the programs: variables, arguments, the machine, its speed. Always "seen".
void AddSurroundings(const ChangeEvidence& evidence, Causes& causes);
/// Another build of a library; another variant of a function that libc chooses by the processor.
void AddLibraries(const ChangeEvidence& evidence, Causes& causes);
/// Blocked time, by what was waited for.
void AddWaits(const ChangeEvidence& evidence, Causes& causes);
/// Calls, faults, huge pages, threads, and the size of the input.
void AddSystem(const ChangeEvidence& evidence, Causes& causes);
/// Code of libraries by its purpose, also where it was inlined.
void AddLibraryCode(const ChangeEvidence& evidence, Causes& causes);
/// The code of the functions that grew.
void AddCode(const ChangeEvidence& evidence, Causes& causes);
/// Options of the compiler. Looks at the causes that were found before.
void AddOptions(const ChangeEvidence& evidence, Causes& causes);

}  // namespace csink::report
