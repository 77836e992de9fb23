#include "profiles/energyd/protocol/energy_answer.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "profiles/files/unix_socket.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/field_reader.hpp"

namespace huddle::energyd {
namespace {

constexpr std::string_view kGreeting = "huddle-energyd 1\n";
constexpr std::string_view kSource = "the answer of huddle-energyd";

// A field is one, whatever a driver calls its sensor.
std::string field(std::string_view text) {
  std::string clean(text);
  std::replace_if(
      clean.begin(), clean.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return clean;
}

template <class Value>
std::string or_dash(const std::optional<Value>& value) {
  return value ? fmt::format("{}", value->value) : "-";
}

// Finite, 0 or more.
template <class Value>
Value amount_of(FieldReader& fields, std::string_view digits) {
  const auto value = number_in<double>(digits);
  if (!value) fields.refuse(digits, "a number");
  if (!(*value >= 0 && *value < 1e300)) fields.refuse(digits, "0 or more");
  return Value{*value};
}

template <class Value>
Value amount(FieldReader& fields) {
  return amount_of<Value>(fields, fields.field());
}

template <class Value>
std::optional<Value> amount_or_dash(FieldReader& fields) {
  const std::string_view text = fields.field();
  if (text == "-") return std::nullopt;
  return amount_of<Value>(fields, text);
}

bool yes_or_no(FieldReader& fields) {
  const std::string_view word = fields.field();
  if (word != "yes" && word != "no") fields.refuse(word, "yes or no");
  return word == "yes";
}

std::string_view yes(bool is) {
  return is ? "yes" : "no";
}

std::string line_of(const AnsweredSensor& sensor) {
  return fmt::format("sensor\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", field(sensor.name),
                     field(sensor.covers), field(sensor.measures), yes(sensor.in_sum),
                     sensor.energy.value, sensor.known.value, sensor.lost.value,
                     or_dash(sensor.power), sensor.unattributed.value, or_dash(sensor.idle_power),
                     field(sensor.trouble));
}

std::string lines_of(const AnsweredStep& step) {
  std::string lines = fmt::format("step\t{}\t{}\t{}\t{}\n", step.id.job, field(step.id.step),
                                  step.user, yes(step.running));
  for (const auto& [sensor, share] : step.shares)
    lines += fmt::format("share\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", field(sensor), share.measured.value,
                         share.attributed.value, share.idle.value, yes(share.idle_known),
                         share.known.value, share.lost.value);
  return lines;
}

AnsweredSensor parse_sensor(FieldReader& fields) {
  AnsweredSensor sensor;
  sensor.name = fields.field();
  sensor.covers = fields.field();
  sensor.measures = fields.field();
  sensor.in_sum = yes_or_no(fields);
  sensor.energy = amount<Joules>(fields);
  sensor.known = amount<Seconds>(fields);
  sensor.lost = amount<Seconds>(fields);
  sensor.power = amount_or_dash<Watts>(fields);
  sensor.unattributed = amount<Joules>(fields);
  sensor.idle_power = amount_or_dash<Watts>(fields);
  sensor.trouble = fields.field();
  return sensor;
}

AnsweredStep parse_step(FieldReader& fields) {
  AnsweredStep step;
  step.id.job = fields.number<std::uint32_t>();
  step.id.step = fields.field();
  step.user = fields.number<std::uint32_t>();
  step.running = yes_or_no(fields);
  return step;
}

std::pair<std::string, power::EnergyShare> parse_share(FieldReader& fields) {
  std::pair<std::string, power::EnergyShare> named;
  named.first = fields.field();
  power::EnergyShare& share = named.second;
  share.measured = amount<Joules>(fields);
  share.attributed = amount<Joules>(fields);
  share.idle = amount<Joules>(fields);
  share.idle_known = yes_or_no(fields);
  share.known = amount<Seconds>(fields);
  share.lost = amount<Seconds>(fields);
  return named;
}

using Clock = std::chrono::steady_clock;

// The answer that came before the connection ended, if one did: a daemon that refuses does not wait
// for what is asked. The first look may find that the question was not read.
std::string last_packet(int descriptor, Clock::time_point deadline, const std::string& name) {
  std::string answer(kMostAnswerBytes, '\0');
  if (!files::wait_for_input(descriptor, deadline)) throw SystemError("ask", name, ETIMEDOUT);
  auto size = ::recv(descriptor, answer.data(), answer.size(), 0);
  if (size < 0 && errno == ECONNRESET) size = ::recv(descriptor, answer.data(), answer.size(), 0);
  if (size < 0 && errno != ECONNRESET) throw SystemError("ask", name, errno);
  answer.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  return answer;
}

EnergyAnswer unanswered() {
  EnergyAnswer answer;
  answer.refusal =
      "huddle-energyd ended the connection: it answers root, users who have a step on this node or "
      "had one lately, and whom energy.readers in huddle.toml names";
  return answer;
}

}  // namespace

std::string text_of(const EnergyRequest& request) {
  std::string text(kGreeting);
  switch (request.about) {
    case EnergyRequest::About::kJob:
      return text + fmt::format("job {}\n", request.job);
    case EnergyRequest::About::kOwn:
      return text + "own\n";
    case EnergyRequest::About::kNode:
      return text + "node\n";
  }
  return text;
}

std::optional<EnergyRequest> parse_energy_request(std::string_view text) {
  if (!text.starts_with(kGreeting)) return std::nullopt;
  text.remove_prefix(kGreeting.size());
  EnergyRequest request;
  if (text == "own\n") return request;
  request.about = EnergyRequest::About::kNode;
  if (text == "node\n") return request;
  constexpr std::string_view kJob = "job ";
  if (!text.starts_with(kJob) || !text.ends_with('\n')) return std::nullopt;
  text = text.substr(kJob.size(), text.size() - kJob.size() - 1);
  request.about = EnergyRequest::About::kJob;
  const auto job = number_in<std::uint32_t>(text);
  if (!job) return std::nullopt;
  request.job = *job;
  return request;
}

power::EnergyShare AnsweredStep::total() const {
  power::StepAccount account;
  for (const auto& [sensor, share] : shares) account.shares.push_back(share);
  return account.total();
}

std::string text_of(const EnergyAnswer& answer, std::size_t most_bytes) {
  std::string text(kGreeting);
  if (answer.trouble)
    text += fmt::format("trouble\t{}\t{}\n", field(answer.trouble->what),
                        field(answer.trouble->advice));
  if (!answer.refusal.empty()) return text + "refused\t" + field(answer.refusal) + "\n";
  text += fmt::format("as_of\t{}\n", answer.as_of.value);
  if (!answer.sensors.empty()) text += fmt::format("lateness\t{}\n", answer.lateness.value);
  for (const AnsweredSensor& sensor : answer.sensors) text += line_of(sensor);
  for (const AnsweredStep& step : answer.steps) {
    const std::string lines = lines_of(step);
    if (text.size() + lines.size() > most_bytes) break;
    text += lines;
  }
  return text;
}

EnergyAnswer parse_energy_answer(std::string_view text) {
  EnergyAnswer answer;
  FieldReader fields(text, kSource, '\t');
  fields.next_line(kGreeting.substr(0, kGreeting.size() - 1));
  while (!fields.remaining().empty()) {
    fields.next_line();
    const std::string_view key = fields.field();
    if (key == "refused") {
      answer.refusal = fields.field();
      if (answer.refusal.empty()) fields.refuse("nothing", "why");
    } else if (key == "trouble") {
      DaemonTrouble& trouble = answer.trouble.emplace();
      trouble.what = fields.field();
      trouble.advice = fields.field();
    } else if (key == "as_of") {
      answer.as_of = amount<Seconds>(fields);
    } else if (key == "lateness") {
      answer.lateness = amount<Seconds>(fields);
    } else if (key == "sensor") {
      answer.sensors.push_back(parse_sensor(fields));
    } else if (key == "step") {
      answer.steps.push_back(parse_step(fields));
    } else if (key == "share" && !answer.steps.empty()) {
      answer.steps.back().shares.push_back(parse_share(fields));
    }
    // Lines of other kinds, which a later version may add, are passed over.
  }
  return answer;
}

EnergyAnswer ask_energyd(const EnergyRequest& request, const std::filesystem::path& socket,
                         std::chrono::milliseconds patience) {
  const auto deadline = Clock::now() + patience;
  const std::string name = socket.string();
  const files::OwnedDescriptor connection = files::connect_to(socket, deadline);
  const std::string text = text_of(request);
  if (::send(connection.number(), text.data(), text.size(), MSG_NOSIGNAL) < 0 && errno != EPIPE &&
      errno != ECONNRESET)
    throw SystemError("ask", name, errno);
  const std::string answer = last_packet(connection.number(), deadline, name);
  return answer.empty() ? unanswered() : parse_energy_answer(answer);
}

}  // namespace huddle::energyd
