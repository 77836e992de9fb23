#pragma once

// The requests of a rank to the chooser of its teams, a process beside it, and the answers
// (docs/formats/chooser.md).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace huddle::chooser {

/// The longest document that is taken.
inline constexpr std::size_t kMostChoiceRequest = std::size_t{16} << 20U;
/// The longest answer, with the end of its line.
inline constexpr std::size_t kMostChoiceAnswer = std::size_t{128} << 10U;
/// The answer where it chooses nothing; a reason follows, for people.
inline constexpr std::string_view kNothingChosen = "nothing: ";

/// The rules that the chooser goes by: HUDDLE_CHOOSE.
struct ChoiceOrder {
  /// The share by which groups of phases may become longer; 0 to 1.
  double bound = 0.05;
  /// Energy x time must fall, and not only energy.
  bool weighs_time = false;
  /// A machine document, an absolute path.
  std::string machine;

  friend bool operator==(const ChoiceOrder&, const ChoiceOrder&) = default;
};

/// As text: "0.05 energy /etc/huddle/machine.json", or "edp" in place of "energy"; and back. The
/// second throws Error that says what was found.
std::string text_of(const ChoiceOrder& order);
ChoiceOrder parse_choice_order(std::string_view text);

/// A profile of one rank, and a number by which who asks knows its answer again: several processes
/// may have inherited one connection.
struct ChoiceRequest {
  std::uint64_t number = 0;
  std::string document;
};

/// A request on its way: a line "choose 1 NUMBER BYTES", and then so many bytes.
std::string text_of(const ChoiceRequest& request);

/// An answer: the number, a blank, what was chosen, and the end of the line; longer ones are cut
/// short. And back, without the end of the line: nothing if it is the answer to another request.
std::string choice_answer(std::uint64_t number, std::string chosen);
std::optional<std::string> chosen_in(std::string_view answer, std::uint64_t number);

/// Takes a request together from what comes. Not safe for concurrent use.
class ChoiceRequestReader {
 public:
  /// More of what comes. Throws Error if it is no request, or one that is too long; then this is of
  /// no more use.
  void add(std::string_view bytes);
  /// The request that is whole, once; bytes behind it begin the next one. Throws as add() does.
  std::optional<ChoiceRequest> take();
  /// True if a part of a request is there.
  [[nodiscard]] bool has_begun() const { return !bytes_.empty() || length_.has_value(); }

 private:
  void read_head();

  std::string bytes_;
  std::uint64_t number_ = 0;
  std::optional<std::size_t> length_;  // of the document, once its line is there
};

}  // namespace huddle::chooser
