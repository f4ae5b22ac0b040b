#include "tables.h"

#include <algorithm>

namespace nb = nanobind;

namespace sdykit {

namespace {

const nb::tuple& Checked(const char* function, const nb::tuple& given) {
  CheckTuple({function, "limits of tables"}, given, 5);
  return given;
}

}  // namespace

TableLimits::TableLimits(const char* function, const nb::tuple& given, int64_t cores)
    : ends_({function, "ends of tables"}, Checked(function, given)[0]),
      limits_({function, "limits of tables"}, given[1], 3),
      observed_({function, "observed"}, given[2], 3),
      key_bits_(nb::cast<int>(given[3])),
      bits_(nb::cast<int>(given[4])) {
  CheckRange({function, "bits of a key"}, key_bits_, 1, 32);
  CheckRange({function, "bits of a row"}, bits_, 0, 32);
  ends_.Needs(1);
  const auto fits = [&](const Buffer& counts) {
    return counts.dim(0) >= cores && counts.dim(1) == ends_.size() && counts.dim(2) == 2;
  };
  if (!fits(limits_)) limits_.Misfit("[SparseCores, tables, 2]");
  if (!fits(observed_)) observed_.Misfit("[SparseCores, tables, 2]");
}

int64_t TableLimits::TableOf(int64_t row, int64_t table) const {
  // Unchecked ids may be after the last table.
  while (table + 1 < ends_.size() && row >= ends_.data()[table]) ++table;
  return table;
}

// Copies words within the limits, in the order of the buffers; returns their number.
int64_t TableLimits::Keep(const uint64_t* items, const List& list, const int64_t (*limits)[2],
                          Counts seen, uint64_t* words, float* gains) const {
  const uint64_t mask = (uint64_t{1} << bits_) - 1;
  bool fits = false;
  uint64_t last = 0;
  int64_t position = 0, table = 0, last_row = 0;
  for (int64_t i = 0; i < list.count; ++i) {
    const uint64_t place = items[i] & kRowMask;
    const uint64_t word = list.gains != nullptr ? list.words[place] : items[i];
    if (i == 0 || word != last) {
      const int64_t row = static_cast<int64_t>(word >> kKeyShift & mask);
      table = TableOf(row, row < last_row ? 0 : table);  // 0: the next partition begins
      last_row = row;
      const bool new_key = i == 0 || (word >> kKeyShift) != (last >> kKeyShift);
      ++seen[table][0];
      seen[table][1] += new_key;
      fits = seen[table][0] <= limits[table][0] && seen[table][1] <= limits[table][1];
      last = word;
    }
    if (!fits) continue;
    words[position] = word;
    if (list.gains != nullptr) gains[position] = list.gains[place];
    ++position;
  }
  return position;
}

List TableLimits::Limit(int64_t core, const List& list, Scratch& scratch) const {
  const uint64_t* const items = SortWords(list.words, list.count, key_bits_, list.gains != nullptr,
                                          scratch.sorting(list.count));
  const int64_t tables = ends_.size();
  const auto limits = reinterpret_cast<const int64_t (*)[2]>(limits_.data()) + core * tables;
  const auto seen = reinterpret_cast<Counts>(observed_.data()) + core * tables;
  std::fill_n(seen[0], tables * 2, 0);
  List kept{scratch.kept_words.Get(list.count), nullptr, list.gain, 0};
  float* const gains =
      list.gains != nullptr ? scratch.kept_gains.Get(std::max<int64_t>(list.count, 1)) : nullptr;
  kept.gains = gains;
  kept.count = Keep(items, list, limits, seen, scratch.kept_words.Get(list.count), gains);
  return kept;
}

}  // namespace sdykit
