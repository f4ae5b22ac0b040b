// Packs buckets as minibatches, one bucket or several in each.

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <tuple>

#include "merge.h"
#include "packing.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace sdykit {

namespace {

constexpr const char* kFunction = "pack_minibatches";
constexpr Limits kUnlimited{std::numeric_limits<int32_t>::max(),
                            std::numeric_limits<int32_t>::max()};

// A list, sorted by partition and bucket.
struct Group {
  List list;
  uint64_t* items;
  const int64_t* runs;  // the position in `items` of each bucket of each partition
  const int32_t* ids;   // the number of ids in each bucket of each partition
  const int32_t* uniques;
  bool by_sample;  // the entries of an id may be in several buckets

  bool Fits(int64_t run, Limits limits) const {
    return ids[run] <= limits.first && uniques[run] <= limits.second;
  }
};

// Packs the buckets [first, last) of a partition; neighbouring buckets within the limits are packed
// at once, those of samples in the order of one list. Returns the position after them.
int64_t PackBuckets(const Group& group, int64_t partition, int64_t first, int64_t last, int bits,
                    Limits limits, Entries out, int64_t position, int64_t end, Range& lost) {
  const int64_t stop = partition * kBuckets + last;
  for (int64_t run = partition * kBuckets + first; run < stop;) {
    const bool fits = group.Fits(run, limits);
    int64_t after = run + 1;
    while (fits && after < stop && group.Fits(after, limits)) ++after;
    if (group.by_sample && after > run + 1) {
      std::sort(group.items + group.runs[run], group.items + group.runs[after]);
    }
    const Packed packed = PackRun(group.items, group.runs[run], group.runs[after], group.list,
                                  bits, out, position, end, fits ? kUnlimited : limits);
    position = packed.position;
    lost.first += packed.dropped;
    lost.second += packed.missing;
    run = after;
  }
  return position;
}

// Fails unless runs are one after the other in their list, and the lower halves of the items of a
// weighted list are positions in it.
void CheckGroup(const Group& group, int64_t runs) {
  bool fits = group.runs[0] >= 0 && group.runs[runs] <= group.list.count;
  for (int64_t run = 0; run < runs; ++run) fits &= group.runs[run] <= group.runs[run + 1];
  if (!fits) Fail(kFunction, "runs overlap, or are outside of their list; expected them rising");
  if (group.list.gains == nullptr) return;
  uint64_t largest = 0;
  for (int64_t i = 0; i < group.list.count; ++i) {
    largest = std::max(largest, group.items[i] & kRowMask);
  }
  if (group.list.count > 0 && largest >= static_cast<uint64_t>(group.list.count)) {
    Fail(kFunction, "items have the position " + std::to_string(largest) +
                        "; expected positions in a list of " + std::to_string(group.list.count));
  }
}

struct Packing {
  KeyShape keys;
  int64_t cores_of_device;
  const LimitArrays& limits;
  bool defined;

  int64_t width() const { return std::max(keys.partitions, kAlignment); }
  int64_t runs() const { return keys.partitions * kBuckets; }
};

// The places of the next minibatch of a device in the buffers and the row pointers.
struct Cursor {
  int64_t position;
  int32_t* pointers;
};

void PackGroup(const Group& group, const Array<const int64_t>& firsts, const Packing& how,
               Entries out, int64_t end, Cursor& cursor, Range& lost) {
  const int64_t* first = firsts.data();
  for (int64_t minibatch = 0; minibatch + 1 < firsts.size(); ++minibatch, ++first) {
    for (int64_t partition = 0; partition < how.keys.partitions; ++partition) {
      const int64_t position = PackBuckets(group, partition, first[0], first[1], how.keys.bits,
                                           how.limits[partition], out, cursor.position, end, lost);
      cursor.pointers[partition] = static_cast<int32_t>(position);
      cursor.position = Pad(out, position, end);
    }
    std::fill(cursor.pointers + how.keys.partitions, cursor.pointers + how.width(),
              static_cast<int32_t>(cursor.position));
    cursor.pointers += how.width();
  }
}

void CheckFirsts(const Array<const int64_t>& firsts) {
  firsts.Needs(1);
  int64_t last = 0;
  for (int64_t at = 0; at < firsts.size(); ++at) {
    CheckRange({kFunction, "firsts"}, firsts.data()[at], last, kBuckets);
    last = firsts.data()[at];
  }
  CheckRange({kFunction, "minibatches"}, firsts.size() - 1, 0, kBuckets);
}

Range BindPackMinibatches(Range cores, const nb::tuple& lists,
                          std::tuple<int64_t, int, int64_t> shape, const nb::tuple& groups,
                          nb::handle firsts, const nb::tuple& buffers, nb::handle pointers,
                          const nb::tuple& counts, const nb::tuple& limits, bool defined,
                          bool by_sample) {
  const auto [partitions, bits, cores_of_device] = shape;
  const LimitArrays given(kFunction, limits, partitions);
  const Packing how{{partitions, bits}, cores_of_device, given, defined};
  how.keys.Check(kFunction);
  const Lists own(kFunction, lists, cores);
  const int64_t number = cores.second - cores.first;
  CheckTuple({kFunction, "groups"}, groups, 2);
  const Array<uint64_t> items({kFunction, "items"}, groups[0]);
  items.Needs(own.Start(number));
  const Array<const int64_t> runs({kFunction, "runs"}, groups[1], 2);
  if (runs.dim(0) < number || runs.dim(1) != how.runs() + 1) {
    runs.Misfit("a row of " + std::to_string(how.runs() + 1) + " for each SparseCore");
  }
  const Array<const int64_t> starts({kFunction, "firsts"}, firsts);
  CheckFirsts(starts);
  const EntryArrays out(kFunction, buffers);
  const Array<int32_t> ends({kFunction, "pointers"}, pointers, 2);
  CheckPointers(kFunction, ends, out, cores.second, cores_of_device, starts.size() - 1,
                how.width());
  const CountArrays counted(kFunction, counts, 3);
  counted.Needs(cores.second, partitions, kBuckets);
  nb::gil_scoped_release release;
  Range lost{0, 0};
  Cursor cursor{0, ends.data() + cores.first / cores_of_device * ends.dim(1)};
  for (int64_t core = cores.first; core < cores.second; ++core) {
    const int64_t device = core / cores_of_device, at = core - cores.first;
    int32_t* const of_device = ends.data() + device * ends.dim(1);
    if (core % cores_of_device == 0) cursor = {0, of_device};
    const Group group{own[at], items.data() + own.Start(at), runs.data() + at * runs.dim(1),
                      counted.ids(core), counted.uniques(core), by_sample};
    CheckGroup(group, how.runs());
    const Entries entries = out.OfDevice(device);
    PackGroup(group, starts, how, entries, out.room(), cursor, lost);
    if (!defined || (core + 1) % cores_of_device != 0) continue;
    std::fill(cursor.pointers, of_device + ends.dim(1), static_cast<int32_t>(cursor.position));
    Fill(entries, cursor.position, out.room());
  }
  return lost;
}

}  // namespace

void BindMinibatches(nb::module_& m) {
  m.def("pack_minibatches", &BindPackMinibatches, "cores"_a, "lists"_a, "shape"_a, "groups"_a,
        "firsts"_a, "buffers"_a, "pointers"_a, "counts"_a, "limits"_a, "defined"_a,
        "by_sample"_a);
}

}  // namespace sdykit
