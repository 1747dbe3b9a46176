# cmake -DNM=nm -DLIBRARY=libx.a -DALLOWED=a,b -P lean_symbols.cmake
# Fails when a lean room needs a symbol that is neither this project's nor allowed:
# libagent.so lives in programs that need not have libstdc++.
cmake_minimum_required(VERSION 3.21)
execute_process(COMMAND "${NM}" -u "${LIBRARY}" OUTPUT_VARIABLE listing RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "cannot read ${LIBRARY}")
endif()
string(REPLACE "," ";" allowed "${ALLOWED}")
string(REGEX MATCHALL "U [^\n]+" undefined "${listing}")
if(NOT undefined)
  message(FATAL_ERROR "${LIBRARY} needs nothing at all: is this the right file?")
endif()
foreach(line IN LISTS undefined)
  string(SUBSTRING "${line}" 2 -1 name)
  # The checked form of an allowed function, by a compiler that defines _FORTIFY_SOURCE (Ubuntu).
  string(REGEX REPLACE "^__(.+)_chk$" "\\1" name "${name}")
  if(NOT name MATCHES "^_ZNK?5csink" AND NOT name IN_LIST allowed)
    message(SEND_ERROR "${LIBRARY} needs ${name}")
  endif()
endforeach()
