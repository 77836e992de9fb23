// Predicts a profile from others and compares it with the one that was really measured.
// usage: predicted_truth MACHINE TRUTH.json PROFILE.json...   (all recorded with their sizes)
// Prints a line for each quantity with its largest error; status 1 if what must be exact is not.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "aggregator/forecast/sizes/predicted_profile.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

int exact_failures = 0;

double relative(double predicted, double measured) {
  if (predicted == measured) return 0;
  return measured > 0 ? predicted / measured - 1 : 1;
}

// The worst over the ranks, and whether it is within `most`.
template <class Value>
void compare(std::string_view what, const Profile& predicted, const Profile& truth,
             Value&& value_of, double most) {
  double worst = 0;
  for (std::size_t rank = 0; rank < truth.rank_records.size(); ++rank) {
    const double error =
        relative(value_of(predicted.rank_records[rank]), value_of(truth.rank_records[rank]));
    if (std::abs(error) > std::abs(worst)) worst = error;
  }
  if (std::abs(worst) > most) ++exact_failures;
  fmt::print("{}: off by {:+.3g} %\n", what, worst * 100);
}

// Of all messages, what is in another cell of receiver and size class.
double misplaced(const RankRecord& predicted, const RankRecord& truth) {
  std::map<std::pair<std::uint32_t, unsigned>, double> cells;
  double all = 0;
  for (const SentMessages& cell : truth.sent) {
    cells[{cell.receiver.value, cell.size_class}] += static_cast<double>(cell.messages);
    all += static_cast<double>(cell.messages);
  }
  for (const SentMessages& cell : predicted.sent)
    cells[{cell.receiver.value, cell.size_class}] -= static_cast<double>(cell.messages);
  double wrong = 0;
  for (const auto& [cell, messages] : cells) wrong += std::abs(messages);
  return all > 0 ? wrong / all : 0;
}

double sum_of_bytes(const RankRecord& record) {
  double bytes = 0;
  for (const SentMessages& cell : record.sent) bytes += static_cast<double>(cell.bytes.value);
  return bytes;
}

double collective_calls(const RankRecord& record) {
  double calls = 0;
  for (const CollectiveCalls& kind : record.collectives) calls += static_cast<double>(kind.calls);
  return calls;
}

double collective_bytes(const RankRecord& record) {
  double bytes = 0;
  for (const CollectiveCalls& kind : record.collectives)
    bytes += static_cast<double>(kind.bytes.value);
  return bytes;
}

double passes(const RankRecord& record) {
  double count = 0;
  for (const PhaseRecord& phase : record.phases) count += static_cast<double>(phase.count);
  return count;
}

void report_times(const PredictedProfiles& predicted, const Profile& truth) {
  const Seconds measured = truth.run_time();
  const bool inside = predicted.run_time_low && *predicted.run_time_low <= measured &&
                      measured <= *predicted.run_time_high;
  fmt::print("run time: {:.4g} s predicted ({:.4g} to {:.4g}), {:.4g} s measured, {:+.3g} %, {}\n",
             predicted.run_time.value, predicted.run_time_low.value_or(Seconds{0}).value,
             predicted.run_time_high.value_or(Seconds{0}).value, measured.value,
             relative(predicted.run_time.value, measured.value) * 100,
             inside ? "inside" : "outside");
  const Seconds computing = predicted.profiles[0].mean_computation_time();
  fmt::print("computing: {:.4g} s predicted, {:.4g} s measured, {:+.3g} %\n", computing.value,
             truth.mean_computation_time().value,
             relative(computing.value, truth.mean_computation_time().value) * 100);
}

int compare_files(int argc, char** argv) {
  const Machine machine = load_machine(argv[1]);
  const Profile truth = load_profile(argv[2]);
  std::vector<SizedRun> runs;
  for (int i = 3; i < argc; ++i) {
    Profile profile = load_profile(argv[i]);
    const double size = profile.problem_size.value();
    runs.push_back({std::move(profile), size, argv[i]});
  }
  const PredictedProfiles predicted = predict_profiles(runs, truth.problem_size.value());
  const Profile& profile = predicted.profiles.at(0);
  constexpr double kRounding = 1e-6;
  compare("bytes", profile, truth, sum_of_bytes, kRounding);
  compare("collectives", profile, truth, collective_calls, 0);
  compare("bytes of collectives", profile, truth, collective_bytes, kRounding);
  compare("passes of phases", profile, truth, passes, 0);
  double wrong = 0;
  for (std::size_t rank = 0; rank < truth.rank_records.size(); ++rank)
    wrong = std::max(wrong, misplaced(profile.rank_records[rank], truth.rank_records[rank]));
  if (wrong > 0) ++exact_failures;
  fmt::print("messages in another cell: {:.3g} %\n", wrong * 100);
  compare(
      "memory", profile, truth,
      [](const RankRecord& record) { return static_cast<double>(record.peak_resident.value); }, 1);
  report_times(predicted, truth);
  return exact_failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace huddle

int main(int argc, char** argv) {
  try {
    if (argc < 5) throw huddle::Error("usage: predicted_truth MACHINE TRUTH PROFILE...");
    return huddle::compare_files(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
