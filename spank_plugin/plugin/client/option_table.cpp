#include "spank_plugin/plugin/client/option_table.hpp"

#include "spank_plugin/plugin/client/slurm_api.hpp"

namespace huddle {

OptionTable::OptionTable(void* options)
    : destroy_(slurm_function<Destroy>("slurm_option_table_destroy")),
      free_(slurm_function<Free>("slurm_xfree")) {
  const auto make = slurm_function<struct option* (*)(void*, char**)>("slurm_option_table_create");
  if (make == nullptr || destroy_ == nullptr || free_ == nullptr || options == nullptr) return;
  entries_ = make(options, &letters_);
}

OptionTable::~OptionTable() {
  if (entries_ != nullptr) destroy_(entries_);
  void* memory = letters_;
  if (memory != nullptr) free_(&memory);
}

}  // namespace huddle
