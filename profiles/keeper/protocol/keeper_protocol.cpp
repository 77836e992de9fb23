#include "profiles/keeper/protocol/keeper_protocol.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profiles/keeper/protocol/clock_page.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/field_reader.hpp"

namespace huddle::keeper {
namespace {

constexpr std::string_view kFirstLine = "huddle-keeper 1\n";
constexpr std::string_view kReplySource = "the keeper's answer";
constexpr std::string_view kPus = "pus ";
constexpr std::string_view kRefused = "refused\t";
constexpr std::string_view kClock = "clock\t";
// Faster than any clock.
constexpr std::uint32_t kMostOfferedKhz = 100'000'000;

[[noreturn]] void refuse_reply(std::size_t line, std::string_view found,
                               std::string_view expected) {
  throw FormatError(kReplySource, fmt::format("line {}", line),
                    fmt::format("\"{}\"", shortened(found)), expected);
}

// Without leading zeros, so that each number has one form. 0 if it is none.
std::uint32_t offered_khz(std::string_view text) {
  const std::uint32_t khz = number_in<std::uint32_t>(text).value_or(0);
  return text.starts_with('0') || khz > kMostOfferedKhz ? 0 : khz;
}

PuSet pus_of_clock(std::string_view list, std::size_t line) {
  PuSet pus;
  try {
    pus = PuSet::parse(list);
  } catch (const Error&) {
    // It stays empty.
  }
  if (pus.empty()) refuse_reply(line, list, "PUs such as 0-3,8");
  return pus;
}

OfferedClock clock_of_line(std::string_view fields, std::size_t line) {
  OfferedClock clock;
  clock.pus = pus_of_clock(take_until(fields, '\t'), line);
  std::string_view limits = take_until(fields, '\t');
  clock.least_khz = offered_khz(take_until(limits, '-'));
  clock.most_khz = offered_khz(limits);
  if (clock.least_khz == 0 || clock.most_khz < clock.least_khz)
    refuse_reply(line, fields, "an envelope such as 1200000-2400000, and steps or \"-\" behind it");
  if (fields == "-") return clock;
  for (std::string_view steps = fields;;) {
    const bool last = steps.find(',') == std::string_view::npos;
    const std::uint32_t khz = offered_khz(take_until(steps, ','));
    if (khz == 0 || clock.steps_khz.size() == kMostClockSteps ||
        (!clock.steps_khz.empty() && clock.steps_khz.back() >= khz))
      refuse_reply(line, fields, "ascending steps such as 1200000,1800000");
    clock.steps_khz.push_back(khz);
    if (last) return clock;
  }
}

}  // namespace

std::string text_of(const KeeperGreeting& greeting) {
  return fmt::format("{}{}{}\n", kFirstLine, kPus, greeting.pus.list());
}

std::optional<KeeperGreeting> parse_keeper_greeting(std::string_view text) {
  if (text.size() > kMostGreetingBytes || !text.starts_with(kFirstLine)) return std::nullopt;
  text.remove_prefix(kFirstLine.size());
  if (!text.starts_with(kPus) || !text.ends_with('\n')) return std::nullopt;
  text = text.substr(kPus.size(), text.size() - kPus.size() - 1);
  try {
    KeeperGreeting greeting{PuSet::parse(text)};
    if (greeting.pus.empty()) return std::nullopt;
    return greeting;
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::string text_of(const KeeperReply& reply) {
  std::string text(kFirstLine);
  if (!reply.refusal.empty()) {
    std::string line = reply.refusal;
    std::replace_if(
        line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    return text + fmt::format("{}{}\n", kRefused, line);
  }
  for (const OfferedClock& clock : reply.clocks) {
    text += fmt::format("{}{}\t{}-{}\t", kClock, clock.pus.list(), clock.least_khz, clock.most_khz);
    for (const std::uint32_t khz : clock.steps_khz) text += fmt::format("{},", khz);
    if (clock.steps_khz.empty()) text += '-';
    if (text.back() == ',') text.pop_back();
    text += '\n';
  }
  return text;
}

KeeperReply parse_keeper_reply(std::string_view text) {
  if (!text.starts_with(kFirstLine)) refuse_reply(1, text, "huddle-keeper 1");
  if (!text.ends_with('\n') || text.size() > kMostReplyBytes)
    refuse_reply(1, text, "lines of 128 KiB at most");
  text.remove_prefix(kFirstLine.size());
  KeeperReply reply;
  if (text.starts_with(kRefused)) {
    reply.refusal = text.substr(kRefused.size(), text.size() - kRefused.size() - 1);
    if (reply.refusal.empty() || reply.refusal.find('\n') != std::string::npos)
      refuse_reply(2, text, "a reason");
    return reply;
  }
  std::size_t pus = 0;
  for (std::size_t line = 2; !text.empty(); ++line) {
    const std::string_view fields = take_until(text, '\n');
    if (!fields.starts_with(kClock) || reply.clocks.size() == kMostClocks)
      refuse_reply(line, fields, "a clock, 1024 of them at most");
    reply.clocks.push_back(clock_of_line(fields.substr(kClock.size()), line));
    pus += reply.clocks.back().pus.size();
    // Else a short text could take much memory.
    if (pus > PuSet::kLimit) refuse_reply(line, fields, "each PU with one clock");
  }
  if (reply.clocks.empty()) refuse_reply(2, text, "a clock");
  return reply;
}

}  // namespace huddle::keeper
