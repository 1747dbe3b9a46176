#pragma once

/// \file The names that Fortran compilers give a procedure PAPIF_x: papif_x and PAPIF_X as they
/// stand, papif_x_ (gfortran and most), papif_x__ (where a second underscore goes behind names with
/// one).

/// A declaration that is seen outside the library.
#define CSINK_FORTRAN_EXPORT extern "C" [[gnu::visibility("default")]]

// A declared name has no parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)

/// The other three names of the function `low` (papif_x), which is defined in the same file;
/// `upper` is PAPIF_X.
#define CSINK_FORTRAN_SPELLINGS(low, upper)                        \
  CSINK_FORTRAN_EXPORT [[gnu::alias(#low)]] decltype(low) low##_;  \
  CSINK_FORTRAN_EXPORT [[gnu::alias(#low)]] decltype(low) low##__; \
  CSINK_FORTRAN_EXPORT [[gnu::alias(#low)]] decltype(low) upper;

/// One more name of it.
#define CSINK_FORTRAN_ALSO(low, name) CSINK_FORTRAN_EXPORT [[gnu::alias(#low)]] decltype(low) name;

// NOLINTEND(bugprone-macro-parentheses)
