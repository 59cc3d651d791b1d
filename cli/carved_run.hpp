// `quarry run` on carved files: how they come to the places of their originals, and what was
// missing in them.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <quarry/carve.hpp>
#include <quarry/carved.hpp>
#include <quarry/launch.hpp>

namespace quarry::cli {

class CarvedRun {
public:
    CarvedRun() = default;
    CarvedRun(const CarvedRun&) = delete;
    CarvedRun& operator=(const CarvedRun&) = delete;
    ~CarvedRun();

    void declare(CLI::App& app);

    bool is_wanted() const { return !directory_.empty(); }

    // Before the program starts.
    Result<ServingOptions> prepare();
    // In the process that becomes the program.
    Result<bool> enter() const { return view_ ? view_->enter() : true; }
    // When it has ended: says what was written and what was missing. False if something that was
    // asked for could not be done.
    bool finish();

private:
    void clean_up();
    Result<bool> look_for_originals(const CarvedDirectory& carved) const;
    void learn_names(const CarvedDirectory& carved);
    std::string map_of_originals(const std::string& map) const;
    Result<bool> learn_maps(const CarvedDirectory& carved);
    Result<bool> check_map(const std::string& map, const CarvedDirectory& carved) const;
    std::string place_of(const std::string& original) const;
    bool tell(const std::vector<FetchedDataset>& fetched) const;
    bool grow(const std::vector<FetchedDataset>& fetched) const;

    std::string directory_;
    std::string writes_;
    std::vector<std::string> missing_;
    bool in_place_ = false;
    bool is_paranoid_ = false;
    bool grows_ = false;

    std::string place_;                                      // of the carved files
    std::map<std::string, std::vector<std::string>> names_;  // that originals have besides
    std::vector<std::string> maps_;                          // where originals are now
    std::shared_ptr<const void> in_use_;
    std::optional<CarvedView> view_;
    std::string log_;
};

}  // namespace quarry::cli
