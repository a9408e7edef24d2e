# SPDX-License-Identifier: MIT
# volt_embed(<target> <file>...): lets the sources of the target contain the text of a file, as in
#   constexpr std::string_view kPage =
#   #include <FILE.inc>
#       ;
# where FILE is the path of the file from the root of the repository.
function(volt_embed target)
  set(folder ${PROJECT_BINARY_DIR}/embedded)
  foreach(file IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${file})
    file(READ ${PROJECT_SOURCE_DIR}/${file} text)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/embedded.inc.in ${folder}/${file}.inc @ONLY)
  endforeach()
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
