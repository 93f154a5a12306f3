#include "sums.hpp"

#include <algorithm>
#include <cfloat>

// Every operation rounds to a double at once. CMakeLists.txt ensures that a product and a sum are not contracted.
static_assert(FLT_EVAL_METHOD == 0, "rankprism needs double arithmetic that keeps no extra digits");

namespace rankprism {
namespace {

// Adds up `together` lines of values at a time. Each addition waits for the previous one of its own line, so several lines
// take hardly longer than one.
template <int together> void add_lines(const double* values, const double* factors, std::int64_t docs, double* sums) {
    double sum[together] = {};
    for (std::int64_t h = 0; h < docs; ++h) {
        for (int line = 0; line < together; ++line) sum[line] += values[line * docs + h] * factors[h];
    }
    std::copy(sum, sum + together, sums);
}

}  // namespace

void sums_of_products(const double* values, const double* factors, bool shared, std::int64_t rows, std::int64_t aspects,
                      std::int64_t docs, double* sums) {
    for (std::int64_t n = 0; n < rows; ++n) {
        const double* row = values + n * aspects * docs;
        const double* own = shared ? factors : factors + n * docs;
        double* result = sums + n * aspects;
        std::int64_t a = 0;
        for (; a + 8 <= aspects; a += 8) add_lines<8>(row + a * docs, own, docs, result + a);
        for (; a + 4 <= aspects; a += 4) add_lines<4>(row + a * docs, own, docs, result + a);
        for (; a + 2 <= aspects; a += 2) add_lines<2>(row + a * docs, own, docs, result + a);
        for (; a < aspects; ++a) add_lines<1>(row + a * docs, own, docs, result + a);
    }
}

void sums_over_aspects(const double* values, const double* factors, std::int64_t rows, std::int64_t aspects,
                       std::int64_t docs, double* sums) {
    std::fill(sums, sums + rows * docs, 0.0);
    for (std::int64_t n = 0; n < rows; ++n) {
        double* result = sums + n * docs;
        for (std::int64_t a = 0; a < aspects; ++a) {
            const double* line = values + (n * aspects + a) * docs;
            const double factor = factors[n * aspects + a];
            for (std::int64_t h = 0; h < docs; ++h) result[h] += line[h] * factor;
        }
    }
}

}  // namespace rankprism
