#pragma once

/// \file The symbol names that Fortran compilers generate for a procedure PAPIF_x: papif_x and
/// PAPIF_X (no underscore), papif_x_ (gfortran and most others), papif_x__ (compilers that append
/// two underscores to names that contain one).

/// Declares a function that is visible outside of the library.
#define CSINK_FORTRAN_EXPORT extern "C" [[gnu::visibility("default")]]

// The arguments are names in declarations, which cannot be put in parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)

/// Defines the other three names of the function `low` (papif_x), which is defined in the same
/// file. `upper` is PAPIF_X.
#define CSINK_FORTRAN_SPELLINGS(low, upper)                        \
  CSINK_FORTRAN_EXPORT [[gnu::alias(#low)]] decltype(low) low##_;  \
  CSINK_FORTRAN_EXPORT [[gnu::alias(#low)]] decltype(low) low##__; \
  CSINK_FORTRAN_EXPORT [[gnu::alias(#low)]] decltype(low) upper;

/// Defines one more name of the function `low`.
#define CSINK_FORTRAN_ALSO(low, name) CSINK_FORTRAN_EXPORT [[gnu::alias(#low)]] decltype(low) name;

// NOLINTEND(bugprone-macro-parentheses)
