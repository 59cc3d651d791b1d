# quarry_late_library(TARGET DEFINITION LIBRARY): TARGET loads LIBRARY when it first needs it, by the name that
# DEFINITION tells.
function(quarry_late_library target definition library)
  execute_process(COMMAND ${CMAKE_READELF} -d ${library} OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCH "SONAME[^[]*\\[([^]]+)\\]" found "${dynamic}")
  if(NOT found)
    message(FATAL_ERROR "${library} does not say under which name it is to be loaded")
  endif()
  target_compile_definitions(${target} PRIVATE ${definition}="${CMAKE_MATCH_1}")
endfunction()
