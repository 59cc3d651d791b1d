#include "analyze/process_tables.hpp"

#include <algorithm>

namespace quarry::analyze {
namespace {

constexpr uint32_t kSeveral = kNobody - 1;

template <typename Value>
const Value* find_in(const std::unordered_map<uint32_t, Value>& map, uint32_t number) {
    const auto found = map.find(number);
    return found != map.end() ? &found->second : nullptr;
}

}  // namespace

std::string ProcessTables::text(uint32_t number) const {
    if (const std::string* own = find_in(texts, number)) return *own;
    return parent != nullptr ? parent->text(number) : "";
}

uint32_t ProcessTables::file_of(uint32_t storage) const {
    if (const uint32_t* own = find_in(storages, storage)) return *own;
    return parent != nullptr ? parent->file_of(storage) : kNobody;
}

uint32_t ProcessTables::other_file_of(uint32_t number) const {
    const uint32_t* own = find_in(others, number);
    return own != nullptr ? *own : kNobody;
}

bool ProcessTables::opens_as_hdf5(uint32_t number) const {
    const bool own = std::any_of(storages.begin(), storages.end(),
                                 [&](const auto& entry) { return entry.second == number; });
    return own || (parent != nullptr && parent->opens_as_hdf5(number));
}

uint32_t ProcessTables::object_of(uint32_t number) const {
    if (const uint32_t* own = find_in(objects, number)) return *own;
    return parent != nullptr ? parent->object_of(number) : kNobody;
}

uint32_t ProcessTables::source_of(uint32_t operation, uint32_t number) const {
    const auto found = sources.find({operation, number});
    return found != sources.end() ? found->second : kNobody;
}

uint32_t ProcessTables::object_of_operation(uint32_t operation) const {
    const uint32_t* own = find_in(operations, operation);
    return own != nullptr && *own != kSeveral ? *own : kNobody;
}

std::span<const uint32_t> ProcessTables::indexed_in(uint32_t operation) const {
    const std::vector<uint32_t>* own = find_in(indexed, operation);
    return own != nullptr ? std::span(*own) : std::span<const uint32_t>();
}

void ProcessTables::await_object_of(uint32_t operation) {
    if (operation != trace::kNone) operations.try_emplace(operation, kNobody);
}

void ProcessTables::settle(uint32_t operation, uint32_t object) {
    const auto pending = operations.find(operation);
    if (pending == operations.end()) return;
    // Of several objects only the address can tell.
    const bool first = pending->second == kNobody || pending->second == object;
    pending->second = first ? object : kSeveral;
}

}  // namespace quarry::analyze
