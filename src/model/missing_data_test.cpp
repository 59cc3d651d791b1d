#include "model/missing_data.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <random>

namespace quarry {
namespace {

MissingDataset one_dataset(uint8_t number) {
    MissingDataset made;
    made.place[0] = static_cast<uint8_t>(7 * number);
    made.token[3] = number;
    made.path = "/group/\xff" + std::string(number, 'x');
    made.stored = 1000u + number;
    made.creation.assign(size_t{3} * number, std::byte{number});
    for (uint64_t i = 0; i < number; ++i)
        made.pieces.push_back({i * 100, i, static_cast<uint32_t>(i), i % 2 == 0, {i, 2 * i}});
    if (number > 0) made.chunk = {number, 5};
    return made;
}

std::vector<MissingDataset> some_datasets() {
    std::vector<MissingDataset> made;
    for (const uint8_t number : {5, 0, 30, 2, 11}) made.push_back(one_dataset(number));
    return made;
}

const OriginalFile kOriginal{"/data/in.h5", 12345, 99, 7, 0, {{0, 96}, {800, 120}}};

TEST(MissingDataTest, ComesBackAsItWas) {
    const std::vector<MissingDataset> datasets = some_datasets();
    const auto bytes = encode_missing(kOriginal, datasets);
    const auto read = MissingData::read(bytes);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->original(), kOriginal);
    ASSERT_EQ(read->count(), datasets.size());
    for (const MissingDataset& dataset : datasets)
        EXPECT_EQ(read->dataset(read->find(dataset.place)), dataset);
    EXPECT_EQ(read->find(one_dataset(3).place), read->count());
}

TEST(MissingDataTest, NothingIsMissing) {
    const auto bytes = encode_missing({}, {});
    const auto read = MissingData::read(bytes);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->find({}), 0u);
    EXPECT_EQ(read->original(), OriginalFile{});
}

TEST(MissingDataTest, EveryChangedBitIsNoticed) {
    auto bytes = encode_missing(kOriginal, some_datasets());
    for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
        const auto changed = static_cast<std::byte>(1u << bit % 8);
        bytes[bit / 8] ^= changed;
        EXPECT_FALSE(MissingData::read(bytes)) << bit;
        bytes[bit / 8] ^= changed;
    }
    EXPECT_TRUE(MissingData::read(bytes));
    bytes.resize(bytes.size() - 8);
    EXPECT_FALSE(MissingData::read(bytes));
}

void put_checksum(std::vector<std::byte>& bytes) {
    Checksum made;
    made.add(std::span(bytes).subspan(16));
    const uint64_t value = made.value();
    std::memcpy(bytes.data() + 8, &value, sizeof value);
}

TEST(MissingDataTest, DamagedBytesAreReadWithinTheirBounds) {
    const char* seed = std::getenv("QUARRY_SEED");
    std::mt19937_64 dice(seed != nullptr ? std::strtoull(seed, nullptr, 10) : 1);
    const auto whole = encode_missing(kOriginal, some_datasets());
    for (int round = 0; round < 3000; ++round) {
        std::vector<std::byte> bytes(whole.begin(),
                                     whole.end() - static_cast<long>(dice() % 2 * (dice() % 900)));
        for (int i = 0; i < 4; ++i)
            bytes[8 + dice() % (bytes.size() - 8)] = static_cast<std::byte>(dice());
        put_checksum(bytes);
        const auto read = MissingData::read(bytes);
        if (!read) continue;
        (void)read->original();
        (void)read->find(one_dataset(2).place);
        for (size_t i = 0; i < read->count(); ++i) (void)read->dataset(i);
    }
}

}  // namespace
}  // namespace quarry
