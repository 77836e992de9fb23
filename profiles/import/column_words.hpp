#pragma once

// Words in the names of columns.

#include <string>
#include <string_view>

namespace huddle {

/// The letters and digits of a name in small letters, without blanks and marks.
std::string letters_of(std::string_view text);

/// True if `word` is one of the words in `words`, which blanks part.
bool has_word(std::string_view words, std::string_view word);

}  // namespace huddle
