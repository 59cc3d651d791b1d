#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <thread>

#include "base/temporary_directory.hpp"
#include "trace/reader.hpp"
#include "trace/writer.hpp"

namespace quarry::trace {
namespace {

// What the writer said, in the process that it said it in.
std::string said;
void hear(std::initializer_list<std::string_view> pieces) noexcept {
    for (const std::string_view piece : pieces) said += piece;
    said += '\n';
}

// Every case writes in a child of its own: a writer lives as long as its process.
template <typename Work>
void in_child(Work work) {
    const pid_t child = fork();
    if (child == 0) {
        work();
        _exit(testing::Test::HasFailure() ? 1 : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
}

struct Seen {
    std::vector<Io> ios;
    std::map<uint32_t, std::string> texts;
    std::vector<Thread> threads;
    Damage damage;
};

struct Collect {
    Seen& seen;
    void operator()(const Io& io, const Rest&) { seen.ios.push_back(io); }
    void operator()(const Thread& thread, const Rest&) { seen.threads.push_back(thread); }
    void operator()(const Text& text, const Rest& rest) {
        seen.texts[text.number] = rest.after(text.bytes, text.size);
    }
};

Seen read(const ProcessFile& file) {
    Seen seen;
    seen.damage = file.each(Collect{seen});
    return seen;
}

class TraceFileTest : public testing::Test {
protected:
    std::string directory() const { return folder_.path() + "/trace"; }
    Writer* writer(uint64_t max_size = 0) const {
        said.clear();
        return Writer::create({directory(), RecordLevel::Io, max_size, "", hear});
    }
    std::vector<std::string> files() const {
        const auto found = files_of_trace(directory());
        EXPECT_TRUE(found) << found.error().message;
        return found ? *found : std::vector<std::string>();
    }
    ProcessFile only_file() const {
        EXPECT_EQ(files().size(), 1u);
        auto file = ProcessFile::open(files().at(0));
        EXPECT_TRUE(file);
        return std::move(*file);
    }

private:
    TemporaryDirectory folder_ = std::move(*TemporaryDirectory::create());
};

Io numbered_io(uint64_t number) {
    Io io{};
    io.address = number;
    io.size = number * 3;
    return io;
}

TEST_F(TraceFileTest, GivesBackWhatWasWritten) {
    const auto seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    std::vector<std::string> texts;
    for (int i = 0; i < 2000; ++i) {
        std::string text(random() % (i % 50 == 0 ? 20000 : 200) + 1, ' ');
        for (char& c : text) c = static_cast<char>(random());
        texts.push_back(text + std::to_string(i));
    }
    in_child([&] {
        Writer* out = writer();
        for (uint64_t i = 0; i < texts.size(); ++i) {
            Io io = numbered_io(i);
            io.object = out->text(texts[i]);
            out->append(io);
            EXPECT_EQ(out->text(texts[i]), io.object);
        }
        out->end();
    });
    const ProcessFile file = only_file();
    EXPECT_EQ(file.header().state, static_cast<uint32_t>(State::Ended));
    EXPECT_GT(file.header().stopped_at, file.header().monotonic);
    const Seen seen = read(file);
    ASSERT_EQ(seen.ios.size(), texts.size());
    EXPECT_EQ(seen.texts.size(), texts.size());
    for (size_t i = 0; i < texts.size(); ++i) {
        EXPECT_EQ(seen.ios[i].address, i);
        EXPECT_EQ(seen.texts.at(seen.ios[i].object), texts[i]);
    }
    EXPECT_EQ(seen.damage.malformed, 0u);
    EXPECT_EQ(seen.damage.missing, 0u);
}

TEST_F(TraceFileTest, TellsWhetherItHoldsARecordOfAKindWhereverThatIs) {
    constexpr uint64_t kIos = 40'000;  // beyond one segment
    in_child([&] {
        Writer* out = writer();
        for (uint64_t i = 0; i < kIos; ++i) out->append(numbered_io(i));
        out->append(FileOpened{});
        out->end();
    });
    const ProcessFile file = only_file();
    EXPECT_TRUE(file.holds(Kind::Io));
    EXPECT_TRUE(file.holds(Kind::FileOpened));
    EXPECT_FALSE(file.holds(Kind::Access));
}

TEST_F(TraceFileTest, TakesNoMoreSpaceThanIsUsedOnceTheProcessHasEnded) {
    in_child([&] {
        Writer* out = writer();
        out->append(numbered_io(1));
        out->end();
    });
    EXPECT_LE(size_of_trace(directory().c_str()), 16384u);
}

TEST_F(TraceFileTest, ThreadsLoseNothing) {
    constexpr int kThreads = 4;
    constexpr uint64_t kEach = 40000;
    in_child([&] {
        Writer* out = writer();
        std::vector<std::thread> threads;
        for (uint64_t t = 0; t < kThreads; ++t) {
            threads.emplace_back([out, t] {
                for (uint64_t i = 0; i < kEach; ++i) {
                    Io io = numbered_io(i);
                    io.object = static_cast<uint32_t>(t);
                    out->append(io);
                    if (i % 1000 == 0) out->text("text " + std::to_string(i));
                }
            });
        }
        for (std::thread& thread : threads) thread.join();
    });
    const Seen seen = read(only_file());
    EXPECT_EQ(seen.ios.size(), kThreads * kEach);
    EXPECT_EQ(seen.threads.size(), static_cast<size_t>(kThreads));
    std::array<uint64_t, kThreads> next{};
    for (const Io& io : seen.ios) EXPECT_EQ(io.address, next.at(io.object)++);
}

TEST_F(TraceFileTest, KilledAtAnyMomentLeavesAllThatWasWritten) {
    const auto seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    for (int round = 0; round < 30; ++round) {
        std::filesystem::remove_all(directory());
        int channel[2];
        ASSERT_EQ(pipe(channel), 0);
        const pid_t child = fork();
        if (child == 0) {
            Writer* out = writer();
            for (uint64_t i = 1;; ++i) {
                out->append(numbered_io(i));
                out->text("a text that needs more than one slot, number " + std::to_string(i));
                if (write(channel[1], &i, sizeof i) < 0) _exit(1);
            }
        }
        close(channel[1]);
        uint64_t last = 0;
        const uint64_t until = 1 + random() % 5000;
        while (last < until && ::read(channel[0], &last, sizeof last) > 0) continue;
        kill(child, SIGKILL);
        while (::read(channel[0], &last, sizeof last) > 0) continue;
        close(channel[0]);
        waitpid(child, nullptr, 0);

        const ProcessFile file = only_file();
        const Seen seen = read(file);
        EXPECT_EQ(file.header().state, static_cast<uint32_t>(State::Running));
        EXPECT_GE(seen.ios.size(), last);
        EXPECT_LE(seen.ios.size(), last + 1);
        EXPECT_GE(seen.texts.size(), last);
        EXPECT_EQ(seen.damage.malformed, 0u);
        for (size_t i = 0; i < seen.ios.size(); ++i) EXPECT_EQ(seen.ios[i].address, i + 1);
    }
}

TEST_F(TraceFileTest, KilledWhileItBeginsLeavesNothingOrAWholeFile) {
    const auto seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    ASSERT_TRUE(make_trace_directory(directory().c_str()));
    for (int round = 0; round < 300; ++round) {
        const pid_t child = fork();
        if (child == 0) {
            writer();
            _exit(0);
        }
        usleep(random() % 1000);
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
    }
    for (const auto& entry : std::filesystem::directory_iterator(directory())) {
        const auto file = ProcessFile::open(entry.path());
        EXPECT_TRUE(file) << file.error().message;
    }
}

TEST_F(TraceFileTest, AFileIsInTheTraceOnceItIsListed) {
    using Name = UnlistedFile::Name;
    const std::string trace = directory();
    ASSERT_TRUE(make_trace_directory(trace.c_str()));
    const auto entries = [&] {
        const std::filesystem::directory_iterator all(trace);
        return std::distance(begin(all), end(all));
    };
    std::set<std::string> paths;
    for (const Name name : {Name::None, Name::OfAnotherKind}) {
        {
            const UnlistedFile dropped(trace.c_str(), 1, "host", name);
        }
        EXPECT_EQ(entries(), std::ssize(paths));
        // Two at one moment have different names.
        for (int i = 0; i < 2; ++i) {
            const UnlistedFile file(trace.c_str(), 1, "host", name);
            ASSERT_GE(file.get(), 0) << strerror(errno);
            EXPECT_EQ(files_of_trace(directory()) ? files().size() : 0, paths.size());
            PathBuffer path;
            ASSERT_TRUE(file.list(path)) << strerror(errno);
            paths.insert(path.data());
        }
        EXPECT_EQ(entries(), std::ssize(paths));
    }
    EXPECT_EQ(paths.size(), 4u);
    const std::vector<std::string> found = files();
    EXPECT_EQ(std::set(found.begin(), found.end()), paths);
}

TEST_F(TraceFileTest, AForkedChildBeginsBeforeItActs) {
    in_child([&] {
        Writer* out = writer();
        in_child([&] { out->begin_if_forked(); });
    });
    EXPECT_EQ(files().size(), 2u);
}

TEST_F(TraceFileTest, ForkedChildrenWriteTheirOwnAndInheritNumbers) {
    in_child([&] {
        Writer* out = writer();
        const uint32_t inherited = out->text("from the parent");
        for (int i = 0; i < 8; ++i) {
            in_child([&] {
                EXPECT_GT(out->text("from the child"), inherited);
                Io io = numbered_io(7);
                io.object = inherited;
                out->append(io);
            });
            in_child([] {});  // has nothing to say
        }
        out->append(numbered_io(1));
    });
    ASSERT_EQ(files().size(), 9u);
    const std::string parent = std::filesystem::path(files()[0]).filename();
    int children = 0;
    std::set<uint64_t> executions;
    for (const std::string& path : files()) {
        const auto file = ProcessFile::open(path);
        ASSERT_TRUE(file);
        const std::string from = file->header().forked_from.data();
        EXPECT_TRUE(from.empty() || from == parent) << from;
        children += from.empty() ? 0 : 1;
        executions.insert(file->header().execution);
        EXPECT_EQ(file->header().ancestors[from.empty() ? 0 : 1], static_cast<uint32_t>(getppid()));
        EXPECT_LE(file->header().loaded, file->header().monotonic);
        EXPECT_EQ(read(*file).ios.size(), 1u);
    }
    EXPECT_EQ(children, 8);
    EXPECT_EQ(executions.size(), 1u);
    EXPECT_FALSE(executions.contains(0));
}

TEST_F(TraceFileTest, StopsAtTheSizeLimitAndSaysSo) {
    in_child([&] {
        Writer* out = writer(3 << 20);
        for (uint64_t i = 0; i < 200000; ++i) out->append(numbered_io(i));
        EXPECT_NE(said.find("incomplete from here"), std::string::npos) << said;
        EXPECT_NE(said.find("--max-size"), std::string::npos) << said;
    });
    const ProcessFile file = only_file();
    EXPECT_EQ(file.header().state, static_cast<uint32_t>(State::Stopped));
    EXPECT_EQ(file.header().stop_reason, static_cast<uint32_t>(StopReason::SizeLimit));
    EXPECT_GT(file.header().stopped_at, 0u);
    EXPECT_GT(file.header().lost, 0u);
    EXPECT_LE(size_of_trace(directory().c_str()), size_t{3} << 20);
    const Seen seen = read(file);
    EXPECT_GT(seen.ios.size(), 40000u);
    for (size_t i = 0; i < seen.ios.size(); ++i) EXPECT_EQ(seen.ios[i].address, i);
}

// The kernel would end the program with a signal.
TEST_F(TraceFileTest, ALimitOnFileSizesEndsTheTraceAndNotTheProgram) {
    in_child([&] {
        const rlimit limit{1 << 20, 1 << 20};
        setrlimit(RLIMIT_FSIZE, &limit);
        Writer* out = writer();
        for (uint64_t i = 0; i < 200000; ++i) out->append(numbered_io(i));
        EXPECT_NE(said.find("incomplete from here"), std::string::npos) << said;
    });
    EXPECT_EQ(only_file().header().stop_reason, static_cast<uint32_t>(StopReason::NoSpace));
}

TEST_F(TraceFileTest, ADirectoryThatVanishesIsNoticed) {
    in_child([&] {
        Writer* out = writer();
        std::filesystem::remove_all(directory());
        for (uint64_t i = 0; i < 20000; ++i) out->append(numbered_io(i));
        EXPECT_NE(said.find("removed"), std::string::npos) << said;
    });
}

TEST_F(TraceFileTest, AnUnusableDirectoryIsSaid) {
    std::ofstream(directory()) << "a file";
    EXPECT_EQ(writer(), nullptr);
    EXPECT_NE(said.find("cannot record into"), std::string::npos);
    EXPECT_NE(said.find("Not a directory"), std::string::npos) << said;
}

TEST_F(TraceFileTest, CanBeReadWhileItIsWritten) {
    int channel[2];
    ASSERT_EQ(pipe(channel), 0);
    const pid_t child = fork();
    if (child == 0) {
        Writer* out = writer();
        for (uint64_t i = 0; i < 1000; ++i) out->append(numbered_io(i));
        if (write(channel[1], "x", 1) != 1) _exit(1);
        pause();
    }
    char ready = 0;
    ASSERT_EQ(::read(channel[0], &ready, 1), 1);
    EXPECT_EQ(read(only_file()).ios.size(), 1000u);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
}

TEST_F(TraceFileTest, ForeignNewerAndTruncatedFilesAreExplained) {
    in_child([&] { writer()->append(numbered_io(1)); });
    const std::string path = files().at(0);
    const auto patched = [&](size_t offset, const std::string& bytes) {
        std::filesystem::copy_file(path, path + ".copy",
                                   std::filesystem::copy_options::overwrite_existing);
        std::fstream file(path + ".copy", std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(static_cast<std::streamoff>(offset));
        file << bytes;
        file.close();
        const auto opened = ProcessFile::open(path + ".copy");
        return opened ? std::string() : opened.error().message;
    };
    EXPECT_EQ(patched(0, ""), "");
    EXPECT_NE(patched(0, "GARBAGE!").find("is not a trace"), std::string::npos);
    EXPECT_NE(patched(8, "\x02").find("newer Quarry"), std::string::npos);
    EXPECT_NE(patched(12, "\x01\x02\x03\x04").find("byte order"), std::string::npos);
    EXPECT_NE(patched(16, "\x41").find("damaged header"), std::string::npos);

    std::filesystem::resize_file(path, 100);
    EXPECT_FALSE(ProcessFile::open(path));
    EXPECT_FALSE(ProcessFile::open(path + ".none"));
    EXPECT_FALSE(files_of_trace(directory() + "/none"));
}

TEST_F(TraceFileTest, WhatIsMissingAtTheEndIsCounted) {
    in_child([&] {
        Writer* out = writer();
        for (uint64_t i = 0; i < 1000; ++i) out->append(numbered_io(i));
    });
    std::filesystem::resize_file(files().at(0), (kHeaderSlots + 1 + 500) * kSlotSize + 17);
    const Seen seen = read(only_file());
    EXPECT_EQ(seen.ios.size(), 500u);
    EXPECT_EQ(seen.damage.missing, 500 * kSlotSize);
}

TEST_F(TraceFileTest, ARecordThatWasNotBegunBeforeAKillIsNoDamage) {
    in_child([&] { writer()->text(std::string(200, 'x')); });
    const std::string path = files().at(0);
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    // What continues the text is there, its beginning is not.
    const size_t text = bytes.find("xxxxxxxx");
    ASSERT_NE(text, bytes.npos);
    const size_t slot = text / kSlotSize * kSlotSize;
    file.clear();
    file.seekp(static_cast<std::streamoff>(slot));
    file << std::string(kSlotSize, '\0');
    file.close();
    const Seen seen = read(only_file());
    EXPECT_EQ(seen.damage.malformed, 0u);
    EXPECT_GE(seen.damage.unfilled, 2u);
}

// Any bytes at all: no crash, nothing endless, and no more records than slots.
TEST_F(TraceFileTest, DamagedFilesGiveWhatIsSound) {
    in_child([&] {
        Writer* out = writer();
        for (uint64_t i = 0; i < 300; ++i) {
            out->append(numbered_io(i));
            out->text(std::string(i, 'x') + std::to_string(i));
        }
    });
    const auto seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const std::string path = files().at(0);
    std::filesystem::resize_file(path, 100000);
    std::ifstream in(path, std::ios::binary);
    const std::string sound((std::istreambuf_iterator<char>(in)), {});
    for (int round = 0; round < 2000; ++round) {
        std::string bytes = sound;
        const int changes = static_cast<int>(random() % 200) + 1;
        // Mostly behind the part of the header that is checked.
        for (int i = 0; i < changes; ++i) {
            const size_t at =
                random() % 50 == 0 ? random() % 512 : 40 + random() % (bytes.size() - 40);
            bytes[at] = static_cast<char>(random());
        }
        bytes.resize(random() % 10 == 0 ? random() % bytes.size() : bytes.size());
        std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
        if (const auto file = ProcessFile::open(path)) {
            const Seen seen = read(*file);
            EXPECT_LE(seen.ios.size() + seen.damage.malformed, bytes.size() / kSlotSize);
        }
    }
}

}  // namespace
}  // namespace quarry::trace
