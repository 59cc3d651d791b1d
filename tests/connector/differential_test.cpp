// Runs every scenario without the connector and in each way of being under it, and expects the same
// transcript, the same words on stderr, the same end and the same bytes in every file left behind.
//
//   QUARRY_PLUGIN_DIR=DIR      tries the plugin in another directory
//   QUARRY_SEED=N              repeats one random file; QUARRY_RANDOM_RUNS=N makes more of them
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>

#include "base/subprocess.hpp"
#include "base/temporary_directory.hpp"
#include "modes.hpp"

namespace quarry {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

std::string variable(const char* name, const std::string& otherwise) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : otherwise;
}

std::string bytes_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    for (size_t at = text.find(what); at != std::string::npos;
         at = text.find(what, at + by.size())) {
        text.replace(at, what.size(), by);
    }
    return text;
}

// Two things in HDF5's messages are no difference: where a buffer lies in memory, and the line in
// H5VL_file_open, which has one failing place for the native connector and one for all others.
std::string normal(const std::string& text) {
    static const std::regex address("buf = 0x[0-9a-f]+");
    static const std::regex printed("(H5VLcallback.c line )[0-9]+( in H5VL_file_open)");
    static const std::regex walked("(in H5VL_file_open H5VLcallback.c )[0-9]+");
    std::string result = std::regex_replace(text, address, "buf = ADDRESS");
    result = std::regex_replace(result, printed, "$1N$2");
    return std::regex_replace(result, walked, "$1N");
}

// One run's traces.
struct Traces {
    Outcome outcome;
    std::map<std::string, std::string> files;
    std::string witness;
};

// Where HDF5 forgets objects that it has had wrapped, of whichever connector: one whose closing
// failed, and a file that an external link led to.
bool forgotten_by_hdf5(const std::string& scenario) {
    return scenario == "filter_that_fails" || scenario == "external_link_across_drivers" ||
           scenario == "external_link_with_an_access_list";
}

class Bench {
public:
    explicit Bench(std::string seed) : seed_(std::move(seed)) {}

    // Every run has the same working directory, as its path may be part of messages and files.
    Traces run(const std::string& scenario, const Setting& setting) {
        const fs::path root = directory_->path();
        const fs::path work = root / "work";
        const fs::path witness = root / "witness";
        fs::remove_all(root / "witness.trace");
        for (const fs::path& path : {work, witness, root / "no-plugins"}) {
            fs::remove_all(path);
            fs::create_directory(path);
        }
        std::vector<std::string> arguments = {SCENARIOS};
        if (!setting.one_file.empty()) {
            arguments.insert(arguments.end(),
                             {"--one-file", replaced(setting.one_file, "WITNESS", witness)});
        }
        arguments.push_back(scenario);
        Traces result;
        result.outcome = execute(arguments, environment(scenario, setting, root), work);
        result.outcome.output = normal(result.outcome.output);
        result.outcome.errors = normal(result.outcome.errors);
        for (const auto& entry : fs::recursive_directory_iterator(work)) {
            if (!entry.is_regular_file()) continue;
            const std::string bytes = bytes_of(entry.path());
            const bool words =
                entry.path().extension() == ".transcript" || entry.path().extension() == ".errors";
            result.files[fs::relative(entry.path(), work)] = words ? normal(bytes) : bytes;
        }
        for (const auto& entry : fs::directory_iterator(witness)) {
            result.witness += bytes_of(entry.path());
        }
        return result;
    }

private:
    std::vector<std::string> environment(const std::string& scenario, const Setting& setting,
                                         const fs::path& root) const {
        const std::string plugins = setting.plugin_on_path
                                        ? variable("QUARRY_PLUGIN_DIR", PLUGIN_DIRECTORY)
                                        : (root / "no-plugins").string();
        std::vector<std::string> all = {
            // The clock is preloaded before the sanitizer's own library.
            "ASAN_OPTIONS=verify_asan_link_order=0:" +
                std::string(forgotten_by_hdf5(scenario) ? "detect_leaks=0:" : "") +
                variable("ASAN_OPTIONS", ""),
            "HDF5_PLUGIN_PATH=" + plugins, "LD_PRELOAD=" FIXED_CLOCK, "LANG=C", "TZ=UTC"};
        if (!setting.connector.empty()) {
            all.push_back("HDF5_VOL_CONNECTOR=" +
                          replaced(setting.connector, "WITNESS", root / "witness"));
        }
        if (!seed_.empty()) all.push_back("QUARRY_SEED=" + seed_);
        for (const char* name :
             {"LD_LIBRARY_PATH", "PATH", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS"}) {
            if (std::getenv(name) != nullptr)
                all.push_back(std::string(name) + "=" + variable(name, ""));
        }
        return all;
    }

    static Outcome execute(const std::vector<std::string>& arguments,
                           const std::vector<std::string>& variables, const fs::path& work) {
        const std::vector<char*> argv = exec_array(arguments);
        const std::vector<char*> envp = exec_array(variables);
        return run_forked(
            [&] {
                if (chdir(work.c_str()) != 0) return 126;
                execve(argv[0], argv.data(), envp.data());
                return 127;
            },
            120s);
    }

    std::string seed_;
    Result<TemporaryDirectory> directory_ = TemporaryDirectory::create();
};

// The first line that differs, with what leads up to it.
std::string first_difference(const std::string& expected, const std::string& got) {
    std::istringstream left(expected), right(got);
    std::string left_line, right_line, before;
    for (int number = 1;; ++number) {
        const bool has_left = static_cast<bool>(std::getline(left, left_line));
        const bool has_right = static_cast<bool>(std::getline(right, right_line));
        if (!has_left && !has_right) return "(no line differs)";
        if (!has_left || !has_right || left_line != right_line) {
            return before + "line " + std::to_string(number) +
                   "\n  without: " + (has_left ? left_line : "(the end)") +
                   "\n  with:    " + (has_right ? right_line : "(the end)");
        }
        const size_t start = before.size() > 600 ? before.find('\n', before.size() - 600) + 1 : 0;
        before = before.substr(start) + "           " + left_line + "\n";
    }
}

void expect_same_files(const Traces& baseline, const Traces& run) {
    for (const auto& [name, bytes] : baseline.files) {
        const auto found = run.files.find(name);
        if (found == run.files.end()) {
            ADD_FAILURE() << name << " was not left";
        } else if (found->second != bytes) {
            const auto at = std::mismatch(bytes.begin(), bytes.end(), found->second.begin(),
                                          found->second.end());
            ADD_FAILURE() << name << " differs: " << bytes.size() << " and " << found->second.size()
                          << " bytes, first at " << at.first - bytes.begin();
        }
    }
    for (const auto& [name, bytes] : run.files) {
        EXPECT_TRUE(baseline.files.count(name)) << name << " was left additionally";
    }
}

bool says(const std::string& witness, const char* line) {
    return witness.find(std::string(line) + "\n") != std::string::npos;
}

class Differential : public ::testing::Test {
public:
    Differential(Mode mode, std::string scenario, std::string seed)
        : mode_(std::move(mode)), scenario_(std::move(scenario)), bench_(std::move(seed)) {}

