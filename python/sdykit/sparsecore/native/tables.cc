// The limits of the ids that a SparseCore takes from a logical table, over all its partitions.

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>

#include "packing.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace sdykit {

namespace {

constexpr const char* kFunction = "limit_tables";

// `(ends, ids, unique ids)`: one past a table's last row in a partition, and its limits.
struct TableArrays {
  Array<const int64_t> ends, ids, uniques;

  TableArrays(const nb::tuple& given)
      : ends({kFunction, "ends of tables"}, given[0]),
        ids({kFunction, "limits of ids"}, given[1]),
        uniques({kFunction, "limits of unique ids"}, given[2]) {
    ends.Needs(1);
    ids.Needs(ends.size());
    uniques.Needs(ends.size());
  }
  int64_t TableOf(int64_t row) const {
    const int64_t* last = ends.data() + ends.size();
    const int64_t table = std::upper_bound(ends.data(), last, row) - ends.data();
    // Unchecked ids may be after the last table.
    return std::min(table, ends.size() - 1);
  }
};

// Lists without the dropped ids, in the form of `lists`.
struct KeptArrays {
  Array<int64_t> starts;
  Array<uint64_t> words;
  Array<float> gains;

  KeptArrays(const nb::tuple& given, const Lists& lists, int64_t number)
      : starts({kFunction, "kept starts"}, given[0]),
        words({kFunction, "kept words"}, given[1]),
        gains({kFunction, "kept gains"}, given[2]) {
    starts.Needs(number + 1);
    words.Needs(lists.Start(number) - lists.Start(0));
    if (lists.is_weighted()) gains.Needs(lists.Start(number) - lists.Start(0));
  }
};

// Copies words within the limits, in the order of the buffers, to `position`; returns the position
// after them.
int64_t Keep(const uint64_t* items, const List& list, uint64_t mask, const TableArrays& tables,
             int64_t (*seen)[2], const KeptArrays& kept, int64_t position) {
  bool fits = false;
  uint64_t last = 0;
  for (int64_t i = 0; i < list.count; ++i) {
    const uint64_t place = items[i] & kRowMask;
    const uint64_t word = list.words[place];
    if (i == 0 || word != last) {
      const int64_t table = tables.TableOf(static_cast<int64_t>(word >> kKeyShift & mask));
      const bool new_key = i == 0 || (word >> kKeyShift) != (last >> kKeyShift);
      ++seen[table][0];
      seen[table][1] += new_key;
      fits = seen[table][0] <= tables.ids.data()[table] &&
             seen[table][1] <= tables.uniques.data()[table];
      last = word;
    }
    if (!fits) continue;
    kept.words.data()[position] = word;
    if (list.gains != nullptr) kept.gains.data()[position] = list.gains[place];
    ++position;
  }
  return position;
}

int64_t BindLimitTables(Range cores, const nb::tuple& lists, std::pair<int, int> shape,
                        const nb::tuple& scratch, const nb::tuple& limits, const nb::tuple& kept,
                        nb::handle observed) {
  const auto [key_bits, bits] = shape;
  CheckRange({kFunction, "bits of a key"}, key_bits, 1, 32);
  CheckRange({kFunction, "bits of a row"}, bits, 0, 32);
  CheckTuple({kFunction, "limits"}, limits, 3);
  CheckTuple({kFunction, "kept"}, kept, 3);
  const Lists own(kFunction, lists, cores);
  const int64_t number = cores.second - cores.first;
  const SortingArrays sorting(kFunction, scratch, 3, own.longest());
  const TableArrays tables(limits);
  const KeptArrays left(kept, own, number);
  const Array<int64_t> seen({kFunction, "observed"}, observed, 3);
  if (seen.dim(0) < cores.second || seen.dim(1) != tables.ends.size() || seen.dim(2) != 2) {
    seen.Misfit("[SparseCores, tables, 2]");
  }
  nb::gil_scoped_release release;
  int64_t position = 0;
  left.starts.data()[0] = 0;
  for (int64_t at = 0; at < number; ++at) {
    const List list = own[at];
    const uint64_t* items = SortWords(list.words, list.count, key_bits, true, sorting.sorting());
    int64_t* const mine = seen.data() + (cores.first + at) * tables.ends.size() * 2;
    std::fill_n(mine, tables.ends.size() * 2, 0);
    position = Keep(items, list, (uint64_t{1} << bits) - 1, tables,
                    reinterpret_cast<int64_t (*)[2]>(mine), left, position);
    left.starts.data()[at + 1] = position;
  }
  return own.Start(number) - position;
}

}  // namespace

void BindTables(nb::module_& m) {
  m.def("limit_tables", &BindLimitTables, "cores"_a, "lists"_a, "shape"_a, "scratch"_a,
        "limits"_a, "kept"_a, "observed"_a);
}

}  // namespace sdykit
