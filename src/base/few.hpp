// A row of values of which there are mostly few: those lie in the row itself, and take no memory
// from the heap.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <initializer_list>
#include <type_traits>
#include <vector>

namespace quarry {

template <typename T, size_t kFew>
class Few {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    Few() = default;
    Few(std::initializer_list<T> values) {
        for (const T& value : values) push_back(value);
    }
    Few(const std::vector<T>& values) {
        for (const T& value : values) push_back(value);
    }

    void push_back(const T& value) {
        if (count_ < kFew) {
            few_[count_++] = value;
        } else {
            if (many_.empty()) many_.assign(few_.begin(), few_.end());
            many_.push_back(value);
        }
    }

    size_t size() const { return many_.empty() ? count_ : many_.size(); }
    T* data() { return many_.empty() ? few_.data() : many_.data(); }
    const T* data() const { return many_.empty() ? few_.data() : many_.data(); }
    T* begin() { return data(); }
    T* end() { return data() + size(); }
    const T* begin() const { return data(); }
    const T* end() const { return data() + size(); }
    const T& operator[](size_t i) const { return data()[i]; }

    bool operator==(const Few& other) const {
        return std::equal(begin(), end(), other.begin(), other.end());
    }
    auto operator<=>(const Few& other) const {
        return std::lexicographical_compare_three_way(begin(), end(), other.begin(), other.end());
    }

private:
    std::array<T, kFew> few_{};
    size_t count_ = 0;     // of the few
    std::vector<T> many_;  // all of them, where they are more
};

}  // namespace quarry
