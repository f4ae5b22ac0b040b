// Arrays of Python, checked as arguments. They are acquired and released with the GIL held.

#ifndef SDYKIT_SPARSECORE_ARRAYS_H_
#define SDYKIT_SPARSECORE_ARRAYS_H_

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace sdykit {

// The name of an argument in errors: `fill_lists: words`.
struct Name {
  const char* function;
  const char* argument;
};

// Throws std::invalid_argument, in Python a ValueError.
[[noreturn]] void Fail(const char* function, const std::string& text);

// Fails unless a number is from `minimum` to `maximum`.
void CheckRange(Name name, int64_t value, int64_t minimum, int64_t maximum);

// Fails unless a tuple has `size` elements.
void CheckTuple(Name name, const nanobind::tuple& given, size_t size);

// A type of elements, by the letters of Python's module `struct`.
struct ElementType {
  const char* name;     // the name of numpy's dtype
  const char* formats;  // all letters of the type
  size_t bytes;
};

template <typename T>
ElementType ElementTypeOf() {
  if constexpr (std::is_same_v<T, int32_t>) return {"int32", "il", 4};
  if constexpr (std::is_same_v<T, uint32_t>) return {"uint32", "IL", 4};
  if constexpr (std::is_same_v<T, int64_t>) return {"int64", "lq", 8};
  if constexpr (std::is_same_v<T, uint64_t>) return {"uint64", "LQ", 8};
  if constexpr (std::is_same_v<T, uint8_t>) return {"uint8", "B", 1};
  if constexpr (std::is_same_v<T, float>) return {"float32", "f", 4};
}

// A contiguous buffer of a Python object, held until it is destroyed.
class Buffer {
 public:
  // Throws unless `given` is a contiguous buffer of this rank, aligned, and writable if asked for.
  Buffer(Name name, nanobind::handle given, int rank, bool writable);
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { PyBuffer_Release(&view_); }

  bool Holds(ElementType type) const;
  // Throws: "<function>: <argument> is <dtype and shape>; expected <text>".
  [[noreturn]] void Misfit(const std::string& expected) const;

  void* data() const { return view_.buf; }
  int64_t size() const { return size_; }
  int64_t dim(int axis) const { return view_.shape[axis]; }

 private:
  Name name_;
  Py_buffer view_;
  int64_t size_;
};

// A buffer of elements of type T, writable unless T is const.
template <typename T>
class Array : public Buffer {
 public:
  Array(Name name, nanobind::handle given, int rank = 1)
      : Buffer(name, given, rank, !std::is_const_v<T>) {
    const ElementType type = ElementTypeOf<std::remove_const_t<T>>();
    if (!Holds(type)) Misfit(type.name);
  }
  T* data() const { return static_cast<T*>(Buffer::data()); }

  // Throws unless there are at least `size` elements.
  void Needs(int64_t size) const {
    if (this->size() < size) Misfit("at least " + std::to_string(size) + " elements");
  }
};

}  // namespace sdykit

#endif  // SDYKIT_SPARSECORE_ARRAYS_H_
