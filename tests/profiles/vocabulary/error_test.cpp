#include "profiles/vocabulary/error.hpp"

#include <doctest/doctest.h>

#include <cerrno>
#include <string>

namespace huddle {
namespace {

TEST_CASE("a text up to the limit is shown whole, a longer one is cut and says so") {
  CHECK(shortened("", 3) == "");
  CHECK(shortened("abc", 3) == "abc");
  CHECK(shortened("abcd", 3) == "abc...");
  CHECK(shortened(std::string(60, 'x')) == std::string(60, 'x'));
  CHECK(shortened(std::string(61, 'x')) == std::string(60, 'x').append("..."));
}

TEST_CASE("control characters never reach a terminal") {
  CHECK(shortened("a\nb\tc\x1b[31m\x7f") == "a?b?c?[31m?");
  CHECK(shortened(std::string_view("a\0b", 3)) == "a?b");
  CHECK(shortened("a\u009b31mb\u0085c") == "a?31mb?c");                      // C1
  CHECK(shortened("a\u202egnp.exe\u2066b\u200fc\u061cd\u2028e") == "a?gnp.exe?b?c?d?e");
  CHECK(shortened("\u00a0\u2013\u4e2d\U0001f600") == "\u00a0\u2013\u4e2d\U0001f600");
}

TEST_CASE("letters beyond ASCII are kept") {
  CHECK(shortened("größer") == "größer");
}

TEST_CASE("a letter of several bytes is never cut in two") {
  CHECK(shortened("abß", 3) == "ab...");
  CHECK(shortened("abß", 4) == "abß");
  CHECK(shortened("a\xf0\x9f\x98\x80z", 4) == "a...");
}

TEST_CASE("bytes that are no text are replaced, so that an error is always text") {
  CHECK(shortened("a\xff"
                  "b\xc3") == "a?b?");
  CHECK(shortened("\x80\xe2\x82") == "???");
}

TEST_CASE("a format error names file, place, finding and expectation on one line") {
  const FormatError error("p.json", "field ranks", "\"a\nb\"", "a number");
  CHECK(std::string(error.what()) == "p.json: field ranks: found \"a?b\", expected a number");
}

TEST_CASE("a format error shortens what it found") {
  const FormatError error("f", "p", std::string(1000, 'x'), "less");
  CHECK(std::string(error.what()) == "f: p: found " + std::string(120, 'x') + "..., expected less");
}

TEST_CASE("a file name with control characters does not break the line of an error") {
  CHECK(std::string(FormatError("a\nb", "p", "x", "y").what()) == "a?b: p: found x, expected y");
  CHECK(std::string(SystemError("open", "a\nb", ENOENT).what()).find('\n') == std::string::npos);
}

TEST_CASE("a system error gives the system's reason and keeps its number") {
  const SystemError error("open", "/x", ENOENT);
  CHECK(std::string(error.what()) == "can't open /x: No such file or directory");
  CHECK(error.error_number() == ENOENT);
}

}  // namespace
}  // namespace huddle
