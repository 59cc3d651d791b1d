# quarry_late_library(TARGET DEFINITION LIBRARY): TARGET loads LIBRARY when it first needs it, by the name that
# DEFINITION tells.
function(quarry_late_library target definition library)
  execute_process(COMMAND ${CMAKE_READELF} -d ${library} OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCH "SONAME[^[]*\\[([^]]+)\\]" found "${dynamic}")
  if(NOT found)
    message(FATAL_ERROR "${library} does not say under which name it is to be loaded")
  endif()
  target_compile_definitions(${target} PRIVATE ${definition}="${CMAKE_MATCH_1}")
  # Where the loader does not look by itself, the program has to tell it.
  get_filename_component(directory ${library} DIRECTORY)
  if(NOT directory IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
    set_property(GLOBAL APPEND PROPERTY QUARRY_LATE_DIRECTORIES ${directory})
  endif()
endfunction()
