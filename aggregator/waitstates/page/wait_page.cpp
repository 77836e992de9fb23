#include "aggregator/waitstates/page/wait_page.hpp"

#include <algorithm>

#include "aggregator/waitstates/page/page_data.hpp"
#include "aggregator/waitstates/page/page_rows.hpp"
#include "aggregator/render/webpage/page_source.hpp"
#include "aggregator/render/webpage/web_page.hpp"

namespace huddle {

std::string wait_page(const WaitReport& report, const PageExtras& extras,
                      const PageOptions& options) {
  const std::size_t most_rows = std::min(
      options.most_cells / std::max<std::size_t>(report.call_paths.size(), 1), options.most_rows);
  const PageRows rows = rows_of(report, most_rows);
  return web_page(kWaitPage, page_data(report, extras, rows));
}

}  // namespace huddle
