#include "analyze/storage_model.hpp"

#include <gtest/gtest.h>

namespace quarry::analyze {
namespace {

Selection regular(std::vector<Steps> steps) {
    Selection selection;
    selection.kind = Selection::Kind::Regular;
    selection.rank = static_cast<uint8_t>(steps.size());
    selection.steps = std::move(steps);
    return selection;
}

Storage chunks_of(std::vector<uint64_t> chunks) {
    Storage storage;
    storage.chunks = std::move(chunks);
    storage.element_size = 8;
    return storage;
}

TEST(StorageModel, ChunksAreReadOnceWhileTheyAreKept) {
    const auto model = model_of(chunks_of({10, 10}));
    const std::vector<uint64_t> shape{100, 100};
    for (int i = 0; i < 3; ++i)
        model->access(regular({{0, 1, 10, 1}, {0, 1, 25, 1}}), shape, false);
    EXPECT_EQ(model->moved().reads, 3u);
    EXPECT_EQ(model->moved().bytes_read, 3u * 800);
    model->close();
    model->access(regular({{5, 1, 1, 1}, {5, 1, 1, 1}}), shape, false);
    EXPECT_EQ(model->moved().reads, 4u);
}

TEST(StorageModel, WholeChunksAreWrittenWithoutReadingThem) {
    const auto model = model_of(chunks_of({10, 10}));
    const std::vector<uint64_t> shape{20, 10};
    model->access(regular({{0, 1, 1, 20}, {0, 1, 1, 10}}), shape, true);
    EXPECT_EQ(model->moved().writes, 0u);  // they are still kept
    model->close();
    EXPECT_EQ(model->moved().reads, 0u);
    EXPECT_EQ(model->moved().writes, 2u);
    model->access(regular({{3, 1, 1, 1}, {0, 1, 1, 10}}), shape, true);
    model->close();
    EXPECT_EQ(model->moved().reads, 1u);
    EXPECT_EQ(model->moved().writes, 3u);
}

TEST(StorageModel, SmallContiguousReadsLookAhead) {
    const auto model = model_of(chunks_of({}));
    const std::vector<uint64_t> shape{100'000};
    for (uint64_t i = 0; i < 8192; ++i) model->access(regular({{i, 1, 1, 1}}), shape, false);
    EXPECT_EQ(model->moved().reads, 1u);
    model->access(regular({{8192, 1, 1, 1}}), shape, false);
    EXPECT_EQ(model->moved().reads, 2u);
    EXPECT_EQ(model->moved().bytes_read, 2u * 65536);
}

TEST(StorageModel, RoomIsFilledBeforeAPartOfItIsWritten) {
    Storage storage = chunks_of({});
    storage.exists = false;
    storage.filled = true;
    const std::vector<uint64_t> shape{200'000};
    const auto in_parts = model_of(storage);
    for (uint64_t i = 0; i < 2; ++i)
        in_parts->access(regular({{i * 100'000, 1, 1, 100'000}}), shape, true);
    EXPECT_EQ(in_parts->moved().bytes_written, 2u * 1'600'000);
    EXPECT_EQ(in_parts->moved().writes, 2u + 2u);
    const auto at_once = model_of(storage);
    at_once->access(regular({{0, 1, 1, 200'000}}), shape, true);
    EXPECT_EQ(at_once->moved().bytes_written, 1'600'000u);
}

TEST(StorageModel, WhatNobodyCanHaveAskedForEnds) {
    constexpr uint64_t kHuge = ~uint64_t{0} - 5;
    const std::vector<uint64_t> shape{kHuge, kHuge};
    for (const Steps& steps : {Steps{0, 1, kHuge, 1}, Steps{kHuge, kHuge, kHuge, kHuge},
                               Steps{0, 0, kHuge, 1}, Steps{1, 1, 1, kHuge}}) {
        for (const bool writes : {false, true}) {
            model_of(chunks_of({1, 1}))->access(regular({steps, steps}), shape, writes);
            model_of(chunks_of({}))->access(regular({steps, {0, 1, 1, 1}}), {{1000, 1}}, writes);
        }
    }
}

}  // namespace
}  // namespace quarry::analyze
