#include "spank_plugin/submission/asked/script_commands.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace huddle::submission {
namespace {

/// Reads a script from its first character to its last.
class Reader {
 public:
  explicit Reader(std::string_view script) : script_(script) {}

  std::vector<ScriptCommand> read() {
    for (at_ = 0; at_ < script_.size(); ++at_) read_character(script_[at_]);
    end_command();
    return std::move(commands_);
  }

 private:
  [[nodiscard]] char next() const { return at_ + 1 < script_.size() ? script_[at_ + 1] : '\n'; }

  // Between the words of ["srun", "-n", "4"], not in "tcp,self".
  [[nodiscard]] bool parts_a_list(char c) const {
    const auto is_quote = [](char other) { return other == '"' || other == '\''; };
    if (c == '[') return is_quote(next());
    const char before = at_ > 0 ? script_[at_ - 1] : '\n';
    if (c == ']') return is_quote(before);
    return c == ',' && (is_quote(before) || is_quote(next()) || next() == ' ' || next() == '\n');
  }

  // True if the word in front of a "=" is a variable's name, not the argument of a command.
  [[nodiscard]] bool assigns() const {
    constexpr std::array<std::string_view, 8> kAssigning = {
        "export", "declare", "local", "readonly", "set", "setenv", "alias", "typeset"};
    if (word_.empty() || word_.front() == '-') return false;
    const auto& words = command_.words;
    return words.empty() ||
           std::find(kAssigning.begin(), kAssigning.end(), words[0]) != kAssigning.end();
  }

  void read_character(char c) {
    if (c == '\\' && quote_ != '\'') {
      if (next() != '\n') word_ += next();  // else the line goes on
      ++at_;
    } else if (c == quote_) {
      quote_ = '\0';
    } else if (c == '`' && quote_ != '\'') {
      end_command();
      command_.output_is_used = backquoted_ = !backquoted_;
    } else if (c == '$' && next() == '(' && quote_ != '\'') {
      ++at_;
      end_command();
      command_.output_is_used = true;
    } else if (c == '\n') {
      quote_ = '\0';  // an apostrophe in a text that is no shell's ends with its line
      end_command();
    } else if (c == ' ' || c == '\t' || c == '\r' || parts_a_list(c)) {
      end_word();
    } else if (quote_ != '\0') {
      word_ += c;
    } else {
      read_unquoted(c);
    }
  }

  void read_unquoted(char c) {
    switch (c) {
      case '"':
      case '\'':
        quote_ = c;
        return;
      case '#':
        if (!word_.empty()) break;
        at_ = std::min(script_.find('\n', at_), script_.size()) - 1;
        return;
      case '|':
        command_.output_is_used = command_.output_is_used || next() != '|';
        return end_command();
      case '(':
      case ';':
      case ')':
        return end_command();
      case '&':
        if (word_is_redirection_ && word_.empty()) break;  // ">&2"
        return end_command();
      case '>':
        end_word();
        word_is_redirection_ = true;
        return;
      case '=':
        if (!assigns()) break;
        return end_word();
      default:
        break;
    }
    word_ += c;
  }

  void end_word() {
    if (word_is_redirection_ && !word_.empty()) {
      word_is_redirection_ = false;
      if (word_ != "&1" && word_ != "&2" && word_ != "/dev/null" && word_ != "/dev/stderr")
        command_.output_is_used = true;
    } else if (!word_.empty()) {
      command_.words.push_back(std::move(word_));
    }
    word_.clear();
  }

  void end_command() {
    end_word();
    if (!command_.words.empty()) commands_.push_back(std::move(command_));
    command_ = {};
    word_is_redirection_ = false;
  }

  std::string_view script_;
  std::size_t at_ = 0;
  char quote_ = '\0';
  bool backquoted_ = false;
  /// True if the word stands behind a ">".
  bool word_is_redirection_ = false;
  std::string word_;
  ScriptCommand command_;
  std::vector<ScriptCommand> commands_;
};

}  // namespace

std::vector<ScriptCommand> commands_of(std::string_view script) {
  return Reader(script).read();
}

}  // namespace huddle::submission
