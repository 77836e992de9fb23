#include "profiles/import/matrix_csv.hpp"

#include <doctest/doctest.h>

#include "profiles/formats/profile/profile.hpp"
#include "profiles/vocabulary/size_class.hpp"
#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::imports {
namespace {

Profile parsed(std::string_view bytes) {
  return parse_matrix_csv({bytes, "b.csv"});
}

Profile parsed(std::string_view bytes, std::string_view counts) {
  return parse_matrix_csv({bytes, "b.csv"}, NamedText{counts, "c.csv"});
}

TEST_CASE("rows are senders, and a pair's messages count as of their mean size") {
  const Profile profile = parsed("0,1000,5\n7,0,0\n0,0,9\n", "0,10,10\n1,0,3\n0,0,1\n");
  CHECK(profile.ranks == 3);
  CHECK(profile.complete);
  REQUIRE(profile.rank_records.size() == 3);
  const auto& sent = profile.rank_records[0].sent;
  REQUIRE(sent.size() == 2);
  CHECK(sent[0].receiver == Rank{1});
  CHECK(sent[0].messages == 10);
  CHECK(sent[0].bytes == Bytes{1000});
  CHECK(sent[0].size_class == size_class_of(100));
  // Half a byte on average is not an empty message.
  CHECK(sent[1].size_class == 1);
  const auto& empty = profile.rank_records[1].sent.back();
  CHECK(empty.receiver == Rank{2});
  CHECK(empty.messages == 3);
  CHECK(empty.size_class == 0);
  CHECK(profile.rank_records[2].sent.front().receiver == Rank{2});
}

TEST_CASE("without counts, what one rank sent to another is one message, and a note says so") {
  const Profile profile = parsed("0,1000\n0,0\n");
  CHECK(profile.rank_records[0].sent.front().messages == 1);
  CHECK(profile.rank_records[1].sent.empty());
  CHECK(profile.notes.back() ==
        "The numbers of messages are not known: what one rank sent to another counts as one "
        "message.");
}

TEST_CASE("an imported profile says that it has no times, and can be written and read") {
  const Profile profile = parsed("0,5\n6,0\n", "0,1\n2,0\n");
  CHECK(profile.run_time() == Seconds{0});
  CHECK(profile.notes.front() ==
        "Imported from a CSV matrix: times are not known, and 0 stands for each.");
  const store::TemporaryDirectory directory;
  for (const char* name : {"p.json", "p.cbor"}) {
    save_profile(profile, directory.path() / name);
    const Profile again = load_profile(directory.path() / name);
    CHECK(again.notes == profile.notes);
    CHECK(again.rank_records[1].sent.front().bytes == Bytes{6});
    CHECK(again.rank_records[1].sent.front().messages == 2);
  }
}

TEST_CASE("blanks, carriage returns and empty lines at the end do not matter") {
  CHECK(parsed(" 0, 5\r\n6 ,\t0\r\n\r\n\n").rank_records[1].sent.front().bytes == Bytes{6});
  CHECK(parsed("0,5\n6,0").rank_records[1].sent.front().bytes == Bytes{6});
  CHECK(parsed("3").rank_records[0].sent.front().bytes == Bytes{3});
}

TEST_CASE("matrices are read as numpy, pandas, R, MATLAB and spreadsheets write them") {
  const std::vector<std::string> texts = {
      "0.0,1000.0\n6,0\n",                                                     // numpy and comma
      "0.000000000000000000e+00 1.000000000000000000e+03\n6e0 0\n",            // numpy.savetxt
      "# bytes\n0 1e3\n6 0\n",                                                 // with a header
      "   0.0000000e+00   1.0000000e+03\n   6.0000000e+00   0.0000000e+00\n",  // MATLAB
      "0\t1000\n6\t0\n",
      "\xef\xbb\xbf\"0\";\"1000\"\r\n\"6\";\"0\"\r\n",  // a spreadsheet
      ",0,1\n0,0,1000\n1,6,0\n",                        // pandas
      "0,1\n0,1000\n6,0\n",                             // pandas without index
      "r0,r1\n0,1000\n6,0\n",
      "rank,r0,r1\nr0,0,1000\nr1,6,0\n",
      "\"r0\" \"r1\"\n\"r0\" 0 1000\n\"r1\" 6 0\n",  // R
      "r0,0,1000\nr1,6,0\n"};
  for (const std::string& text : texts) {
    CAPTURE(text);
    const Profile profile = parsed(text);
    REQUIRE(profile.ranks == 2);
    CHECK(profile.rank_records[0].sent.front().bytes == Bytes{1000});
    CHECK(profile.rank_records[1].sent.front().bytes == Bytes{6});
  }
  // Digits are exact beyond what a double is.
  CHECK(parsed("9007199254740993").rank_records[0].sent.front().bytes == Bytes{9007199254740993});
  CHECK(error_of<FormatError>([] { parsed("9.5e15\n"); }) ==
        "b.csv: line 1, column 1: found \"9.5e15\", expected a whole number of bytes");
  CHECK(error_of<FormatError>([] { parsed("0;1000,5\n6;0\n"); }) ==
        "b.csv: line 1, column 3: found \"1000,5\", expected a whole number of bytes");
}

TEST_CASE("what is no square of whole numbers is refused by line and column") {
  CHECK(error_of<FormatError>([] { parsed("0,x\n0,0\n"); }) ==
        "b.csv: line 1, column 3: found \"x\", expected a whole number of bytes");
  CHECK(error_of<FormatError>([] { parsed("0,1\n0,-1\n"); }) ==
        "b.csv: line 2, column 3: found \"-1\", expected a whole number of bytes");
  CHECK(error_of<FormatError>([] { parsed("0,1\n0,1.5\n"); }) ==
        "b.csv: line 2, column 3: found \"1.5\", expected a whole number of bytes");
  CHECK(error_of<FormatError>([] { parsed("0,\n0,0\n"); }) ==
        "b.csv: line 1, column 3: found the end of the line, expected a whole number of bytes");
  CHECK(error_of<FormatError>([] { parsed(""); }) ==
        "b.csv: line 1, column 1: found the end of the file, expected a whole number of bytes");
  CHECK(error_of<FormatError>([] { parsed("0,1\n0\n"); }) ==
        "b.csv: line 2, column 2: found the end of the line, expected number 2 of 2: as many "
        "lines of as many numbers as the first line has");
  CHECK(error_of<FormatError>([] { parsed("0,1\n"); }) ==
        "b.csv: line 2, column 1: found the end of the file, expected number 1 of 2: as many "
        "lines of as many numbers as the first line has");
  CHECK(error_of<FormatError>([] { parsed("0,1\n0,1,2\n"); }) ==
        "b.csv: line 2, column 5: found \"2\", expected 2 numbers, as in the first line");
  CHECK(error_of<FormatError>([] { parsed("0,5\n0,5\n0,5\n"); }) ==
        "b.csv: line 3, column 1: found \"0\", expected 2 lines, as many as the first one has "
        "numbers");
}

TEST_CASE("bytes and counts that do not fit together are refused where the counts stand") {
  CHECK(error_of<FormatError>([] { parsed("0,1\n0,0\n", "0,0\n0,0\n"); }) ==
        "c.csv: line 1, column 3: found \"0\", expected 1 message or more, since these ranks have "
        "1 byte");
  CHECK(error_of<FormatError>([] { parsed("0,1\n0,0\n", "0\n"); }) ==
        "c.csv: line 1, column 1: found \"0\", expected 2 numbers in a line, as in b.csv");
}

TEST_CASE("sums that could overflow and rows without end are refused") {
  CHECK_NOTHROW(parsed("0,9223372036854775807\n0,0\n"));
  CHECK(error_of<FormatError>([] { parsed("0,9223372036854775807\n1,0\n"); }) ==
        "b.csv: line 2, column 1: found \"1\", expected numbers that sum to less than 2^63");
  CHECK(error_of<FormatError>([] { parsed("18446744073709551616\n"); }) != "");
  std::string row = "0";
  for (int i = 0; i < 70000; ++i) row += ",0";
  CHECK(error_of<FormatError>([&] { parsed(row); }) ==
        "b.csv: line 1, column 131073: found \"0\", expected at most 65536 numbers in a line");
}

}  // namespace
}  // namespace huddle::imports
