# volt_embed(<target> <file>...): the target may write
#   constexpr std::string_view kPage =
#   #include <FILE.inc>
#       ;
# for the text of a file, named from the root of the sources.
function(volt_embed target)
  set(folder ${PROJECT_BINARY_DIR}/embedded)
  foreach(file IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${file})
    file(READ ${PROJECT_SOURCE_DIR}/${file} text)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/embedded.inc.in ${folder}/${file}.inc @ONLY)
  endforeach()
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
