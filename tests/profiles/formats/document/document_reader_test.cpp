#include "profiles/formats/document/document_reader.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/formats/edited_json.hpp"
#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle {
namespace {

using In = DocumentReader;
using Need = DocumentReader::Need;

// What a document of this test is about.
struct Sample {
  std::vector<double> numbers;
  std::string word;
  bool yes = false;
  std::uint32_t limit = 0;
};

constexpr std::array<In::Member<Sample>, 4> kMembers = {{
    {"limit", Need::kRequired, [](In& in, Sample& into) { into.limit = in.unsigned_32(1000); }},
    {"numbers", Need::kOptional,
     [](In& in, Sample& into) {
       in.array([&](std::size_t) {
         into.numbers.push_back(in.number());
         if (into.numbers.back() > into.limit) in.fail_value("at most the limit");
       });
     }},
    {"word", Need::kOptional, [](In& in, Sample& into) { into.word = in.text(); }},
    {"yes", Need::kOptional, [](In& in, Sample& into) { into.yes = in.boolean(); }},
}};

Sample read(std::string_view bytes) {
  DocumentReader in(bytes, "f");
  Sample sample;
  in.document(kMembers, sample);
  return sample;
}

std::string refusal(std::string_view bytes) {
  return error_of<FormatError>([&] { read(bytes); });
}

// The document {"limit": 1, "x": <value>}, in CBOR.
std::string cbor_with(std::string_view value) {
  std::string bytes = "\xa2\x65limit\x01\x61";
  bytes += 'x';
  bytes += value;
  return bytes;
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

TEST_CASE("values of every kind are read alike from JSON and CBOR") {
  const std::string json =
      R"( {"numbers": [0, -1, 1.5, -2e2, 1e-3, 0.0], "word": "a\"\u00e9\ud83d\ude00\n",)"
      R"( "yes": true, "limit": 2, "z": [{}, [], {"a": [null, false]}]} )";
  for (const std::string& document : {json, as_cbor(json)}) {
    const Sample sample = read(document);
    CHECK(sample.numbers == std::vector<double>{0, -1, 1.5, -200, 0.001, 0});
    CHECK(sample.word == "a\"é😀\n");
    CHECK(sample.yes);
    CHECK(sample.limit == 2);
  }
}

TEST_CASE("CBOR's short and indefinite forms are read") {
  std::string bytes = "\xbf\x65limit\x19\x03\xe8\x67numbers\x9f\xf9\x3c";
  bytes += '\0';
  bytes += "\xfa\x3f\xc0";
  bytes += std::string(2, '\0');
  bytes += "\x39\x01";
  bytes += '\0';
  bytes += "\xff\xff";
  CHECK(read(bytes).numbers == std::vector<double>{1, 1.5, -257});
}

TEST_CASE("a member may stand behind those that depend on it") {
  CHECK(read(R"({"numbers": [5], "limit": 7})").limit == 7);
  CHECK(refusal(R"({"numbers": [1, 8], "limit": 7})") ==
        "f: field numbers[1]: found 8, expected at most the limit");
}

TEST_CASE("an error says what was found, be it large or odd") {
  const std::string number = "f: field numbers[0]: found ";
  const auto with = [](const std::string& value) {
    return refusal(R"({"limit": 1, "numbers": [)" + value + "]}");
  };
  CHECK(with("\"x\"") == number + "\"x\", expected a finite number");
  CHECK(with("null") == number + "null, expected a finite number");
  CHECK(with("[1, [2, 3], {\"a\": {}}]") == number + "an array of 3, expected a finite number");
  CHECK(with("{\"a\": [1, 2], \"b\": 1}") == number + "an object of 2, expected a finite number");
  CHECK(with("\"" + std::string(10'000, 'x') + "\"").size() < 300);
  CHECK(refusal(R"({"limit": -18446744073709551616})") ==
        "f: field limit: found -1.8446744073709552e+19, expected a whole number from 0 to 1000");
  CHECK(refusal(R"({"limit": -5})") ==
        "f: field limit: found -5, expected a whole number from 0 to 1000");
  CHECK(refusal(cbor_with("\xff")) != "");
  CHECK(refusal("[]") == "f: the document: found an array of 0, expected an object");
  CHECK(refusal("\"text\"") == "f: the document: found \"text\", expected an object");
}

TEST_CASE("what is not JSON says where it stops being so") {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"  \n", "byte 4: found the end of the file, expected a value"},
      {"{", "byte 2: found the end of the file, expected a name in quotes"},
      {"{\"a\" 1}", "byte 6: found '1', expected ':'"},
      {"{\"a\": 1 \"b\": 2}", "byte 9: found '\"', expected ',' or '}'"},
      {"{\"a\": 1,}", "byte 9: found '}', expected a name in quotes"},
      {"{\"a\": [1,]}", "byte 10: found ']', expected a value"},
      {"{\"a\": [1 2]}", "byte 10: found '2', expected ',' or ']'"},
      {"{\"a\": tru}", "byte 7: found 't', expected a value"},
      {"{\"a\": 01}", "byte 7: found '0', expected a value"},
      {"{\"a\": 1.}", "byte 7: found '1', expected a value"},
      {"{\"a\": -}", "byte 7: found '-', expected a value"},
      {"{\"a\": +1}", "byte 7: found '+', expected a value"},
      {"{\"a\": 1e}", "byte 7: found '1', expected a value"},
      {"{\"a\": 1e999}", "byte 7: found '1', expected a number that is in range, not 1e999"},
      {"{\"a\": \"x", "byte 9: found the end of the file, expected the end of a text"},
      {"{\"a\": \"x\\", "byte 10: found the end of the file, expected the end of a text"},
      {"{} x", "byte 4: found 'x', expected the end of the document"},
  };
  for (const auto& [document, error] : table) {
    CAPTURE(document);
    CHECK(refusal(document) == "f: " + error);
  }
  const std::string text = " '\"', expected a text of valid escapes and UTF-8";
  for (const std::string bad : {"\\x", "\\ud800", "\xff", "\xc0\x80", "\x01"})
    CHECK(refusal("{\"a\": \"" + bad + "\"}").starts_with("f: byte 7: found" + text));
}

TEST_CASE("what is not CBOR says where it stops being so") {
  CHECK(refusal("#!/bin/sh") ==
        "f: the document: found -4, expected an object");  // CBOR by its first byte
  CHECK(refusal(cbor_with("")) ==
        "f: byte 10: found the end of the file, expected a complete CBOR document");
  CHECK(refusal(cbor_with("\x19\x01")).find("the end of the file") != std::string::npos);
  CHECK(refusal(cbor_with("\xc0\x01")).find("found a tag") != std::string::npos);
  CHECK(refusal(cbor_with("\xf7")).find("a simple value that has no meaning") != std::string::npos);
  CHECK(refusal(cbor_with("\x1c")).find("found 0x1c") != std::string::npos);
  CHECK(refusal(cbor_with("\xff")).find("the end of something that is not open") !=
        std::string::npos);
  CHECK(refusal(cbor_with("\x7f\x61y\xff")).find("a string of indefinite length") !=
        std::string::npos);
  CHECK(refusal(cbor_with("\xbf\x61y\xff")).find("the end of a map") != std::string::npos);
  CHECK(refusal(cbor_with("\xa1\x01\x02")).find("a key of another kind") != std::string::npos);
  CHECK(refusal(cbor_with("\x01\x02")) ==
        "f: byte 11: found 1 more bytes, expected the end of the document");
}

TEST_CASE("lengths that the document does not hold cost nothing") {
  for (const std::string head : {"\x5b", "\x7b", "\x9b", "\xbb"})
    for (const std::string& length : {std::string("\x7f\xff\xff\xff\xff\xff\xff\xff", 8),
                                      std::string("\xff\xff\xff\xff\xff\xff\xff\xff", 8),
                                      std::string("\x10\x00\x00\x00\x00\x00\x00\x00", 8)}) {
      CHECK(refusal(cbor_with(head + length)).find("a complete CBOR document") !=
            std::string::npos);
      CHECK(refusal(cbor_with(head + length + "abc")).find("a complete CBOR document") !=
            std::string::npos);
    }
}

TEST_CASE("nesting has a limit in either form, however deep the file claims to go") {
  const auto nested = [](std::size_t levels) {
    return "{\"limit\": 1, \"x\": " + std::string(levels, '[') + std::string(levels, ']') + "}";
  };
  const std::string too_deep =
      "f: the document: found values nested too deeply, expected at most 32 levels";
  CHECK(refusal(nested(31)) == "");
  CHECK(refusal(nested(32)) == too_deep);
  CHECK(refusal(as_cbor(nested(31))) == "");
  CHECK(refusal(as_cbor(nested(32))) == too_deep);
  CHECK(refusal("{\"a\": " + std::string(5'000'000, '[')) == too_deep);
  CHECK(refusal(repeated("{\"a\":", 1'000'000)) == too_deep);
  CHECK(refusal("\xa1\x61x" + std::string(5'000'000, '\x81')) == too_deep);
  CHECK(refusal("\xa1\x61x" + std::string(5'000'000, '\x9f')) == too_deep);
  CHECK(refusal(repeated("\xa1\x61x", 1'000'000)) == too_deep);
}

TEST_CASE("tokens that cross the end of what is read at once are read whole") {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "f";
  const std::string word(3'000'000, 'w');  // longer than the window itself
  for (std::size_t shift = 0; shift < 24; ++shift) {
    // White space moves the numbers over the border byte by byte.
    std::string document = "{\"z\": \"" + std::string((1U << 20U) - 60 + shift, 'z') +
                           "\", \"limit\": 12, \"numbers\": [1.25, 12, -7], \"yes\": true";
    if (shift == 0) document += ", \"word\": \"" + word + "\"";
    document += "}";
    for (const std::string& bytes : {document, as_cbor(document)}) {
      put_file(path, bytes);
      DocumentReader in(path);
      Sample sample;
      in.document(kMembers, sample);
      CHECK(sample.numbers == std::vector<double>{1.25, 12, -7});
      CHECK(sample.limit == 12);
      CHECK(sample.yes);
      CHECK(sample.word == (shift == 0 ? word : ""));
    }
  }
}

TEST_CASE("a file above the limit is refused before it is read") {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "f";
  put_file(path, "{\"limit\": 1}");
  CHECK(error_of([&] { DocumentReader(path, {.file_bytes = 12}); }) == "");
  CHECK(error_of<FormatError>([&] {
          DocumentReader(path, {.file_bytes = 11});
        }).ends_with("the file: found 12 bytes, expected at most 11 bytes"));
}

TEST_CASE("a file that is cut while it is read is one that ends too early") {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "f";
  put_file(path, "{\"limit\": 1, \"z\": \"" + std::string(3'000'000, 'z') + "\"}");
  DocumentReader in(path);
  std::filesystem::resize_file(path, 2'000'000);
  Sample sample;
  CHECK(error_of<FormatError>([&] { in.document(kMembers, sample); }).find("the end of the file") !=
        std::string::npos);
}

}  // namespace
}  // namespace huddle
