#include "profiles/formats/profile/detail/document_writer.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace huddle {
namespace {

template <class Write>
std::string written(Encoding encoding, Write&& write) {
  DocumentWriter out(encoding);
  write(out);
  return out.take();
}

// Reads by another parser than ours.
nlohmann::json read_cbor(const std::string& bytes) {
  return nlohmann::json::from_cbor(bytes.begin(), bytes.end());
}

void write_nested(DocumentWriter& out) {
  out.open_object();
  out.key("empty");
  out.open_object();
  out.close_object();
  out.key("list");
  out.array(std::vector<std::uint64_t>{1, 2, 3},
            [&](std::uint64_t value) { out.unsigned_integer(value); });
  out.key("none");
  out.array(std::vector<int>{}, [](int) {});
  out.key("deep");
  out.open_array(2);
  out.null();
  out.open_object();
  out.key("x");
  out.text("[,{:");
  out.key("y");
  out.real(0.5);
  out.close_object();
  out.close_array();
  out.close_object();
}

TEST_CASE("members and elements are parted in JSON, whatever texts end with") {
  CHECK(written(Encoding::kJson, write_nested) ==
        R"({"empty":{},"list":[1,2,3],"none":[],"deep":[null,{"x":"[,{:","y":0.5}]})");
}

TEST_CASE("CBOR says the same as JSON to another reader") {
  CHECK(read_cbor(written(Encoding::kCbor, write_nested)) ==
        nlohmann::json::parse(written(Encoding::kJson, write_nested)));
}

TEST_CASE("whole numbers of every length are read as they were") {
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{23}, std::uint64_t{24}, std::uint64_t{255},
        std::uint64_t{256}, std::uint64_t{65535}, std::uint64_t{65536}, std::uint64_t{4294967295},
        std::uint64_t{4294967296}, std::numeric_limits<std::uint64_t>::max()}) {
    const auto write = [&](DocumentWriter& out) { out.unsigned_integer(value); };
    CHECK(read_cbor(written(Encoding::kCbor, write)).get<std::uint64_t>() == value);
    CHECK(written(Encoding::kJson, write) == std::to_string(value));
  }
}

TEST_CASE("reals are written exactly, as reals, and in as few bytes as hold them") {
  const auto json = [](double value) {
    return written(Encoding::kJson, [&](DocumentWriter& out) { out.real(value); });
  };
  CHECK(json(10) == "10.0");
  CHECK(json(0.1) == "0.1");
  CHECK(json(1e22) == "1e+22");
  CHECK(json(std::numeric_limits<double>::infinity()) == "null");
  CHECK(json(std::numeric_limits<double>::quiet_NaN()) == "null");
  for (const double value : {0.0, 10.0, 0.1, 1e300, -2.5, 5e-324, 1e-40}) {
    const std::string bytes =
        written(Encoding::kCbor, [&](DocumentWriter& out) { out.real(value); });
    CHECK(read_cbor(bytes).get<double>() == value);
    CHECK(bytes.size() ==
          (static_cast<double>(static_cast<float>(value > 1e38 ? 0.0 : value)) == value ? 5 : 9));
  }
}

TEST_CASE("texts become valid UTF-8 with what JSON must escape escaped") {
  for (const std::string text : {"", "plain", "\"\\\n\x01", "größe"}) {
    const auto write = [&](DocumentWriter& out) { out.text(text); };
    CHECK(nlohmann::json::parse(written(Encoding::kJson, write)).get<std::string>() == text);
    CHECK(read_cbor(written(Encoding::kCbor, write)).get<std::string>() == text);
  }
  const auto bad = [](DocumentWriter& out) { out.text("a\xff"); };
  CHECK(written(Encoding::kJson, bad) == "\"a\xef\xbf\xbd\"");
  CHECK(written(Encoding::kCbor, bad) ==
        "\x64"
        "a\xef\xbf\xbd");
}

TEST_CASE("an object that its first byte can't count has another byte, in an object as well") {
  for (const int members : {23, 24, 200, 255}) {
    DocumentWriter out(Encoding::kCbor);
    out.open_object();
    out.key("outer");
    out.open_object();
    for (int i = 0; i < members; ++i) out.member("k" + std::to_string(i), true);
    out.close_object();
    out.member("behind", std::uint64_t{7});
    out.close_object();
    const nlohmann::json read = nlohmann::json::from_cbor(out.take());
    CHECK(read.size() == 2);
    CHECK(read.at("outer").size() == static_cast<std::size_t>(members));
    CHECK(read.at("behind") == 7);
  }
}

TEST_CASE("an object of more members than that is a mistake of the caller") {
  DocumentWriter out(Encoding::kCbor);
  out.open_object();
  for (int i = 0; i < 255; ++i) {
    out.key("k");
    out.null();
  }
  CHECK_THROWS_AS(out.key("k"), std::logic_error);
}

}  // namespace
}  // namespace huddle
