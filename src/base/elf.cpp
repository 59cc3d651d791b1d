#include "base/elf.hpp"

#include <elf.h>
#include <link.h>

#include <bit>
#include <cstring>
#include <optional>

namespace quarry {
namespace {

using Header = ElfW(Ehdr);
using Segment = ElfW(Phdr);
using Section = ElfW(Shdr);
using DynamicEntry = ElfW(Dyn);
using Symbol = ElfW(Sym);

constexpr unsigned char kNativeClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
constexpr unsigned char kNativeOrder =
    std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;

// Copied out: nothing in a file promises alignment.
template <typename T>
std::optional<T> read_at(std::string_view bytes, size_t offset) {
    if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
}

std::string_view string_at(std::string_view bytes, size_t offset) {
    if (offset >= bytes.size()) return {};
    const std::string_view rest = bytes.substr(offset);
    const size_t end = rest.find('\0');
    return end == std::string_view::npos ? std::string_view{} : rest.substr(0, end);
}

template <typename T>
std::vector<T> read_table(std::string_view bytes, size_t offset, size_t count, size_t stride) {
    std::vector<T> table;
    for (size_t i = 0; i < count && stride >= sizeof(T); ++i) {
        const auto entry = read_at<T>(bytes, offset + i * stride);
        if (!entry) break;
        table.push_back(*entry);
    }
    return table;
}

std::vector<Segment> segments_of(std::string_view bytes) {
    const auto header = read_at<Header>(bytes, 0).value_or(Header{});
    return read_table<Segment>(bytes, header.e_phoff, header.e_phnum, header.e_phentsize);
}

std::vector<Section> sections_of(std::string_view bytes) {
    const auto header = read_at<Header>(bytes, 0).value_or(Header{});
    return read_table<Section>(bytes, header.e_shoff, header.e_shnum, header.e_shentsize);
}

std::optional<size_t> file_offset(std::string_view bytes, size_t address) {
    for (const Segment& segment : segments_of(bytes)) {
        const bool inside = segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
                            address - segment.p_vaddr < segment.p_filesz;
        if (inside) return address - segment.p_vaddr + segment.p_offset;
    }
    return std::nullopt;
}

bool table_defines(std::string_view bytes, const Section& table, const Section& names,
                   std::string_view wanted) {
    const size_t count = table.sh_size / sizeof(Symbol);
    for (size_t i = 0; i < count; ++i) {
        const auto symbol = read_at<Symbol>(bytes, table.sh_offset + i * sizeof(Symbol));
        if (!symbol) return false;
        if (symbol->st_shndx == SHN_UNDEF) continue;
        if (string_at(bytes, names.sh_offset + symbol->st_name) == wanted) return true;
    }
    return false;
}

}  // namespace

Result<ElfFile> ElfFile::open(const std::string& path) {
    auto file = MappedFile::open(path);
    if (!file) return file.error();
    const std::string_view bytes = file->bytes();
    const auto header = read_at<Header>(bytes, 0);
    if (!header || bytes.substr(0, SELFMAG) != ELFMAG)
        return Error{path + " is not a program or library in ELF format"};
    if (header->e_ident[EI_CLASS] != kNativeClass || header->e_ident[EI_DATA] != kNativeOrder)
        return Error{path + " is built for another kind of machine"};
    ElfFile elf(std::move(*file));
    elf.read_segments();
    return elf;
}

std::vector<std::string_view> ElfFile::loaded_bytes() const {
    std::vector<std::string_view> parts;
    for (const Segment& segment : segments_of(bytes())) {
        if (segment.p_type != PT_LOAD || segment.p_offset > bytes().size()) continue;
        parts.push_back(bytes().substr(segment.p_offset, segment.p_filesz));
    }
    return parts;
}

void ElfFile::read_segments() {
    for (const Segment& segment : segments_of(bytes())) {
        if (segment.p_type == PT_INTERP) interpreter_ = string_at(bytes(), segment.p_offset);
        if (segment.p_type == PT_DYNAMIC) read_dynamic(segment.p_offset, segment.p_filesz);
    }
}

void ElfFile::read_dynamic(size_t offset, size_t size) {
    std::vector<size_t> names;
    std::optional<size_t> search;
    std::optional<size_t> strings;
    const auto entries = read_table<DynamicEntry>(bytes(), offset, size / sizeof(DynamicEntry),
                                                  sizeof(DynamicEntry));
    for (const DynamicEntry& entry : entries) {
        if (entry.d_tag == DT_NULL) break;
        if (entry.d_tag == DT_NEEDED) names.push_back(entry.d_un.d_val);
        if (entry.d_tag == DT_RPATH || entry.d_tag == DT_RUNPATH) search = entry.d_un.d_val;
        if (entry.d_tag == DT_STRTAB) strings = file_offset(bytes(), entry.d_un.d_ptr);
    }
    if (!strings) return;
    for (const size_t name : names) needed_.emplace_back(string_at(bytes(), *strings + name));
    if (search) search_path_ = string_at(bytes(), *strings + *search);
}

bool ElfFile::defines(std::string_view symbol, SymbolTable where) const {
    const std::vector<Section> sections = sections_of(bytes());
    for (const Section& table : sections) {
        const bool wanted = table.sh_type == SHT_DYNSYM ||
                            (table.sh_type == SHT_SYMTAB && where == SymbolTable::Any);
        if (!wanted || table.sh_link >= sections.size()) continue;
        if (table_defines(bytes(), table, sections[table.sh_link], symbol)) return true;
    }
    return false;
}

}  // namespace quarry
