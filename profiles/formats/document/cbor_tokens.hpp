#pragma once

// Internal to the reader of profiles.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/formats/document/byte_source.hpp"
#include "profiles/formats/document/token.hpp"

namespace huddle {

/// Takes CBOR (RFC 8949) apart. Strings of indefinite length, tags, `undefined` and simple values
/// without a name are refused, and so are keys that are no texts. Owned by one thread.
class CborTokens {
 public:
  /// Begins where `source` stands. `file` is what errors call it. Both must outlive it.
  CborTokens(ByteSource& source, std::string_view file, unsigned nesting)
      : source_(source), file_(file), nesting_(nesting) {}

  /// Throws FormatError, naming the byte: what is not CBOR, is nested too deeply, or claims more
  /// elements or bytes than the document has.
  void next(Token& token);
  /// Reads the value that is next, and all that is in it, without looking at it: in a fraction of
  /// the time of next(). Throws like that.
  void skip();
  /// The source has moved: a value follows, and nothing is open.
  void restart();

 private:
  // An array or a map that is open.
  struct Level {
    std::uint64_t left = 0;  // values and keys, unless endless
    bool map = false;
    bool endless = false;
    bool key_next = false;
  };
  struct Head {
    unsigned major = 0;
    unsigned info = 0;  // the low 5 bits of the first byte
    std::uint64_t argument = 0;
  };

  void skip_simple_items();
  bool close_if_done(Token& token);
  Head head();
  Head long_head(Head head);
  void open(const Head& head, Token& token);
  void string(const Head& head, Token& token);
  void simple(const Head& head, Token& token);
  [[noreturn]] void fail(std::string_view found, std::string_view expected) const;
  [[noreturn]] void fail_short() const;

  ByteSource& source_;
  std::string_view file_;
  unsigned nesting_;
  std::vector<Level> levels_;
  bool begun_ = false;
};

}  // namespace huddle
