#include "profiles/chooser/protocol/chooser_protocol.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "profiles/vocabulary/error.hpp"

namespace huddle::chooser {
namespace {

constexpr std::string_view kHead = "choose 1 ";
constexpr std::size_t kLongestHead = kHead.size() + 40;  // two numbers

[[noreturn]] void refuse_order(std::string_view text) {
  throw Error(
      fmt::format("HUDDLE_CHOOSE: found \"{}\", expected a bound from 0 to 1, \"energy\" or "
                  "\"edp\", and the absolute path of a machine document",
                  shortened(text)));
}

}  // namespace

std::string text_of(const ChoiceOrder& order) {
  return fmt::format("{} {} {}", order.bound, order.weighs_time ? "edp" : "energy", order.machine);
}

ChoiceOrder parse_choice_order(const std::string_view text) {
  ChoiceOrder order;
  const char* const end = text.data() + text.size();
  const auto [behind, failure] = std::from_chars(text.data(), end, order.bound);
  if (failure != std::errc() || !(order.bound >= 0 && order.bound <= 1)) refuse_order(text);
  std::string_view rest(behind, static_cast<std::size_t>(end - behind));
  if (rest.starts_with(" edp "))
    order.weighs_time = true;
  else if (!rest.starts_with(" energy "))
    refuse_order(text);
  rest.remove_prefix(rest.find(' ', 1) + 1);
  if (!rest.starts_with('/')) refuse_order(text);
  order.machine = rest;
  return order;
}

std::string text_of(const ChoiceRequest& request) {
  return fmt::format("{}{} {}\n{}", kHead, request.number, request.document.size(),
                     request.document);
}

std::string choice_answer(std::uint64_t number, std::string chosen) {
  std::ranges::replace(chosen, '\n', ' ');
  std::string answer = fmt::format("{} {}", number, chosen);
  answer.resize(std::min(answer.size(), kMostChoiceAnswer - 1));
  return answer + '\n';
}

std::optional<std::string> chosen_in(std::string_view answer, std::uint64_t number) {
  const std::string begin = fmt::format("{} ", number);
  if (!answer.starts_with(begin)) return std::nullopt;
  return std::string(answer.substr(begin.size()));
}

void ChoiceRequestReader::add(std::string_view bytes) {
  bytes_ += bytes;
  if (!length_) read_head();
}

void ChoiceRequestReader::read_head() {
  const std::size_t end = bytes_.find('\n');
  const std::string_view head = std::string_view(bytes_).substr(0, end);
  const auto refuse = [&] {
    throw Error(fmt::format("found \"{}\", expected \"{}NUMBER BYTES\" with at most {} bytes",
                            shortened(head), kHead, kMostChoiceRequest));
  };
  if (head.substr(0, kHead.size()) != kHead.substr(0, head.size()) || head.size() > kLongestHead)
    refuse();
  if (end == std::string::npos) return;
  const char* const behind = head.data() + head.size();
  const char* const begin = head.data() + std::min(kHead.size(), head.size());
  std::size_t length = 0;
  const auto [blank, no_number] = std::from_chars(begin, behind, number_);
  if (no_number != std::errc() || blank == behind || *blank != ' ') refuse();
  const auto [rest, no_length] = std::from_chars(blank + 1, behind, length);
  if (no_length != std::errc() || rest != behind || length > kMostChoiceRequest) refuse();
  length_ = length;
  bytes_.erase(0, end + 1);
}

std::optional<ChoiceRequest> ChoiceRequestReader::take() {
  if (!length_ || bytes_.size() < *length_) return std::nullopt;
  ChoiceRequest request{number_, bytes_.substr(0, *length_)};
  bytes_.erase(0, *length_);
  length_.reset();
  if (!bytes_.empty()) read_head();
  return request;
}

}  // namespace huddle::chooser
