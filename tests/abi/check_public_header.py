#!/usr/bin/env python3
"""Checks that papi.h compiles alone, without a warning, as every C and C++ that programs are written
in: C89 (which has `long long` by extension), C99, C11, C23, C++98 to C++23; with gcc and clang.
A program that uses most of its macros is compiled too: macros are read only where they are used.
The same for papi35.h, PAPI 3.5's version of it, and in the oldest and newest standards for papi.h of PAPI 7.1
to 7.3.
"""

import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "scripts")]

from lib import checks  # noqa: E402

WARNINGS = ["-pedantic", "-Wno-long-long", "-Wall", "-Wextra", "-Werror"]
FOR_C = ["-Wstrict-prototypes"]
# clang 14 and gcc 12 take both names of the newest ones.
C = ["c89", "gnu89", "c99", "c11", "c17", "c2x"]
CXX = ["c++98", "c++11", "c++14", "c++17", "c++20", "c++2b"]
LATER = {"papi-7.1": 28, "papi-7.2": 29, "papi-7.3": 29}  # folder: PAPI_NUM_ERRORS
HEADERS = ["papi.h", "papiStdEventDefs.h", "papi35.h", "papi35_abi.h"]
PROGRAM = """#include "papi.h"
#include "papi.h"
static int check[PAPI_VERSION_MAJOR(PAPI_VER_CURRENT) == 7 && PAPI_NUM_ERRORS == 28 ? 1 : -1];
int use(PAPI_option_t* option, PAPI_sprofil_t* region, PAPI_overflow_handler_t handler);
int use(PAPI_option_t* option, PAPI_sprofil_t* region, PAPI_overflow_handler_t handler) {
  int set = PAPI_NULL;
  long_long values[2];
  char name[PAPI_MAX_STR_LEN];
  vptr_t start = region->pr_off;
  option->domain.domain = PAPI_DOM_ALL & ~PAPI_DOM_KERNEL;
  if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT) return PAPI_EINVAL;
  if (PAPI_create_eventset(&set) != PAPI_OK || !PAPI_descr_error(PAPI_ENOMEM)) return PAPI_ESBSTR;
  if (!IS_PRESET(PAPI_TOT_INS) || IS_NATIVE(PAPI_TOT_INS) || IS_USER_DEFINED(PAPI_END)) return -1;
  (void)PAPI_event_code_to_name(PAPI_L1_DCM, name);
  (void)PAPI_overflow(set, PAPI_TOT_CYC, 1000, PAPI_OVERFLOW_FORCE_SW, handler);
  (void)PAPI_read(set, values);
  return PAPI_MH_CACHE_TYPE(PAPI_MH_TYPE_UNIFIED) + check[0] + (start != 0) +
         PAPI_COMPONENT_INDEX(PAPI_FP_OPS | PAPI_PRESET_BIT_L1);
}
"""
PROGRAM_35 = """#include "papi35.h"
#include "papi35.h"
#include "papi.h"
int use(PAPI_option_t* option, PAPI_event_info_t* info, const PAPI_exe_info_t* program);
int use(PAPI_option_t* option, PAPI_event_info_t* info, const PAPI_exe_info_t* program) {
  int set = PAPI_NULL, code = PAPI_PRESET_MASK;
  unsigned short buckets[4];
  char text[PAPI_MAX_STR_LEN];
  const PAPI_substrate_info_t* substrate = PAPI_get_substrate_info();
  const PAPI_preload_option_t* preload = &option->preload;
  long length = program->address_info.text_end - program->address_info.text_start;
  unsigned long start = (unsigned long)program->address_info.text_start;
  option->multiplex.us = option->multiplex.max_degree = 1;
  option->ovf_info.eventset = set;
  if (option->sub_info != substrate || !preload->lib_dir_sep) return PAPI_SYS;
  if (PAPI_set_opt(PAPI_DEF_MPX_USEC, option) || PAPI_get_opt(PAPI_SUBSTRATEINFO, option)) return PAPI_ESBSTR;
  if (PAPI_set_opt(PAPI_MULTIPLEX, option) || PAPI_set_opt(PAPI_DEFDOM, option)) return PAPI_DEFGRN;
  if (PAPI_profil(buckets, 8, start, 65536, set, code, 1, PAPI_PROFIL_POSIX)) return -1;
  if (PAPI_profil(buckets, 8, program->address_info.text_start, 65536, set, code, 1, 0)) return -1;
  if (PAPI_profil(buckets, 8, 0, 65536, set, code, 0, 0)) return -1;
  (void)PAPI_enum_event(&code, PAPI_PENT4_ENUM_GROUPS | PAPI_PENT4_ENUM_COMBOS | PAPI_PENT4_ENUM_BITS);
  (void)PAPI_enum_event(&code, PAPI_ITA_ENUM_IARR | PAPI_ITA_ENUM_DARR | PAPI_ITA_ENUM_OPCM);
  (void)PAPI_enum_event(&code, PAPI_ITA_ENUM_IEAR | PAPI_ITA_ENUM_DEAR | PAPI_PWR4_ENUM_GROUPS);
  info->event_note[0] = info->note[1];
  return PAPI_perror(PAPI_ENOMEM, text, PAPI_MAX_STR_LEN) | (int)length | PAPI_ACCUMULATING | PAPI_HWPROFILING;
}
"""


