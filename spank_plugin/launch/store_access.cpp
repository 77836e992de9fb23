#include "spank_plugin/launch/store_access.hpp"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <utility>

#include "profiles/files/atomic_file.hpp"
#include "profiles/formats/outcome/outcome.hpp"
#include "profiles/processes/separate_process.hpp"
#include "profiles/store/store.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/step_words.hpp"

namespace huddle::launch {
namespace {

constexpr std::chrono::seconds kTimeLimit{1};

std::string result_in_time(const std::filesystem::path& place,
                           const std::function<std::string()>& work) {
  std::optional<std::string> result = processes::in_separate_process(work, kTimeLimit);
  if (!result)
    throw Error(fmt::format("the file system of {} did not answer within {} s", place.string(),
                            kTimeLimit.count()));
  return std::move(*result);
}

}  // namespace

void with_files(const std::filesystem::path& place, const std::function<void()>& work) {
  result_in_time(place, [&] {
    work();
    return std::string();
  });
}

std::string text_with_files(const std::filesystem::path& place,
                            const std::function<std::string()>& work) {
  return result_in_time(place, work);
}

std::string why_store_is_silent(const std::optional<std::string>& root,
                                const std::optional<std::string>& promised) {
  if (!root || !promised) return {};
  const Outcome outcome = parse_outcome(*promised, kOutcomePlace);
  const store::Store store(*root);
  const auto try_a_change = [&] {
    try {
      store.make_folder({outcome.user, outcome.label, outcome.ranks});  // it is there already
    } catch (const Error&) {  // an answer: the recorder will say what is wrong
    }
  };
  try {
    with_files(store.root(), try_a_change);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

Plan load_plan_in_time(const std::filesystem::path& file) {
  const std::string text =
      result_in_time(file, [&] { return files::read_file(file, kMostPlanBytes); });
  return parse_plan(text, file.string());
}

}  // namespace huddle::launch
