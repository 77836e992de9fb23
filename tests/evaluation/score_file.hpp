#pragma once

#include <filesystem>

#include "tests/evaluation/score.hpp"

namespace huddle::evaluation {

/// The file by which a process that judged a case hands its score to the one that reports it.
void save_score(const Score& score, const std::filesystem::path& path);
/// Throws nlohmann's exceptions if the file is not one of save_score().
Score load_score(const std::filesystem::path& path);

}  // namespace huddle::evaluation
