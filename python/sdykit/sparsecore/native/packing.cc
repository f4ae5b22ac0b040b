#include "packing.h"

#include <algorithm>

namespace nb = nanobind;

namespace sdykit {

namespace {

constexpr int64_t kMaxWords = (int64_t{1} << 32) - 1;  // Counters and positions have 32 bits.

std::string Shape(std::initializer_list<int64_t> sizes) {
  std::string text = "[";
  for (const int64_t size : sizes) text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + "]";
}

// Checks that a tuple has `size` elements, and returns it.
const nb::tuple& Checked(Name name, const nb::tuple& given, size_t size) {
  CheckTuple(name, given, size);
  return given;
}

}  // namespace

int64_t CheckStarts(const char* function, const Array<const int64_t>& starts, int64_t lists,
                    int64_t words) {
  CheckRange({function, "number of lists"}, lists, 0, kMaxWords);
  starts.Needs(lists + 1);
  int64_t last = 0, longest = 0;
  for (int64_t number = 0; number <= lists; ++number) {
    const int64_t start = starts.data()[number];
    if (start < last || start > words) {
      Fail(function, "starts[" + std::to_string(number) + "] is " + std::to_string(start) +
                         "; expected " + std::to_string(last) + " to " + std::to_string(words));
    }
    if (number > 0) longest = std::max(longest, start - last);
    last = start;
  }
  CheckRange({function, "ids of a list"}, longest, 0, kMaxWords);
  return longest;
}

Lists::Lists(const char* function, const nb::tuple& given, Range cores)
    : starts_({function, "starts"}, Checked({function, "lists"}, given, 4)[0]),
      words_({function, "words"}, given[1]),
      gains_({function, "gains"}, given[2]),
      gain_(nb::cast<float>(given[3])) {
  CheckRange({function, "cores"}, cores.first, 0, cores.second);
  const int64_t lists = cores.second - cores.first;
  longest_ = CheckStarts(function, starts_, lists, words_.size());
  if (is_weighted()) gains_.Needs(Start(lists));
}

SortingArrays::SortingArrays(const char* function, const nb::tuple& given, size_t size,
                             int64_t longest)
    : counters_({function, "counters"}, Checked({function, "scratch"}, given, size)[0], 2),
      left_({function, "left"}, given[1]),
      right_({function, "right"}, given[2]) {
  if (counters_.dim(0) != kMaxPasses || counters_.dim(1) != 1 << kMaxDigitBits) {
    counters_.Misfit(Shape({kMaxPasses, 1 << kMaxDigitBits}));
  }
  left_.Needs(longest);
  right_.Needs(longest);
}

void KeyShape::Check(const char* function) const {
  CheckRange({function, "bits of a row"}, bits, 0, 32);
  CheckRange({function, "partitions"}, partitions, 1, int64_t{1} << (32 - bits));
}

int64_t KeyShape::End(const uint64_t* items, int64_t item, int64_t count,
                      int64_t partition) const {
  if (partition + 1 == partitions) return count;
  const uint64_t bound = static_cast<uint64_t>(partition + 1) << (kKeyShift + bits);
  return std::lower_bound(items + item, items + count, bound) - items;
}

EntryArrays::EntryArrays(const char* function, const nb::tuple& given)
    : ids_({function, "embedding ids"}, Checked({function, "buffers"}, given, 3)[0], 2),
      samples_({function, "sample ids"}, given[1], 2),
      gains_({function, "gains of the buffers"}, given[2], 2) {
  const std::string shape = Shape({devices(), room()});
  if (Shape({samples_.dim(0), samples_.dim(1)}) != shape) samples_.Misfit(shape);
  if (Shape({gains_.dim(0), gains_.dim(1)}) != shape) gains_.Misfit(shape);
  CheckRange({function, "entries of a device"}, room(), 0, std::numeric_limits<int32_t>::max());
}

CountArrays::CountArrays(const char* function, const nb::tuple& given, int rank)
    : rank_(rank),
      ids_({function, "counts of ids"}, Checked({function, "counts"}, given, 2)[0], rank),
      uniques_({function, "counts of unique ids"}, given[1], rank),
      stride_(ids_.dim(0) > 0 ? ids_.size() / ids_.dim(0) : 0) {}

void CountArrays::Needs(int64_t cores, int64_t partitions, int64_t buckets) const {
  for (const Array<int32_t>* each : {&ids_, &uniques_}) {
    const bool fits = each->dim(0) >= cores && each->dim(1) == partitions &&
                      (rank_ < 3 || each->dim(2) == buckets);
    if (fits) continue;
    each->Misfit((rank_ < 3 ? Shape({cores, partitions}) : Shape({cores, partitions, buckets})) +
                 " or more of the first");
  }
}

LimitArrays::LimitArrays(const char* function, const nb::tuple& given, int64_t partitions)
    : ids_({function, "limits of ids"}, Checked({function, "limits"}, given, 2)[0]),
      uniques_({function, "limits of unique ids"}, given[1]) {
  ids_.Needs(partitions);
  uniques_.Needs(partitions);
}

void CheckPointers(const char* function, const Array<int32_t>& pointers, const EntryArrays& out,
                   int64_t last, int64_t cores_of_device, int64_t segments, int64_t width) {
  CheckRange({function, "cores"}, last, 0, int64_t{1} << 31);
  CheckRange({function, "SparseCores of a device"}, cores_of_device, 1, 1 << 20);
  const int64_t columns = cores_of_device * segments * width;
  const int64_t devices = (last + cores_of_device - 1) / cores_of_device;
  CheckRange({function, "devices of the SparseCores"}, devices, 0, out.devices());
  if (pointers.dim(0) < devices || pointers.dim(1) < columns) {
    pointers.Misfit("at least " + Shape({devices, columns}));
  }
}

}  // namespace sdykit
