# Settings of ccache that quickstart, test and .ci/run share, so that each finds what another one compiled.
# Sourced with $root set to the checkout. What the caller has set in the environment stays.
#
# CCACHE_BASEDIR: ccache stores paths below the checkout as relative ones; a second clone finds the objects of the first.
# CCACHE_SLOPPINESS: ccache stores compilations with a precompiled header only with these two words.
export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$root} CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}
# Switches precompiled headers on for the unit tests (scripts/cmake/CsinkOptions.cmake); a preset can switch them off.
# The name must not begin with CSINK_: the agent warns of each CSINK_ variable that it does not know.
export COUNTERSINK_PCH=${COUNTERSINK_PCH:-1}
