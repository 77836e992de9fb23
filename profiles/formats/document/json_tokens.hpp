#pragma once

// Internal to the reader of profiles.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/formats/document/byte_source.hpp"
#include "profiles/formats/document/token.hpp"

namespace huddle {

/// Takes JSON (RFC 8259) apart. Owned by one thread.
class JsonTokens {
 public:
  /// Begins where `source` stands. `file` is what errors call it. Both must outlive it.
  JsonTokens(ByteSource& source, std::string_view file, unsigned nesting)
      : source_(source), file_(file), nesting_(nesting) {}

  /// Throws FormatError, naming the byte: what is not JSON, is nested too deeply, or is a number
  /// that no double holds.
  void next(Token& token);
  /// The source has moved: a value follows, and nothing is open.
  void restart();

 private:
  // An array or an object that is open.
  struct Level {
    bool object = false;
    bool first = true;
    bool value_next = false;  // the key was read
  };

  char peek();
  char peek_behind_space();
  bool close_or_separate(Token& token);
  void key(Token& token);
  void value(Token& token);
  void open(bool object, Token& token);
  void close(Token& token);
  void word(std::string_view word);
  void number(Token& token);
  void string(Token& token);
  void decode(std::string_view quoted, Token& token);
  [[noreturn]] void fail(std::string_view expected);

  ByteSource& source_;
  std::string_view file_;
  unsigned nesting_;
  std::vector<Level> levels_;
  bool begun_ = false;
  std::string decoded_;  // a name, or a text that had escapes
};

}  // namespace huddle
