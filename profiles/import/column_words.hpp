#pragma once

// Words in the names of columns.

#include <string>
#include <string_view>

#include "profiles/vocabulary/text.hpp"

namespace huddle::imports {

/// The letters and digits of a name in small letters, without blanks and marks.
inline std::string letters_of(std::string_view text) {
  std::string letters;
  for (const char c : in_lower_case(text))
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c & '\x80') != 0) letters += c;
  return letters;
}

/// True if `word` is one of the words in `words`, which blanks part.
inline bool has_word(std::string_view words, std::string_view word) {
  return !word.empty() && word.find(' ') == std::string_view::npos &&
         (' ' + std::string(words) + ' ').find(' ' + std::string(word) + ' ') != std::string::npos;
}

}  // namespace huddle::imports
