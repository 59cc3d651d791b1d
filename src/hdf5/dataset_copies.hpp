// The datasets of a file that is copied: which way each goes over, and what becomes of it.
#pragma once

#include <hdf5.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "hdf5/copy_dataset.hpp"
#include "hdf5/copy_file.hpp"
#include "hdf5/header_file.hpp"
#include "hdf5/inventory.hpp"
#include "hdf5/new_file.hpp"
#include "hdf5/plain_dataset.hpp"
#include "hdf5/referred_objects.hpp"

namespace quarry::hdf5 {

class DatasetCopies {
public:
    DatasetCopies(hid_t from, const Inventory& inventory, NewFile& file, const CopyOrder& order,
                  const Required& required, Purpose purpose);

    // Finds those that need not be opened to be copied.
    void look_for_plain_ones(HeaderFile& headers);
    bool is_plain(const Token& token) const { return plain_.contains(token); }

    // The dataset has the same name in its group in the old file as it gets.
    void make(const Token& token, hid_t old_group, const NewLink& link);

    std::vector<CopiedDataset>& made() { return made_; }

private:
    void make_opened(const Token& token, hid_t old_group, const NewLink& link);
    void make_anew(const OldDataset& dataset, bool refers, CopiedDataset& copied,
                   const NewLink& link);
    void decide(CopiedDataset& copied) const;
    void copy_by_hdf5(hid_t old_group, const NewLink& link, const CopiedDataset& copied);
    void was_copied(CopiedDataset copied);

    hid_t from_;
    const Inventory& inventory_;
    NewFile& file_;
    const CopyOrder& order_;
    const Required& required_;
    Purpose purpose_;
    const std::string why_nothing_is_hollow_;
    std::unordered_map<Token, PlainDataset, TokenHash> plain_;
    std::vector<CopiedDataset> made_;
    uint64_t told_ = 0;  // bytes of the dataset that is being copied
};

}  // namespace quarry::hdf5
