// Objects that can be had even when memory cannot: a running program must not fail because Quarry
// could not allocate a few bytes of its own.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <new>

#include "base/fault.hpp"
#include "connector/notice.hpp"

namespace quarry::connector {

template <typename T, size_t kCount>
class Reserve {
public:
    // Null only when both the heap and the reserve are exhausted.
    void* take() noexcept {
        if (!fault::injected("allocation")) {
            if (void* memory = ::operator new(sizeof(T), std::nothrow)) return memory;
        }
        give_notice(Notice::Memory, {"memory is short; going on with what was set aside"});
        const std::lock_guard guard(mutex_);
        for (Cell& cell : cells_) {
            if (!cell.taken) {
                cell.taken = true;
                return cell.bytes;
            }
        }
        return nullptr;
    }

    void give_back(void* memory) noexcept {
        Cell* cell = static_cast<Cell*>(memory);
        if (cell < cells_.data() || cell >= cells_.data() + kCount) {
            ::operator delete(memory);
            return;
        }
        const std::lock_guard guard(mutex_);
        cell->taken = false;
    }

private:
    struct Cell {
        alignas(T) std::byte bytes[sizeof(T)];
        bool taken = false;
    };
    std::array<Cell, kCount> cells_{};
    std::mutex mutex_;
};

}  // namespace quarry::connector
