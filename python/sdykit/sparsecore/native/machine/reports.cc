#include "reports.h"

#include <map>
#include <mutex>
#include <utility>

namespace sdykit::machine {

namespace {

constexpr size_t kMaxKept = 1024;

std::mutex mutex;
int64_t next = 1;
std::map<int64_t, std::vector<int64_t>> kept;

}  // namespace

int64_t KeepReport(std::vector<int64_t> report) {
  const std::lock_guard<std::mutex> lock(mutex);
  if (kept.size() == kMaxKept) kept.erase(kept.begin());
  kept.emplace(next, std::move(report));
  return next++;
}

std::vector<int64_t> TakeReport(int64_t number) {
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = kept.extract(number);
  return found.empty() ? std::vector<int64_t>() : std::move(found.mapped());
}

}  // namespace sdykit::machine
