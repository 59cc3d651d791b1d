#include "carve/job_message.hpp"

#include <gtest/gtest.h>

namespace quarry::carve_files {
namespace {

Job some_job() {
    Job job;
    job.fate.why_whole = "since";
    job.fate.size_after = 7;
    job.fate.checksum = 8;
    job.fate.datasets = {{{"/a", std::string("/\0\xff", 3)}, 100, 50, Remains::Partly, "it is so"},
                         {{"/b"}, 1, 1, Remains::Kept, ""}};
    job.needs = {{"file", "/dataset"}, {"other", "", std::string(16, '\xfe')}};
    return job;
}

TEST(JobMessage, ComesBackAsItWas) {
    const Job job = some_job();
    Job read;
    ASSERT_TRUE(read_message(message_of(job), read));
    EXPECT_EQ(read.fate.problem, "");
    EXPECT_EQ(read.fate.why_whole, "since");
    EXPECT_EQ(read.fate.size_after, 7u);
    EXPECT_EQ(read.fate.checksum, 8u);
    ASSERT_EQ(read.fate.datasets.size(), 2u);
    EXPECT_EQ(read.fate.datasets[0].paths, job.fate.datasets[0].paths);
    EXPECT_EQ(read.fate.datasets[0].stored, 100u);
    EXPECT_EQ(read.fate.datasets[0].kept, 50u);
    EXPECT_EQ(read.fate.datasets[0].remains, Remains::Partly);
    EXPECT_EQ(read.fate.datasets[0].why, "it is so");
    EXPECT_EQ(read.fate.datasets[1].remains, Remains::Kept);
    ASSERT_EQ(read.needs.size(), 2u);
    EXPECT_EQ(read.needs[1].token, job.needs[1].token);
    EXPECT_EQ(read.needs[0].dataset, "/dataset");
}

TEST(JobMessage, AnythingElseIsRefused) {
    const std::string message = message_of(some_job());
    Job read;
    for (size_t size = 0; size < message.size(); ++size)
        EXPECT_FALSE(read_message(std::string_view(message).substr(0, size), read)) << size;
    EXPECT_FALSE(read_message(message + "x", read));
    EXPECT_FALSE(read_message(std::string(200, '\xff'), read));
}

}  // namespace
}  // namespace quarry::carve_files
