#include "rows.hpp"

#include <algorithm>

namespace rankprism {

void highest_of_rows(const double* values, std::int64_t rows, std::int64_t docs, double* highest) {
    for (std::int64_t row = 0; row < rows; ++row, values += docs) {
        double most = 0;
        for (std::int64_t d = 0; d < docs; ++d) most = std::max(most, values[d]);
        highest[row] = most;
    }
}

void count_before(const double* values, std::int64_t rows, std::int64_t docs, std::int32_t* count) {
    for (std::int64_t row = 0; row < rows; ++row, values += docs, count += docs) {
        std::int32_t before = 0;
        for (std::int64_t d = 0; d < docs; ++d) {
            count[d] = before;
            before += values[d] > 0;
        }
    }
}

void put_in_order(const double* values, const std::int32_t* order, std::int64_t topics, std::int64_t aspects, std::int64_t docs,
                  double* ordered) {
    for (std::int64_t t = 0; t < topics; ++t, order += docs) {
        for (std::int64_t a = 0; a < aspects; ++a, values += docs, ordered += docs) {
            for (std::int64_t d = 0; d < docs; ++d) ordered[d] = order[d] < 0 ? 0.0 : values[order[d]];
        }
    }
}

}  // namespace rankprism
