#pragma once

#include <string_view>
#include <vector>

namespace huddle {

/// The one of `words` that somebody who wrote `word` is likely to have meant: at most two letters
/// were added, left out, changed, or changed places with the next, and half of the word or more is
/// right. Empty if there is none; of several, the first of the nearest.
std::string_view nearest_word(std::string_view word, const std::vector<std::string_view>& words);

}  // namespace huddle
