#include "samples.h"

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>

namespace sdykit {

namespace {

// The Python objects of an object array, a list or a tuple.
struct Objects {
  char* first = nullptr;
  ptrdiff_t stride = sizeof(PyObject*);
  ptrdiff_t size = 0;

  PyObject* at(ptrdiff_t place) const {
    return *reinterpret_cast<PyObject**>(first + place * stride);
  }
};

bool ObjectsOf(PyObject* holder, Objects* objects) {
  if (PyArray_Check(holder)) {
    auto* array = reinterpret_cast<PyArrayObject*>(holder);
    if (PyArray_TYPE(array) != NPY_OBJECT || PyArray_NDIM(array) != 1) {
      PyErr_SetString(PyExc_TypeError, "expected an object array of one dimension");
      return false;
    }
    *objects = {PyArray_BYTES(array), PyArray_STRIDE(array, 0), PyArray_DIM(array, 0)};
    return true;
  }
  if (!PyList_Check(holder) && !PyTuple_Check(holder)) {
    PyErr_SetString(PyExc_TypeError, "expected an object array, a list or a tuple");
    return false;
  }
  objects->first = reinterpret_cast<char*>(PySequence_Fast_ITEMS(holder));
  objects->size = PySequence_Fast_GET_SIZE(holder);
  return true;
}

// Returns the size of a vector of a type, or -1 if the object is something else.
// An empty one has no memory that could be misread, and may have any type.
ptrdiff_t VectorSize(PyObject* object, const PyArray_Descr* type) {
  if (object == nullptr || !PyArray_Check(object)) return -1;
  auto* array = reinterpret_cast<PyArrayObject*>(object);
  if (PyArray_NDIM(array) != 1) return -1;
  const ptrdiff_t size = PyArray_DIM(array, 0);
  return size == 0 || PyArray_DESCR(array) == type ? size : -1;
}

// Samples are scattered over the heap, and waiting for the memory of each would
// take most of the time. It is prefetched some samples ahead: first the array,
// then what it points to.
constexpr ptrdiff_t kArrayAhead = 32;
constexpr ptrdiff_t kElementsAhead = 16;

void Prefetch(const Objects& objects, ptrdiff_t place) {
  if (place + kArrayAhead >= objects.size) return;
  const char* array_ahead = reinterpret_cast<char*>(objects.at(place + kArrayAhead));
  __builtin_prefetch(array_ahead);
  __builtin_prefetch(array_ahead + sizeof(PyArrayObject_fields) - 1);
  PyObject* const next = objects.at(place + kElementsAhead);
  if (next == nullptr || !PyArray_Check(next)) return;
  auto* array = reinterpret_cast<PyArrayObject*>(next);
  __builtin_prefetch(PyArray_DIMS(array));
  __builtin_prefetch(PyArray_BYTES(array));
}

// Returns a number whose highest bit is set if one of `size` ids is not in [0, last].
uint32_t Outside(const uint32_t* ids, ptrdiff_t size, uint32_t last) {
  uint32_t outside = 0;
  for (ptrdiff_t i = 0; i < size; ++i) outside |= ids[i] | (last - ids[i]);
  return outside;
}

bool AreWithin(PyObject* vector, ptrdiff_t size, uint32_t last) {
  auto* array = reinterpret_cast<PyArrayObject*>(vector);
  const char* bytes = PyArray_BYTES(array);
  const ptrdiff_t stride = PyArray_STRIDE(array, 0);
  uint32_t outside = 0;
  if (stride != sizeof(uint32_t)) {
    for (ptrdiff_t i = 0; i < size; ++i) {
      outside |= Outside(reinterpret_cast<const uint32_t*>(bytes + i * stride), 1, last);
    }
    return outside >> 31 == 0;
  }
  const auto* ids = reinterpret_cast<const uint32_t*>(bytes);
  constexpr ptrdiff_t kBlock = 8;
  if (size < kBlock) return Outside(ids, size, last) >> 31 == 0;
  // The last block overlaps the one before: a loop over the remaining ids would
  // end after another count for each sample, which branch predictors miss.
  for (ptrdiff_t i = 0; i < size - kBlock; i += kBlock) {
    outside |= Outside(ids + i, kBlock, last);
  }
  outside |= Outside(ids + size - kBlock, kBlock, last);
  return outside >> 31 == 0;
}

// Returns whether an object is a row-major matrix of ids, with a sample in each row.
bool IsMatrix(PyObject* object, const PyArray_Descr* type) {
  if (!PyArray_Check(object)) return false;
  auto* array = reinterpret_cast<PyArrayObject*>(object);
  return PyArray_NDIM(array) == 2 && PyArray_DESCR(array) == type &&
         PyArray_IS_C_CONTIGUOUS(array);
}

}  // namespace

bool LoadNumpy() { return PyArray_ImportNumPyAPI() == 0; }

bool FindBadSample(PyObject* samples, PyObject* weights,
                   std::optional<int32_t> last_id, ptrdiff_t* found) {
  // numpy has one object of each, which is never freed.
  static const PyArray_Descr* const int32 = PyArray_DescrFromType(NPY_INT32);
  static const PyArray_Descr* const float32 = PyArray_DescrFromType(NPY_FLOAT32);
  const uint32_t last = last_id.value_or(0);
  if (IsMatrix(samples, int32)) {
    auto* matrix = reinterpret_cast<PyArrayObject*>(samples);
    const auto* ids = reinterpret_cast<const uint32_t*>(PyArray_BYTES(matrix));
    const bool is_bad = last_id && Outside(ids, PyArray_SIZE(matrix), last) >> 31 != 0;
    *found = is_bad ? 0 : -1;
    return true;
  }
  Objects ids, factors;
  if (!ObjectsOf(samples, &ids)) return false;
  if (weights != nullptr && !ObjectsOf(weights, &factors)) return false;
  if (weights != nullptr && factors.size != ids.size) {
    PyErr_SetString(PyExc_ValueError, "samples and weights differ in length");
    return false;
  }
  for (ptrdiff_t place = 0; place < ids.size; ++place) {
    Prefetch(ids, place);
    *found = place;
    PyObject* const sample = ids.at(place);
    const ptrdiff_t size = VectorSize(sample, int32);
    if (size < 0) return true;
    if (weights != nullptr && VectorSize(factors.at(place), float32) != size) {
      return true;
    }
    if (last_id && !AreWithin(sample, size, last)) return true;
  }
  *found = -1;
  return true;
}

}  // namespace sdykit
