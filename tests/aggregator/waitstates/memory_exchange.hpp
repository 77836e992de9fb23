#pragma once

#include <barrier>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "aggregator/waitstates/replay/exchange.hpp"

namespace huddle {

/// Runs `work` on `processes` threads, each with an exchange with the others.
void on_processes(std::uint32_t processes, const std::function<void(Exchange&)>& work);

}  // namespace huddle
