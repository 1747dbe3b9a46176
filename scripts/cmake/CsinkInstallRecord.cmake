# Before anything is installed: notes in install_folders.txt which of the folders that many packages share are already
# there, so that target uninstall removes those alone that the installation made. The first line is the prefix. An
# installation into the same prefix again keeps the notes of the first. Nothing is noted for CPack and with DESTDIR,
# which install for other places.
set(csink_shared_folders "")
foreach(folder IN ITEMS "${CMAKE_INSTALL_BINDIR}" "${CMAKE_INSTALL_LIBDIR}" "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
    "${CMAKE_INSTALL_LIBDIR}/cmake" "${CMAKE_INSTALL_INCLUDEDIR}" "${CMAKE_INSTALL_LIBEXECDIR}"
    "${CMAKE_INSTALL_DATADIR}" "${CMAKE_INSTALL_DATADIR}/bash-completion"
    "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" "${CMAKE_INSTALL_DATADIR}/zsh"
    "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions"
    "${CMAKE_INSTALL_DATADIR}/fish" "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d"
    "${CMAKE_INSTALL_DATADIR}/doc" "${CMAKE_INSTALL_MANDIR}" "${CMAKE_INSTALL_MANDIR}/man1"
    "${CMAKE_INSTALL_MANDIR}/man3" "${CMAKE_INSTALL_MANDIR}/man5" "${CMAKE_INSTALL_MANDIR}/man7")
  while(NOT folder STREQUAL "")
    list(APPEND csink_shared_folders "${folder}")
    get_filename_component(folder "${folder}" DIRECTORY)
  endwhile()
endforeach()
list(REMOVE_DUPLICATES csink_shared_folders)
install(CODE "
  set(record \"${PROJECT_BINARY_DIR}/install_folders.txt\")
  set(noted \"\")
  if(EXISTS \"\${record}\")
    file(STRINGS \"\${record}\" noted LIMIT_COUNT 1)
  endif()
  if(\"\$ENV{DESTDIR}\" STREQUAL \"\" AND NOT CMAKE_INSTALL_PREFIX MATCHES \"/_CPack_Packages/\"
      AND NOT noted STREQUAL CMAKE_INSTALL_PREFIX)
    set(text \"\${CMAKE_INSTALL_PREFIX}\\n\")
    set(folder \"\${CMAKE_INSTALL_PREFIX}\")
    while(NOT folder STREQUAL \"\" AND NOT folder STREQUAL \"/\")
      if(IS_DIRECTORY \"\${folder}\")
        string(APPEND text \"\${folder}\\n\")
      endif()
      get_filename_component(folder \"\${folder}\" DIRECTORY)
    endwhile()
    foreach(folder IN ITEMS ${csink_shared_folders})
      if(IS_DIRECTORY \"\${CMAKE_INSTALL_PREFIX}/\${folder}\")
        string(APPEND text \"\${CMAKE_INSTALL_PREFIX}/\${folder}\\n\")
      endif()
    endforeach()
    file(WRITE \"\${record}\" \"\${text}\")
  endif()
" ALL_COMPONENTS)
