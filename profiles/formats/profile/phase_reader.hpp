#pragma once

// Internal to the reader of profiles.

#include <cstddef>
#include <string>
#include <vector>

#include "profiles/formats/document/document_reader.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/formats/profile/table_columns.hpp"

namespace huddle {

/// The phases of a rank's record as they stand in the file. They become records in a second step,
/// since the events, which say how many columns of counts there are, may stand behind them.
struct PhaseTable {
  static constexpr std::size_t kColumns = 10;

  TableColumns<PhaseRecord, kColumns> columns;
  /// Where it stands in the record, such as ".phases".
  std::string place = ".phases";
  bool has_counts = false;
  /// By event and phase; NaN where the file has null.
  std::vector<std::vector<double>> counts;
};

/// Reads the table that is next in `in`. Groups must be in `shared`, unless that is nullptr. Throws
/// FormatError.
void read_phase_table(DocumentReader& in, const SharedTables* shared, PhaseTable& table);

/// The phases, ordered by group, with the counts of `events` events. `in` stands behind the record
/// and gives errors their place. Throws FormatError if the counts are of more or fewer events, or
/// of other phases than those that say so.
std::vector<PhaseRecord> take_phases(const DocumentReader& in, std::size_t events,
                                     PhaseTable& table);

}  // namespace huddle
