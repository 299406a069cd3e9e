// Memory of a known size, not cleared, that can be handed to NumPy. Used by everything in native/graph.
#pragma once
#include <cstddef>
#include <memory>

namespace subiso {

template <class T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t size) : data_(std::make_unique_for_overwrite<T[]>(size)), size_(size) {}

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }

  // Forgets the tail; the memory itself stays until the buffer goes.
  void shrink(std::size_t size) { size_ = size < size_ ? size : size_; }
  T* release() {
    size_ = 0;
    return data_.release();
  }

 private:
  std::unique_ptr<T[]> data_;
  std::size_t size_ = 0;
};

}  // namespace subiso
