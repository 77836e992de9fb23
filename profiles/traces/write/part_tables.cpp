#include <fmt/format.h>

#include <utility>

#include "profiles/traces/write/location_writer.hpp"
#include "profiles/traces/otf2_references.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

std::uint32_t reference(const std::vector<std::uint32_t>& numbers, std::size_t defined,
                        std::uint32_t index, const char* what) {
  if (index >= defined || (!numbers.empty() && index >= numbers.size()))
    throw Error(
        fmt::format("can't write an event of {} {}: only {} are defined", what, index, defined));
  return numbers.empty() ? index : numbers[index];
}

}  // namespace

PartTables::PartTables(TraceDefinitions own, TraceNumbers numbers)
    : own_(std::move(own)), numbers_(std::move(numbers)) {
  operations_.resize(own_.regions.size());
  accesses_.reserve(own_.regions.size());
  for (std::size_t i = 0; i < own_.regions.size(); ++i) {
    const std::string& name = own_.regions[i].name;
    for (std::size_t kind = 0; kind < kCollectives; ++kind)
      operations_[i].at(kind) = operation_of_mpi(name, static_cast<Collective>(kind));
    accesses_.push_back(access_of_mpi(name));
  }
}

std::uint32_t PartTables::region(std::uint32_t index) const {
  return reference(numbers_.regions, own_.regions.size(), index, "region");
}

std::uint32_t PartTables::communicator(std::uint32_t index) const {
  return reference(numbers_.communicators, own_.communicators.size(), index, "communicator");
}

std::uint32_t PartTables::window(std::uint32_t index) const {
  return reference(numbers_.windows, own_.windows.size(), index, "window");
}

std::uint32_t PartTables::group(std::uint32_t index) const {
  return kFirstGroup + reference(numbers_.groups, own_.groups.size(), index, "group");
}

std::uint32_t PartTables::team(std::uint32_t index) const {
  return numbers_.all_communicators + reference({}, own_.teams.size(), index, "team");
}

std::uint8_t PartTables::operation(std::uint32_t region, Collective waiting) const {
  if (region == kNobody) return operation_of_mpi({}, waiting);
  return operations_[region].at(static_cast<std::size_t>(waiting));
}

OneSidedAccess PartTables::access(std::uint32_t region) const {
  return region == kNobody ? OneSidedAccess::kPut : accesses_[region];
}

const CommunicatorView& PartTables::view(std::uint32_t communicator, std::uint32_t rank) {
  const std::uint64_t key = std::uint64_t{communicator} << 32U | rank;
  const auto known = views_.find(key);
  if (known != views_.end()) return known->second;
  return views_.emplace(key, CommunicatorView(own_.communicators[communicator], rank))
      .first->second;
}

}  // namespace huddle
