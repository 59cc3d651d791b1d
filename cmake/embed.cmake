# quarry_embed(TARGET NAME FILE): puts the text of FILE into TARGET as
# `extern const std::string_view quarry::embedded::NAME`.
function(quarry_embed target name file)
  get_filename_component(file ${file} ABSOLUTE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} QUARRY_EMBEDDED_TEXT)
  set(QUARRY_EMBEDDED_NAME ${name})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/embedded_${name}.cpp)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/embedded.cpp.in ${source} @ONLY)
  target_sources(${target} PRIVATE ${source})
endfunction()
