#include "profiles/formats/document/document.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/formats/edited_json.hpp"
#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle {
namespace {

std::string refusal(std::string_view bytes) {
  return error_of<FormatError>([&] { Document::parse(bytes, "f", "test", 1); });
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

const std::string kStart = R"({"format": "huddle/test", "version": 1)";

TEST_CASE("a document is recognised by its first byte, white space aside") {
  CHECK(refusal(kStart + "}") == "");
  CHECK(refusal(" \n\t" + kStart + "}\n\n") == "");
  CHECK(refusal(as_cbor(kStart + "}")) == "");
}

TEST_CASE("what is neither JSON nor CBOR says where it stops being so") {
  CHECK(refusal("") == "f: the file: found nothing in it, expected a huddle document");
  const std::string end = "found the end of the file, expected a complete JSON document";
  CHECK(refusal("  \n") == "f: byte 4: " + end);
  CHECK(refusal(kStart) == "f: byte 39: " + end);
  CHECK(refusal(kStart + "} x").starts_with("f: byte 41: found syntax error"));
  CHECK(refusal("#!/bin/sh").ends_with(", expected a complete JSON or CBOR document"));
  CHECK(refusal("root:x:0:0:root:/root:/bin/bash").find("byte 1: found 'r', expected") !=
        std::string::npos);
  CHECK(refusal(std::string(1000, '\0')) != "");
  CHECK(refusal("\xff\xfe") != "");
}

TEST_CASE("a document that is no object is refused") {
  CHECK(refusal("[]") == "f: the document: found an array of 0, expected an object");
  CHECK(refusal("\"text\"") == "f: the document: found \"text\", expected an object");
}

// The document with a member "x", in CBOR.
std::string cbor_with(std::string_view value) {
  std::string bytes = as_cbor(kStart + "}");
  ++bytes[0];
  return bytes.append("\x61x").append(value);
}

TEST_CASE("what is not JSON says where it stops being so") {
  const std::string before = kStart + ", \"x\":";
  for (const std::string value :
       {"1 \"b\": 2}", "1,}", "[1,]}", "[1 2]}", "tru}", "01}", "1.}", "-}", "+1}", "1e}", "1e999}",
        "\"\\x\"}", "\"\xff\"}", "\"\x01\"}"}) {
    CAPTURE(value);
    const std::string error = refusal(before + value);
    const std::string_view start = "f: byte ";
    REQUIRE(error.starts_with(start));
    const std::size_t at = std::stoul(error.substr(start.size()));
    CHECK(at > before.size());
    CHECK(at <= before.size() + value.size());
  }
  CHECK(refusal(kStart + ", \"x\": \"y").find("found the end of the file") != std::string::npos);
}

TEST_CASE("what is not CBOR says where it stops being so") {
  for (const std::string bad : {"\xc0\x01", "\xf7", "\x1c", "\xff", "\xa1\x01\x02"}) {
    CHECK(refusal(cbor_with(bad)).starts_with("f: byte "));
    CHECK(refusal(cbor_with(bad)).ends_with("expected a complete CBOR document"));
  }
  CHECK(refusal(cbor_with("")).find("the end of the file") != std::string::npos);
  CHECK(refusal(cbor_with("\x19\x01")).find("the end of the file") != std::string::npos);
  CHECK(refusal(cbor_with("\x7f\x61y\xff")).find("a string of indefinite length") !=
        std::string::npos);
  CHECK(refusal(cbor_with("\x3b\xff\xff\xff\xff\xff\xff\xff\xff"))
            .find("found a number below -9223372036854775808") != std::string::npos);
  CHECK(refusal(cbor_with("\x01\x02")).starts_with("f: byte "));
}

TEST_CASE("values of every kind are read alike from JSON and CBOR") {
  const std::string json = kStart + R"(, "numbers": [0, -1, 1.5, -2e2, 1e-3, 0.0],)"
                                    R"( "word": "a\"\u00e9\ud83d\ude00\n", "yes": true,)"
                                    R"( "z": [{}, [], {"a": [null, false]}], "no": null} )";
  for (const std::string& bytes : {json, as_cbor(json)}) {
    const Document document = Document::parse(bytes, "f", "test", 1);
    const Field root = document.root();
    std::vector<double> numbers;
    root.at("numbers").for_each([&](const Field& field) { numbers.push_back(field.number()); });
    CHECK(numbers == std::vector<double>{0, -1, 1.5, -200, 0.001, 0});
    CHECK(root.at("word").text() == "a\"é😀\n");
    CHECK(root.at("yes").boolean());
    CHECK_FALSE(root.at("z").element(2).at("a").element(1).boolean());
    CHECK(root.at("no").is_null());
    CHECK_FALSE(root.has("no"));
    CHECK_FALSE(root.has("nothing"));
  }
}

TEST_CASE("CBOR's short and indefinite forms are read") {
  const std::string half = {'\xf9', '\x3c', '\x00'};
  const std::string single = {'\xfa', '\x3f', '\xc0', '\x00', '\x00'};
  const std::string negative = {'\x39', '\x01', '\x00'};
  const Document document =
      Document::parse(cbor_with("\x9f" + half + single + negative + "\xff"), "f", "test", 1);
  std::vector<double> numbers;
  document.root().at("x").for_each([&](const Field& field) { numbers.push_back(field.number()); });
  CHECK(numbers == std::vector<double>{1, 1.5, -257});
}

TEST_CASE("an error says what was found and where, be it large, odd or deep") {
  const auto with = [](const std::string& value) {
    const std::string bytes = kStart + ", \"a\": [[], {\"b\": [0, " + value + "]}]}";
    const Document document = Document::parse(bytes, "f", "test", 1);
    return error_of<FormatError>(
        [&] { static_cast<void>(document.root().at("a").element(1).at("b").element(1).number()); });
  };
  const std::string place = "f: field a[1].b[1]: found ";
  CHECK(with("\"x\"") == place + "\"x\", expected a finite number");
  CHECK(with("null") == place + "null, expected a finite number");
  CHECK(with("[1, [2, 3], {\"a\": {}}]") == place + "an array of 3, expected a finite number");
  CHECK(with("{\"a\": [1, 2], \"b\": 1}") == place + "an object of 2, expected a finite number");
  CHECK(with("\"" + std::string(10'000, 'x') + "\"").size() < 300);
  const Document document = Document::parse(
      kStart + R"(, "x": -5, "y": -18446744073709551616, "o": {}})", "f", "test", 1);
  const auto refused = [&](std::string_view name) {
    return error_of<FormatError>(
        [&] { static_cast<void>(document.root().at(name).unsigned_integer(9)); });
  };
  CHECK(refused("x") == "f: field x: found -5, expected a whole number from 0 to 9");
  CHECK(refused("y") ==
        "f: field y: found -1.8446744073709552e+19, expected a whole number from 0 to 9");
  CHECK(error_of<FormatError>([&] { static_cast<void>(document.root().at("o").at("p")); }) ==
        "f: field o.p: found nothing, expected this field");
}

TEST_CASE("a member that is there twice is refused when it is looked at") {
  const Document document =
      Document::parse(kStart + R"(, "x": {"a": 1, "b": 2, "a": 1}})", "f", "test", 1);
  const Field x = document.root().at("x");
  CHECK(x.at("b").unsigned_integer() == 2);
  const std::string twice = "f: field x.a: found this field a second time, expected it only once";
  CHECK(error_of<FormatError>([&] { static_cast<void>(x.at("a")); }) == twice);
  CHECK(error_of<FormatError>([&] { static_cast<void>(x.has("a")); }) == twice);
  CHECK(error_of<FormatError>([&] { x.for_each_member([](const auto&, const auto&) {}); }) ==
        twice);
}

TEST_CASE("members are visited in the order of their names") {
  const Document document =
      Document::parse(kStart + R"(, "x": {"b": 2, "c": [], "a": 1}})", "f", "test", 1);
  std::string names;
  document.root().at("x").for_each_member(
      [&](const std::string& name, const Field&) { names += name; });
  CHECK(names == "abc");
}

// The elements of a streamed array "s", which are texts and arrays of texts.
struct Streamed {
  std::vector<std::string> texts;
  std::string before;  // a member in front of it, "-" if it is not there
  StreamedArray array{"s",
                      [this](const Field& root, std::uint64_t) {
                        before = root.has("word") ? root.at("word").text() : "-";
                        return true;
                      },
                      [this](const Field& element) {
                        if (!element.is_array()) return texts.push_back(element.text());
                        element.for_each([&](const Field& text) { texts.push_back(text.text()); });
                      }};
};

TEST_CASE("the elements of a streamed array are seen one by one, and are not kept") {
  const std::string json =
      kStart + R"(, "word": "w", "s": ["a", ["b", "c"], "d"], "t": {"s": ["e"]}})";
  for (const std::string& bytes : {json, as_cbor(json)}) {
    Streamed streamed;
    const Document document = Document::parse(bytes, "f", "test", 1, {}, &streamed.array);
    CHECK(streamed.texts == std::vector<std::string>{"a", "b", "c", "d"});
    CHECK(streamed.before == "w");
    CHECK(document.root().at("s").array_size() == 3);
    CHECK(document.root().at("t").at("s").element(0).text() == "e");
  }
  Streamed streamed;
  Document::parse(R"({"s": [], "format": "huddle/test", "version": 1})", "f", "test", 1, {},
                  &streamed.array);
  CHECK(streamed.before == "-");
}

TEST_CASE("an error in a streamed array names the element, and another format ends the reading") {
  Streamed streamed;
  const auto refused = [&](const std::string& bytes) {
    return error_of<FormatError>(
        [&] { Document::parse(bytes, "f", "test", 1, {}, &streamed.array); });
  };
  CHECK(refused(kStart + R"(, "s": ["a", ["b", 7]]})") ==
        "f: field s[1][1]: found 7, expected a text");
  CHECK(refused(R"({"format": "huddle/other", "version": 1, "s": [7)") ==
        "f: field format: found \"huddle/other\", expected \"huddle/test\"");
  CHECK(refused(kStart + R"(, "s": "a"})") == "");
}

TEST_CASE("values that cross the end of what is read at once are read whole") {
  const store::TemporaryDirectory directory;
  const auto path = directory.path() / "f";
  const std::string word(3'000'000, 'w');
  for (std::size_t shift = 0; shift < 24; ++shift) {
    // The text moves the numbers over the border byte by byte.
    const std::string json = kStart + ", \"z\": \"" + std::string((1U << 20U) - 110 + shift, 'z') +
                             "\", \"s\": [\"abc\", \"def\"], \"number\": 1.25, \"word\": \"" +
                             (shift == 0 ? word : "w") + "\"}";
    for (const std::string& bytes : {json, as_cbor(json)}) {
      store::put_file(path, bytes);
      Streamed streamed;
      const Document document = Document::load(path, "test", 1, {}, &streamed.array);
      CHECK(streamed.texts == std::vector<std::string>{"abc", "def"});
      CHECK(document.root().at("number").number() == 1.25);
      CHECK(document.root().at("word").text() == (shift == 0 ? word : "w"));
    }
  }
}

TEST_CASE("a file that is cut while it is read is one that ends too early") {
  const store::TemporaryDirectory directory;
  const auto path = directory.path() / "f";
  store::put_file(path,
                  kStart + ", \"s\": [\"a\"], \"z\": \"" + std::string(3'000'000, 'z') + "\"}");
  Streamed streamed;
  streamed.array.visit = [&](const Field&) { std::filesystem::resize_file(path, 2'000'000); };
  CHECK(error_of<FormatError>([&] {
          Document::load(path, "test", 1, {}, &streamed.array);
        }).find("the end of the file") != std::string::npos);
}

TEST_CASE("nesting has a limit in either form, however deep the file claims to go") {
  const auto nested = [](std::size_t levels) {
    return kStart + ", \"x\": " + std::string(levels, '[') + std::string(levels, ']') + "}";
  };
  const std::string too_deep =
      "f: the document: found values nested too deeply, expected at most 32 levels";
  CHECK(refusal(nested(31)) == "");
  CHECK(refusal(nested(32)) == too_deep);
  CHECK(refusal(as_cbor(nested(31))) == "");
  CHECK(refusal(as_cbor(nested(32))) == too_deep);
  CHECK(refusal(std::string(5'000'000, '[')) == too_deep);
  CHECK(refusal(repeated("{\"a\":", 1'000'000)) == too_deep);
  CHECK(refusal(std::string(5'000'000, '\x81')) == too_deep);
  CHECK(refusal(std::string(5'000'000, '\x9f')) == too_deep);
  CHECK(refusal(repeated("\xa1\x60", 1'000'000)) == too_deep);
}

TEST_CASE("CBOR texts inside texts and tags inside tags can't exhaust the stack") {
  const std::string start = "\xa1";
  CHECK(refusal(start + std::string(5'000'000, '\x7f')) != "");
  CHECK(refusal(start + repeated("\x7f\x60", 3'000'000)) != "");
  CHECK(refusal(start + "\x61x" + std::string(5'000'000, '\x5f')) != "");
  CHECK(refusal(std::string(5'000'000, '\x7f')) != "");
  CHECK(refusal(std::string(5'000'000, '\xc0')) != "");
  CHECK(refusal(start + "\x61x" + std::string(5'000'000, '\xc0')) != "");
}

TEST_CASE("bytes that look like the head of an endless text are fine inside a text") {
  const std::string text = std::string(300, '\x7f') + std::string(300, '_');
  const std::string document = as_cbor(kStart + ", \"x\": \"" + text + "\"}");
  CHECK(Document::parse(document, "f", "test", 1).root().at("x").text() == text);
}

TEST_CASE("lengths that the file does not hold cost nothing") {
  const std::string start = "\xa1\x61x";
  for (const std::string head : {"\x5b", "\x7b", "\x9b", "\xbb"})
    for (const std::string& length : {std::string("\x7f\xff\xff\xff\xff\xff\xff\xff", 8),
                                      std::string("\xff\xff\xff\xff\xff\xff\xff\xff", 8),
                                      std::string("\x00\x00\x01\x00\x00\x00\x00\x00", 8)}) {
      CHECK(refusal(start + head + length) != "");
      CHECK(refusal(start + head + length + "abc") != "");
    }
}

TEST_CASE("a number too large for any field is refused, not rounded to infinity") {
  CHECK(refusal(kStart + ", \"x\": 1e999}") != "");
}

TEST_CASE("a file above the limit is refused before it is read") {
  const store::TemporaryDirectory directory;
  const auto path = directory.path() / "f";
  store::put_file(path, kStart + "}");
  const auto size = std::filesystem::file_size(path);
  CHECK(error_of([&] { Document::load(path, "test", 1, {.file_bytes = size}); }) == "");
  CHECK(error_of<FormatError>([&] {
          Document::load(path, "test", 1, {.file_bytes = size - 1});
        }).ends_with("the file: found 39 bytes, expected at most 38 bytes"));
}

TEST_CASE("elements beyond an array's end are an error of their own") {
  const Document document = Document::parse(kStart + ", \"x\": [1]}", "f", "test", 1);
  const Field x = document.root().at("x");
  CHECK(x.element(0).unsigned_integer() == 1);
  CHECK(error_of<FormatError>([&] { static_cast<void>(x.element(1)); }) ==
        "f: field x: found an array of 1, expected an array of at least 2 elements");
}

TEST_CASE("a finding that is no UTF-8 or is very long still makes a line") {
  const std::string cbor =
      "\xa1\x66"  // {"format": ...
      "format\x62\xff\xfe";
  CHECK(refusal(cbor).find("expected \"huddle/test\"") != std::string::npos);
  const std::string error =
      refusal(with_field(kStart + "}", "/format", "\"" + std::string(10'000, 'x') + "\""));
  CHECK(error.size() < 300);
}

TEST_CASE("text becomes valid UTF-8") {
  CHECK(utf8("größe \n\"") == "größe \n\"");
  CHECK(utf8("a\xffz") == "a\xef\xbf\xbdz");
  CHECK(utf8("") == "");
}

}  // namespace
}  // namespace huddle
