# embedded_page(LIBRARY NAME FOLDER SCRIPT...): adds FOLDER/page_source.cpp, made in the build tree, to LIBRARY: it holds the page whose sources
# are in FOLDER/browser: page.html, page.css, and the scripts in that order. What all pages share comes first.
function(embedded_page library name folder)
  set(here ${CMAKE_CURRENT_SOURCE_DIR})
  set(scripts ${ARGN})
  list(TRANSFORM scripts PREPEND ${here}/${folder}/browser/)
  list(PREPEND scripts ${here}/render/webpage/common/numbers.js)
  set(styles ${here}/render/webpage/common/base.css ${here}/${folder}/browser/page.css)
  set(html ${here}/${folder}/browser/page.html)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${folder}/page_source.cpp)
  list(JOIN scripts "," script_names)
  list(JOIN styles "," style_names)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -D NAME=${name} -D HTML=${html} -D STYLES=${style_names} -D SCRIPTS=${script_names}
            -D OUTPUT=${output} -P ${here}/render/webpage/embed.cmake
    DEPENDS ${here}/render/webpage/embed.cmake ${html} ${styles} ${scripts} VERBATIM)
  target_sources(${library} PRIVATE ${output})
endfunction()