    void TestBody() override {
        const Traces baseline = bench_.run(scenario_, mode_.baseline);
        ASSERT_TRUE(baseline.outcome.succeeded()) << baseline.outcome.describe() << "\n"
                                                  << baseline.outcome.errors;
        const Traces run = bench_.run(scenario_, mode_.setting);
        EXPECT_EQ(run.outcome.describe(), baseline.outcome.describe()) << run.outcome.errors;
        EXPECT_TRUE(run.outcome.output == baseline.outcome.output)
            << "stdout: " << first_difference(baseline.outcome.output, run.outcome.output);
        EXPECT_TRUE(run.outcome.errors == baseline.outcome.errors)
            << "stderr: " << first_difference(baseline.outcome.errors, run.outcome.errors);
        expect_same_files(baseline, run);
        EXPECT_EQ(baseline.witness, "");
        EXPECT_EQ(says(run.witness, "object-layer"), mode_.witness.object_layer) << run.witness;
        EXPECT_EQ(says(run.witness, "byte-layer"), mode_.witness.byte_layer) << run.witness;
    }

private:
    Mode mode_;
    std::string scenario_;
    Bench bench_;
};

void add_test(const std::string& suite, const std::string& test, const Mode& mode,
              const std::string& scenario, const std::string& seed = "") {
    ::testing::RegisterTest(
        suite.c_str(), test.c_str(), nullptr, nullptr, __FILE__, __LINE__,
        [=]() -> ::testing::Test* { return new Differential(mode, scenario, seed); });
}

std::vector<std::string> all_scenarios() {
    std::vector<std::string> environment;
    if (std::getenv("LD_LIBRARY_PATH") != nullptr) {
        environment.push_back("LD_LIBRARY_PATH=" + variable("LD_LIBRARY_PATH", ""));
    }
    std::istringstream names(run_program({SCENARIOS, "--list"}, environment, 60s).output);
    return {std::istream_iterator<std::string>(names), {}};
}

void add_random_tests(const Mode& mode) {
    const bool one = std::getenv("QUARRY_SEED") != nullptr;
    const int first = std::stoi(variable("QUARRY_SEED", "1"));
    const int runs = std::stoi(variable("QUARRY_RANDOM_RUNS", one ? "1" : "30"));
    for (int seed = first; seed < first + runs; ++seed) {
        add_test("random", "seed_" + std::to_string(seed), mode, "random_file",
                 std::to_string(seed));
    }
}

}  // namespace
}  // namespace quarry

int main(int count, char** words) {
    ::testing::InitGoogleTest(&count, words);
    const auto scenarios = quarry::all_scenarios();
    const auto modes = quarry::all_modes();
    if (scenarios.empty()) {
        std::fprintf(stderr, "%s lists no scenarios\n", SCENARIOS);
        return 2;
    }
    for (const quarry::Mode& mode : modes) {
        for (const std::string& scenario : scenarios) {
            if (quarry::is_left_out(mode.name, scenario)) continue;
            quarry::add_test(mode.name, scenario, mode, scenario);
        }
    }
    quarry::add_random_tests(modes.front());
    return RUN_ALL_TESTS();
}
