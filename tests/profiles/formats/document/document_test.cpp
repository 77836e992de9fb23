#include "profiles/formats/document/document.hpp"

#include <doctest/doctest.h>

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

TEST_CASE("a document is told apart by its first byte, white space aside") {
  CHECK(refusal(kStart + "}") == "");
  CHECK(refusal(" \n\t" + kStart + "}\n\n") == "");
  CHECK(refusal(as_cbor(kStart + "}")) == "");
}

TEST_CASE("what is neither JSON nor CBOR says where it stops being so") {
  CHECK(refusal("") == "f: the file: found nothing in it, expected a huddle document");
  CHECK(refusal("  \n").starts_with("f: byte 4: found syntax error"));
  CHECK(refusal(kStart).starts_with("f: byte 39: found syntax error"));
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
  const TemporaryDirectory directory;
  const auto path = directory.path() / "f";
  put_file(path, kStart + "}");
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
