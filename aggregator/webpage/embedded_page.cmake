# embedded_page(NAME FOLDER SCRIPT...): makes FOLDER/page_source.cpp in the build tree, which holds the page whose sources
# are in FOLDER/page: page.html, page.css, and the scripts in that order. What all pages share comes first.
function(embedded_page name folder)
  set(here ${CMAKE_CURRENT_SOURCE_DIR})
  set(scripts ${ARGN})
  list(TRANSFORM scripts PREPEND ${here}/${folder}/page/)
  list(PREPEND scripts ${here}/webpage/common/numbers.js)
  set(styles ${here}/webpage/common/base.css ${here}/${folder}/page/page.css)
  set(html ${here}/${folder}/page/page.html)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${folder}/page_source.cpp)
  list(JOIN scripts "," script_names)
  list(JOIN styles "," style_names)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -D NAME=${name} -D HTML=${html} -D STYLES=${style_names} -D SCRIPTS=${script_names}
            -D OUTPUT=${output} -P ${here}/webpage/embed.cmake
    DEPENDS ${here}/webpage/embed.cmake ${html} ${styles} ${scripts} VERBATIM)
endfunction()