def compile_with(compiler, standard, folder):
    return compile_program(compiler, standard, folder, PROGRAM) or \
        compile_program(compiler, standard, folder, PROGRAM_35)


def compile_program(compiler, standard, folder, program):
    language = "c++" if "++" in standard else "c"
    extra = [] if language == "c++" else FOR_C
    done = subprocess.run([compiler, "-x", language, f"-std={standard}", *WARNINGS, *extra, "-fsyntax-only",
                           "-I", str(folder), "-"], input=program, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return []
    errors = [line for line in done.stderr.splitlines() if "error" in line] or [done.stderr]
    return [f"{compiler} -std={standard}: {errors[0]}"]


def problems_of(folder, compilers):
    problems, checked = [], 0
    for c, cxx in compilers:
        for standard in C + CXX:
            problems += compile_with(cxx if "++" in standard else c, standard, folder)
            checked += 1
        for later, errors in LATER.items():
            program = PROGRAM.replace("PAPI_NUM_ERRORS == 28", f"PAPI_NUM_ERRORS == {errors}")
            for standard in (C[0], C[-1], CXX[0], CXX[-1]) if pathlib.Path(folder, later).is_dir() else ():
                compiler = cxx if "++" in standard else c
                first = "" if standard == C[0] else '#include "csink_papi.h"\n'  # has inline functions
                problems += [f"{later}: {p}" for p in
                             compile_program(compiler, standard, pathlib.Path(folder, later), first + program)]
                checked += 1
    return problems, checked


def self_test(folder, compilers):
    test = checks.SelfTest()
    test.expect("the header as it is", problems_of(folder, compilers)[0])
    # what is planted, and a standard of which every compiler must complain
    planted = {
        "a comment of C++": ("int PAPI_num_components(void);", "int PAPI_num_components(void); // how many", "c89"),
        "a name of C++": ("int PAPI_set_thr_specific(int tag, void* ptr);",
                          "int PAPI_set_thr_specific(int class, void* ptr);", "c++98"),
        "no prototype": ("int PAPI_rate_stop(void);", "int PAPI_rate_stop();", "c11"),
        "an open parenthesis of 3.5's interface": ("reinterpret_cast<unsigned long>(offset)", "(unsigned long)(offset", "c++11"),
        "a broken macro": ("#define PAPI_VER_CURRENT (", "#define PAPI_VER_CURRENT ((", "c++20"),
    }
    for what, (old, new, standard) in planted.items():
        text = {n: (folder / n).read_text().replace(old, new, 1) for n in HEADERS}
        changed = test.tree(text)
        complaint = f"-std={standard}:"
        found = [p for p in problems_of(changed.name, compilers)[0] if complaint in p]
        test.expect(what, found, *[complaint] * len(compilers))
    test.exit()


def add_options(options):
    options.add_argument("--folder", type=pathlib.Path, default=ROOT / "compat/papi/include")


def compilers_here():
    pairs = [("gcc", "g++"), ("clang-14", "clang++-14"), ("clang", "clang++")]
    return [p for p in pairs if all(shutil.which(c) for c in p)][:2]


def check(args):
    if not compilers_here():
        checks.skip("neither gcc nor clang")
    return problems_of(args.folder, compilers_here())


if __name__ == "__main__":
    checks.main(__doc__, check, lambda args: self_test(args.folder, compilers_here()), add_options)
