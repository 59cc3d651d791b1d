# quarry_embed(TARGET NAME FILE): puts the text of FILE into TARGET as
# `extern const std::string_view quarry::embedded::NAME`. FILE may be made by the build.
function(quarry_embed target name file)
  get_filename_component(QUARRY_EMBEDDED_FILE ${file} ABSOLUTE)
  set(QUARRY_EMBEDDED_NAME ${name})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/embedded_${name}.cpp)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/embedded.cpp.in ${source} @ONLY)
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS ${QUARRY_EMBEDDED_FILE})
  target_sources(${target} PRIVATE ${source})
endfunction()
