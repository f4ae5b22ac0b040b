"""The compiled loops of preprocessing, once it is clear that they are those that Python files know.

Python files import them from here; `_kernels.pyi` says what each does.
"""

from __future__ import annotations

from sdykit.native_modules import check_interface
from sdykit.sparsecore import _kernels

check_interface(_kernels)

ALIGNMENT = _kernels.ALIGNMENT
BAD_ID = _kernels.BAD_ID
BUCKETS = _kernels.BUCKETS
DOUBTFUL = _kernels.DOUBTFUL
MEAN = _kernels.MEAN
SQRTN = _kernels.SQRTN
SUM = _kernels.SUM
buckets_of = _kernels.buckets_of
count_cores = _kernels.count_cores
count_raw_ids = _kernels.count_raw_ids
fill_lists = _kernels.fill_lists
group_cores = _kernels.group_cores
index_samples = _kernels.index_samples
pack_minibatches = _kernels.pack_minibatches
pack_stacks = _kernels.pack_stacks
split_bits = _kernels.split_bits
