#include "aggregator/waitstates/criticalpath/activity_buffer.hpp"

#include <utility>

namespace huddle::waitstates {

ActivityBuffer::ActivityBuffer(std::filesystem::path folder, std::size_t in_memory)
    : folder_(std::move(folder)),
      activities_(folder_, in_memory),
      dependencies_(folder_, in_memory) {}

void ActivityBuffer::add(std::uint32_t rank, const Activity& activity) {
  activities_.append({activity, rank});
}

void ActivityBuffer::add(std::uint32_t rank, const Dependency& dependency) {
  dependencies_.append({dependency, rank});
}

void ActivityBuffer::add_path(std::uint32_t rank, std::uint32_t path, std::uint32_t parent,
                              std::uint32_t region, bool mpi) {
  paths_.push_back({rank, path, parent, region, mpi ? 1U : 0U});
}

}  // namespace huddle::waitstates
