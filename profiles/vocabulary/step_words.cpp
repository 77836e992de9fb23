#include "profiles/vocabulary/step_words.hpp"

#include <cstdlib>

namespace huddle {
namespace {

// A value has no line's end of its own.
std::string escaped(std::string_view value) {
  std::string text;
  for (const char character : value) {
    if (character == '\n')
      text += "\\n";
    else if (character == '\\')
      text += "\\\\";
    else
      text += character;
  }
  return text;
}

std::string unescaped(std::string_view text) {
  std::string value;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool escapes = text[at] == '\\' && at + 1 < text.size();
    if (escapes) ++at;
    value += escapes && text[at] == 'n' ? '\n' : text[at];
  }
  return value;
}

}  // namespace

std::optional<std::string> step_word(std::string_view document, StepWord word) {
  const auto raw = raw_step_word(document, word);
  return raw ? std::optional(unescaped(*raw)) : std::nullopt;
}

std::string with_step_word(std::string_view document, StepWord word,
                           const std::optional<std::string>& value) {
  const bool has_begun = document.starts_with(kFirstStepLine);
  std::string text(has_begun ? document : kFirstStepLine);
  if (text.back() != '\n') text += '\n';
  if (const auto before = raw_step_word(text, word)) {
    const auto begin = static_cast<std::size_t>(before->data() - text.data());
    text.erase(begin - word.name.size() - 1, word.name.size() + 1 + before->size() + 1);
  }
  if (value) text.append(word.name).append("=").append(escaped(*value)).append("\n");
  return text == kFirstStepLine ? std::string() : text;
}

// NOLINTBEGIN(concurrency-mt-unsafe): see the header

std::optional<std::string> own_step_word(StepWord word) {
  const char* const document = std::getenv(kStepVariable);
  return document == nullptr ? std::nullopt : step_word(document, word);
}

void set_own_step_word(StepWord word, const std::optional<std::string>& value) {
  const char* const before = std::getenv(kStepVariable);
  const std::string document = with_step_word(before == nullptr ? "" : before, word, value);
  if (document.empty())
    ::unsetenv(kStepVariable);
  else
    ::setenv(kStepVariable, document.c_str(), 1);
}

// NOLINTEND(concurrency-mt-unsafe)

}  // namespace huddle
