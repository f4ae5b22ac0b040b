// The limits of the ids of a logical table, over all its partitions.

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>

#include "packing.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace sdykit {

namespace {

constexpr const char* kFunction = "limit_tables";

// The ids and unique ids of each table on a SparseCore.
template <typename T>
using Counts = T (*)[2];

// One past each table's last row in a partition.
struct TableEnds {
  Array<const int64_t> ends;

  explicit TableEnds(nb::handle given) : ends({kFunction, "ends of tables"}, given) {
    ends.Needs(1);
  }
  int64_t size() const { return ends.size(); }
  // Returns the table of a row; that of a lower row in the same partition is `table` or 0.
  int64_t TableOf(int64_t row, int64_t table) const {
    // Unchecked ids may be after the last table.
    while (table + 1 < ends.size() && row >= ends.data()[table]) ++table;
    return table;
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

// int64 [SparseCores, tables, 2]: ids and unique ids.
template <typename T>
class TableCounts {
 public:
  TableCounts(const char* name, nb::handle given, int64_t cores, int64_t tables)
      : counts_({kFunction, name}, given, 3), tables_(tables) {
    if (counts_.dim(0) >= cores && counts_.dim(1) == tables && counts_.dim(2) == 2) return;
    counts_.Misfit("[SparseCores, tables, 2]");
  }
  Counts<T> OfCore(int64_t core) const {
    return reinterpret_cast<Counts<T>>(counts_.data()) + core * tables_;
  }

 private:
  Array<T> counts_;
  int64_t tables_;
};

// Copies words within the limits, in the order of the buffers, to `position`; returns the position
// after them.
int64_t Keep(const uint64_t* items, const List& list, uint64_t mask, const TableEnds& tables,
             Counts<const int64_t> limits, Counts<int64_t> seen, const KeptArrays& kept,
             int64_t position) {
  bool fits = false;
  uint64_t last = 0;
  int64_t table = 0, last_row = 0;
  for (int64_t i = 0; i < list.count; ++i) {
    const uint64_t place = items[i] & kRowMask;
    const uint64_t word = list.gains != nullptr ? list.words[place] : items[i];
    if (i == 0 || word != last) {
      const int64_t row = static_cast<int64_t>(word >> kKeyShift & mask);
      table = tables.TableOf(row, row < last_row ? 0 : table);  // 0: the next partition begins
      last_row = row;
      const bool new_key = i == 0 || (word >> kKeyShift) != (last >> kKeyShift);
      ++seen[table][0];
      seen[table][1] += new_key;
      fits = seen[table][0] <= limits[table][0] && seen[table][1] <= limits[table][1];
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
                        const nb::tuple& scratch, nb::handle ends, nb::handle limits,
                        const nb::tuple& kept, nb::handle observed) {
  const auto [key_bits, bits] = shape;
  CheckRange({kFunction, "bits of a key"}, key_bits, 1, 32);
  CheckRange({kFunction, "bits of a row"}, bits, 0, 32);
  CheckTuple({kFunction, "kept"}, kept, 3);
  const Lists own(kFunction, lists, cores);
  const int64_t number = cores.second - cores.first;
  const SortingArrays sorting(kFunction, scratch, 3, own.longest());
  const TableEnds tables(ends);
  const TableCounts<const int64_t> maximum("limits", limits, cores.second, tables.size());
  const KeptArrays left(kept, own, number);
  const TableCounts<int64_t> seen("observed", observed, cores.second, tables.size());
  nb::gil_scoped_release release;
  int64_t position = 0;
  left.starts.data()[0] = 0;
  for (int64_t at = 0; at < number; ++at) {
    const List list = own[at];
    const uint64_t* items = SortWords(list.words, list.count, key_bits, list.gains != nullptr,
                                      sorting.sorting());
    const Counts<int64_t> mine = seen.OfCore(cores.first + at);
    std::fill_n(mine[0], tables.size() * 2, 0);
    position = Keep(items, list, (uint64_t{1} << bits) - 1, tables,
                    maximum.OfCore(cores.first + at), mine, left, position);
    left.starts.data()[at + 1] = position;
  }
  return own.Start(number) - position;
}

}  // namespace

void BindTables(nb::module_& m) {
  m.def("limit_tables", &BindLimitTables, "cores"_a, "lists"_a, "shape"_a, "scratch"_a,
        "ends"_a, "limits"_a, "kept"_a, "observed"_a);
}

}  // namespace sdykit
