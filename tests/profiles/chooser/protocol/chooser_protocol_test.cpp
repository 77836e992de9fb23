#include "profiles/chooser/protocol/chooser_protocol.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "profiles/vocabulary/error.hpp"

namespace huddle::chooser {
namespace {

// The documents that are taken of a text that comes in pieces of so many bytes.
std::vector<std::string> documents_of(const std::string& text, std::size_t piece) {
  ChoiceRequestReader reader;
  std::vector<std::string> documents;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    reader.add(text.substr(at, piece));
    while (auto request = reader.take()) documents.push_back(std::move(request->document));
  }
  return documents;
}

std::string refusal_of_request(const std::string& text) {
  try {
    documents_of(text, text.size());
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("an order for choosing survives its text, also a path with blanks") {
  for (const ChoiceOrder& order : {ChoiceOrder{0.05, false, "/etc/huddle/machine.json"},
                                   ChoiceOrder{0, true, "/a folder/machine 1.json"}})
    CHECK(parse_choice_order(text_of(order)) == order);
  CHECK(text_of(ChoiceOrder{0.05, true, "/m"}) == "0.05 edp /m");
}

TEST_CASE("what is no order for choosing is refused") {
  for (const char* text :
       {"", "0.05", "0.05 energy", "0.05 energy ", "0.05 energy m.json", "2 energy /m",
        "-0.1 energy /m", "nan energy /m", "0.05 time /m", "0.05  energy /m", "x energy /m"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_choice_order(text), Error);
  }
}

TEST_CASE("requests are taken together from pieces of any size, one after the other") {
  const std::string text = text_of(ChoiceRequest{7, "first\nline"}) +
                           text_of(ChoiceRequest{8, ""}) +
                           text_of(ChoiceRequest{9, std::string(300, 'x')});
  for (const std::size_t piece : {1U, 2U, 13U, 1000U})
    CHECK(documents_of(text, piece) ==
          std::vector<std::string>{"first\nline", "", std::string(300, 'x')});
  ChoiceRequestReader reader;
  CHECK_FALSE(reader.has_begun());
  reader.add("choose 1 7 5\nfir");
  CHECK(reader.has_begun());
  CHECK_FALSE(reader.take());
  reader.add("st");
  CHECK(reader.take().value_or(ChoiceRequest()).number == 7);
  CHECK_FALSE(reader.has_begun());
}

TEST_CASE("what is no request, or a document that is too long, is refused at its first line") {
  for (const std::string text :
       {"chose", "choose 2 1 1\n", "choose 1 \n", "choose 1 7\n", "choose 1 7 \n", "choose 1 7 x\n",
        "choose 1 7 5 \n", "choose 1 -7 5\n", "choose 1 7 99999999999999999999\n",
        "choose 1 99999999999999999999 5\n", "\n", "choose 1 7 16777217\n"}) {
    CAPTURE(text);
    CHECK(refusal_of_request(text).find("expected \"choose 1 NUMBER BYTES\"") != std::string::npos);
  }
  CHECK(refusal_of_request("choose 1 " + std::string(1000, '1')).size() < 400);
  CHECK(refusal_of_request("choose 1 7 16777216\n").empty());
}

TEST_CASE("an answer is one line of bounded length, for whoever has its number") {
  CHECK(choice_answer(7, "two\nlines") == "7 two lines\n");
  CHECK(chosen_in("7 bound 0.05;0 a=1", 7) == "bound 0.05;0 a=1");
  CHECK_FALSE(chosen_in("7 bound 0.05;0 a=1", 77));
  CHECK_FALSE(chosen_in("77 bound 0.05;0 a=1", 7));
  CHECK_FALSE(chosen_in("", 7));
  CHECK(choice_answer(7, std::string(2 * kMostChoiceAnswer, 'x')).size() == kMostChoiceAnswer);
}

}  // namespace huddle::chooser
