#include "tests/evaluation/score_file.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

namespace huddle::evaluation {

void save_score(const Score& score, const std::filesystem::path& path) {
  nlohmann::json patterns = nlohmann::json::array();
  for (const PatternScore& row : score.patterns)
    patterns.push_back({{"pattern", row.pattern},
                        {"sampled", row.sampled},
                        {"feasible", row.predicted.feasible},
                        {"computation_s", row.predicted.computation_s},
                        {"time_s", row.predicted.time_s},
                        {"time_low_s", row.predicted.low_s},
                        {"time_high_s", row.predicted.high_s},
                        {"energy_j", row.predicted.energy_j},
                        {"true_computation_s", row.truth.computation_s},
                        {"true_time_s", row.truth.time_s},
                        {"true_energy_j", row.truth.energy_j}});
  const nlohmann::json document = {{"patterns", std::move(patterns)},
                                   {"chosen", score.chosen},
                                   {"covered", score.covered},
                                   {"computation_errors", score.computation_errors},
                                   {"time_errors", score.time_errors},
                                   {"energy_errors", score.energy_errors},
                                   {"rank_correlation", score.rank_correlation},
                                   {"slowdown", score.slowdown},
                                   {"regret", score.regret},
                                   {"good", score.good},
                                   {"saved", score.saved},
                                   {"could_save", score.could_save},
                                   {"second_slowdown", score.second_slowdown}};
  std::ofstream(path) << document.dump(1) << '\n';
}

Score load_score(const std::filesystem::path& path) {
  std::ifstream file(path);
  const nlohmann::json document = nlohmann::json::parse(file);
  Score score;
  score.computation_errors = document.at("computation_errors").get<std::vector<double>>();
  score.energy_errors = document.at("energy_errors").get<std::vector<double>>();
  score.time_errors = document.at("time_errors").get<std::vector<double>>();
  score.chosen = document.at("chosen");
  if (document.at("covered").is_number()) score.covered = document.at("covered");
  score.rank_correlation = document.at("rank_correlation");
  score.slowdown = document.at("slowdown");
  score.regret = document.at("regret");
  score.good = document.at("good");
  score.saved = document.at("saved");
  score.could_save = document.at("could_save");
  if (document.at("second_slowdown").is_number())
    score.second_slowdown = document.at("second_slowdown");
  return score;
}

}  // namespace huddle::evaluation
