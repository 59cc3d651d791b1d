#include "launch/wrappers.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace quarry {
namespace {

struct Case {
    const char* typed;
    const char* started;
    bool cleared;
};
// Without this GoogleTest prints the bytes, also those that are only padding and were never set.
void PrintTo(const Case& test, std::ostream* out) {
    *out << test.typed;
}

class WrapperTest : public testing::TestWithParam<Case> {};

TEST_P(WrapperTest, FindsTheProgramAndTheEnvironment) {
    const Unwrapped result = unwrap(split(GetParam().typed, " "));
    EXPECT_EQ(result.command, split(GetParam().started, " ")) << GetParam().typed;
    EXPECT_EQ(!result.cleared_by.empty(), GetParam().cleared) << GetParam().typed;
}

INSTANTIATE_TEST_SUITE_P(
    Commands, WrapperTest,
    testing::Values(
        Case{"python3 x.py", "python3 x.py", false},
        Case{"nice -n 5 python3 x.py", "python3 x.py", false},
        Case{"nice -n5 timeout --signal KILL 10 h5dump a.h5", "h5dump a.h5", false},
        Case{"/usr/bin/time -v python3", "python3", false},
        Case{"taskset -c 0-3 python3", "python3", false},
        Case{"mpirun -np 4 --bind-to=core python3 x.py", "python3 x.py", false},
        Case{"env A=1 B=2 python3 -c 0", "python3 -c 0", false},
        Case{"env -S python3 -u", "python3 -u", false}, Case{"env -i python3", "python3", true},
        Case{"env - PATH=/bin python3", "python3", true},
        Case{"env -u HDF5_VOL_CONNECTOR python3", "python3", true},
        Case{"env -u OTHER python3", "python3", false},
        Case{"env HDF5_PLUGIN_PATH=/x python3", "python3", true},
        Case{"sudo -u bob python3", "python3", true}, Case{"sudo -E python3", "python3", false},
        Case{"sudo --preserve-env=HDF5_VOL_CONNECTOR,HDF5_PLUGIN_PATH python3", "python3", false},
        Case{"sudo python3 -E", "python3 -E", true}, Case{"ssh host python3", "", true},
        Case{"docker run image python3", "", true}, Case{"su - bob -c python3", "", true},
        Case{"su bob -c python3", "", false}, Case{"srun -n 4 python3", "python3", false},
        Case{"srun --export=NONE python3", "python3", true},
        Case{"srun --export NONE -n 4 python3", "python3", true}, Case{"qsub job.sh", "", true},
        Case{"qsub -V job.sh", "", false}, Case{"nohup sudo nice python3", "python3", true},
        Case{"env", "", false}, Case{"timeout 5", "", false}));

}  // namespace
}  // namespace quarry
