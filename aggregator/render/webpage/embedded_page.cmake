# embedded_page(LIBRARY NAME FOLDER SCRIPT... [PARTS PART...]): adds FOLDER/page_source.cpp, made in the build tree, to LIBRARY: it holds the page
# whose sources are in FOLDER/browser: page.html, page.css, and the scripts in that order. What all pages share comes first, then PART.js and PART.css
# of the parts that some share.
function(embedded_page library name folder)
  cmake_parse_arguments(PARSE_ARGV 3 page "" "" PARTS)
  set(here ${CMAKE_CURRENT_SOURCE_DIR})
  set(common ${here}/render/webpage/common)
  set(scripts ${page_UNPARSED_ARGUMENTS})
  list(TRANSFORM scripts PREPEND ${here}/${folder}/browser/)
  set(parts ${page_PARTS})
  list(TRANSFORM parts PREPEND ${common}/)
  set(part_scripts ${parts})
  list(TRANSFORM part_scripts APPEND .js)
  list(PREPEND scripts ${common}/numbers.js ${part_scripts})
  set(part_styles ${parts})
  list(TRANSFORM part_styles APPEND .css)
  set(styles ${common}/base.css ${part_styles} ${here}/${folder}/browser/page.css)
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
