#include "run.h"

#include <utility>

#include "reports.h"

namespace sdykit::machine {

void Run::Report(std::vector<int64_t> report) {
  status_[1] = KeepReport(std::move(report));
  status_[0] = kHasReport;
}

}  // namespace sdykit::machine
