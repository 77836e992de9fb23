#include "profiles/import/column_words.hpp"

#include "profiles/vocabulary/text.hpp"

namespace huddle {

std::string letters_of(std::string_view text) {
  std::string letters;
  for (const char c : in_lower_case(text))
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c & '\x80') != 0) letters += c;
  return letters;
}

bool has_word(std::string_view words, std::string_view word) {
  if (word.empty()) return false;
  for (std::size_t at = words.find(word); at != std::string_view::npos;
       at = words.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' '))
      return true;
  }
  return false;
}

}  // namespace huddle
