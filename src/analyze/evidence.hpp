// What the rules look at, and how they say what they have found.
#pragma once

#include <optional>
#include <quarry/advice.hpp>
#include <span>

#include "analyze/dataset_description.hpp"
#include "analyze/measure.hpp"

namespace quarry::analyze {

class Evidence {
public:
    Evidence(const Dataflow& flow, const std::map<MeasureKey, Measure>& measures,
             const Thresholds& thresholds);

    const TraceFacts& facts() const { return flow.summary.facts; }
    const std::string& path_of(uint32_t file) const { return facts().files[file].path; }
    const DatasetDescription* dataset(uint32_t object) const {
        const std::optional<DatasetDescription>& known = datasets_[object];
        return known ? &*known : nullptr;
    }
    // What a task did with an object; null if nothing.
    const Measure* measured(uint32_t task, uint32_t object) const;
    // What tasks did with the data of an object.
    std::span<const DataUse> uses_of(uint32_t object) const;
    // With what this trace's I/Os took.
    Saving saving(uint64_t operations, uint64_t bytes) const;

    // "/group/data in run.h5", for sentences.
    std::string name(uint32_t object) const;
    // For commands: the file and a path in it, quoted.
    std::string quoted_file(uint32_t object) const;
    std::string quoted_path(uint32_t object) const;
    const std::string& task(uint32_t number) const { return facts().tasks[number].name; }

    const Dataflow& flow;
    const std::map<MeasureKey, Measure>& measures;
    const Thresholds& limit;

private:
    std::vector<std::optional<DatasetDescription>> datasets_;
    double seconds_per_io_ = 0;
    double seconds_per_byte_ = 0;
};

using Findings = std::vector<Finding>;

// About a dataset, or any object, and one task, or several.
Finding about(const Evidence& evidence, uint32_t object, std::vector<uint32_t> tasks);

// What gives a dataset chunks that suit its readers.
std::string chunk_command(const Evidence& evidence, uint32_t object);

// By what they look at; findings.cpp lists them with their ids.
void find_in_requests(const Evidence& evidence, Findings& found);
void find_in_layouts(const Evidence& evidence, Findings& found);
void find_in_flows(const Evidence& evidence, Findings& found);
void find_in_files(const Evidence& evidence, Findings& found);
void find_in_contents(const Evidence& evidence, Findings& found);

}  // namespace quarry::analyze
