#include "arrays.h"

#include <cstring>
#include <stdexcept>

namespace nb = nanobind;

namespace sdykit {

namespace {

// Returns the text of Python's current exception, and clears it.
std::string TakeError() {
  return nb::python_error().what();
}

}  // namespace

void Fail(const char* function, const std::string& text) {
  throw std::invalid_argument(std::string(function) + ": " + text);
}

void CheckRange(Name name, int64_t value, int64_t minimum, int64_t maximum) {
  if (value >= minimum && value <= maximum) return;
  Fail(name.function, std::string(name.argument) + " is " + std::to_string(value) +
                          "; expected " + std::to_string(minimum) + " to " +
                          std::to_string(maximum));
}

void CheckTuple(Name name, const nb::tuple& given, size_t size) {
  if (given.size() == size) return;
  Fail(name.function, std::string(name.argument) + " has " + std::to_string(given.size()) +
                          " elements; expected " + std::to_string(size));
}

Buffer::Buffer(Name name, nb::handle given, int rank, bool writable) : name_(name), size_(1) {
  const int flags = PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | (writable ? PyBUF_WRITABLE : 0);
  if (PyObject_GetBuffer(given.ptr(), &view_, flags) != 0) {
    Fail(name.function, std::string(name.argument) + ": " + TakeError());
  }
  for (int axis = 0; axis < view_.ndim; ++axis) size_ *= view_.shape[axis];
  const bool aligned = reinterpret_cast<uintptr_t>(view_.buf) % view_.itemsize == 0;
  if (view_.ndim == rank && (aligned || size_ == 0)) return;
  try {
    Misfit(aligned ? std::to_string(rank) + (rank == 1 ? " dimension" : " dimensions")
                   : "aligned elements");
  } catch (...) {
    PyBuffer_Release(&view_);  // If a constructor throws, the destructor is not called.
    throw;
  }
}

bool Buffer::Holds(ElementType type) const {
  const char* format = view_.format;
  return format != nullptr && std::strlen(format) == 1 &&
         std::strchr(type.formats, format[0]) != nullptr &&
         static_cast<size_t>(view_.itemsize) == type.bytes;
}

void Buffer::Misfit(const std::string& expected) const {
  const nb::object dtype = nb::getattr(nb::handle(view_.obj), "dtype", nb::none());
  std::string text = std::string(name_.argument) + " is " + nb::str(dtype).c_str() + "[";
  for (int axis = 0; axis < view_.ndim; ++axis) {
    text += (axis > 0 ? ", " : "") + std::to_string(view_.shape[axis]);
  }
  Fail(name_.function, text + "]; expected " + expected);
}

}  // namespace sdykit
