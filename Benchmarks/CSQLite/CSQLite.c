// SQLite as a peer, and as a format that is read: prepared statements whose results are copied into a buffer, and the functions its SQL lacks.
#define _GNU_SOURCE
#include "CSQLite.h"
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uregex.h>
#include <unicode/ustring.h>

struct csqlite {
    sqlite3 *connection;
};

struct csqlite_statement {
    sqlite3_stmt *statement;
    int64_t *ids;
    int64_t count, capacity;
};

static const double earth_radius = 6371008.7714150598;
static const double degree = M_PI / 180;

static double haversine(double latitude1, double longitude1, double latitude2, double longitude2) {
    double a = sin((latitude1 - latitude2) * degree / 2), b = sin((longitude1 - longitude2) * degree / 2);
    return 2 * earth_radius * asin(sqrt(a * a + cos(latitude1 * degree) * cos(latitude2 * degree) * b * b));
}

static void hav(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    if (sqlite3_value_type(values[0]) == SQLITE_NULL || sqlite3_value_type(values[1]) == SQLITE_NULL) {
        sqlite3_result_null(context);
        return;
    }
    sqlite3_result_double(
        context, haversine(
                     sqlite3_value_double(values[0]), sqlite3_value_double(values[1]), sqlite3_value_double(values[2]),
                     sqlite3_value_double(values[3])));
}

static void has_bytes(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    if (sqlite3_value_type(values[0]) == SQLITE_NULL) {
        sqlite3_result_int(context, 0);
        return;
    }
    const void *text = sqlite3_value_text(values[0]), *needle = sqlite3_value_text(values[1]);
    const void *place = memmem(
        text, (size_t)sqlite3_value_bytes(values[0]), needle, (size_t)sqlite3_value_bytes(values[1]));
    sqlite3_result_int(context, place != NULL);
}

/// Folds text that is not ASCII: decomposed, marks dropped, lower case. Returns the length in bytes, -1 on error.
static int32_t fold(const char *text, int32_t length, char *folded, int32_t capacity) {
    UErrorCode status = U_ZERO_ERROR;
    const UNormalizer2 *normalizer = unorm2_getNFDInstance(&status);
    int32_t size = length + 1, count = 0, kept = 0, result = 0;
    UChar *wide = malloc(sizeof *wide * (size_t)size * 4), *parts = wide ? wide + size : NULL;
    if (!wide) return -1;
    u_strFromUTF8(wide, size, &count, text, length, &status);
    count = unorm2_normalize(normalizer, wide, count, parts, size * 3, &status);
    for (int32_t i = 0; U_SUCCESS(status) && i < count;) {
        UChar32 letter;
        int32_t start = i;
        U16_NEXT(parts, i, count, letter);
        if (u_charType(letter) == U_NON_SPACING_MARK) continue;
        while (start < i) parts[kept++] = parts[start++];
    }
    count = u_strToLower(wide, size, parts, kept, "", &status);
    u_strToUTF8(folded, capacity, &result, wide, count, &status);
    free(wide);
    return U_SUCCESS(status) ? result : -1;
}

/// The text without case and marks.
static void fold_cd(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    const char *text = (const char *)sqlite3_value_text(values[0]);
    if (!text) {
        sqlite3_result_null(context);
        return;
    }
    int32_t length = sqlite3_value_bytes(values[0]), i = 0;
    char *folded = malloc((size_t)length + 1);
    if (!folded) {
        sqlite3_result_error_nomem(context);
        return;
    }
    for (; i < length && (unsigned char)text[i] < 0x80; i++) {
        folded[i] = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] + 32) : text[i];
    }
    if (i < length) length = fold(text, length, folded, length + 1);
    if (length < 0) sqlite3_result_error(context, "cannot fold", -1);
    else sqlite3_result_text(context, folded, length, SQLITE_TRANSIENT);
    free(folded);
}

static void close_expression(void *expression) { uregex_close(expression); }

/// Whole match by ICU; the pattern is compiled once per statement.
static void regexp_full(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    UErrorCode status = U_ZERO_ERROR;
    UChar pattern[512], text[2048];
    int32_t length = 0;
    URegularExpression *expression = sqlite3_get_auxdata(context, 1), *fresh = NULL;
    if (!expression) {
        u_strFromUTF8(pattern, 512, &length, (const char *)sqlite3_value_text(values[1]), -1, &status);
        expression = fresh = uregex_open(pattern, length, 0, NULL, &status);
    }
    u_strFromUTF8(
        text, 2048, &length, (const char *)sqlite3_value_text(values[0]), sqlite3_value_bytes(values[0]), &status);
    uregex_setText(expression, text, length, &status);
    int matches = uregex_matches(expression, 0, &status);
    if (U_FAILURE(status)) sqlite3_result_error(context, u_errorName(status), -1);
    else sqlite3_result_int(context, matches);
    if (fresh) sqlite3_set_auxdata(context, 1, fresh, close_expression);
}

csqlite *csqlite_open(void) { return csqlite_open_file(":memory:"); }

csqlite *csqlite_open_file(const char *path) {
    sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
    csqlite *database = calloc(1, sizeof *database);
    if (!database) return NULL;
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(path, &database->connection, flags, NULL) != SQLITE_OK) {
        csqlite_close(database);
        return NULL;
    }
    const int kind = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
    sqlite3_create_function(database->connection, "hav", 4, kind, NULL, hav, NULL, NULL);
    sqlite3_create_function(database->connection, "fold_cd", 1, kind, NULL, fold_cd, NULL, NULL);
    sqlite3_create_function(database->connection, "has_bytes", 2, kind, NULL, has_bytes, NULL, NULL);
    sqlite3_create_function(database->connection, "regexp_full", 2, kind, NULL, regexp_full, NULL, NULL);
    return database;
}

csqlite *csqlite_open_to_read(const char *path) {
    csqlite *database = calloc(1, sizeof *database);
    if (!database) return NULL;
    if (sqlite3_open_v2(path, &database->connection, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK) {
        csqlite_close(database);
        return NULL;
    }
    return database;
}

void csqlite_close(csqlite *database) {
    if (!database) return;
    sqlite3_close_v2(database->connection);
    free(database);
}

const char *csqlite_version(void) { return sqlite3_libversion(); }
const char *csqlite_message(const csqlite *database) { return sqlite3_errmsg(database->connection); }
int64_t csqlite_memory_used(void) { return sqlite3_memory_used(); }

int csqlite_execute(csqlite *database, const char *sql) {
    return sqlite3_exec(database->connection, sql, NULL, NULL, NULL);
}

static csqlite_statement *prepare(csqlite *database, const char *sql, unsigned flags) {
    csqlite_statement *result = calloc(1, sizeof *result);
    if (!result) return NULL;
    if (sqlite3_prepare_v3(database->connection, sql, -1, flags, &result->statement, NULL) != SQLITE_OK) {
        free(result);
        return NULL;
    }
    return result;
}

csqlite_statement *csqlite_prepare(csqlite *database, const char *sql) {
    return prepare(database, sql, SQLITE_PREPARE_PERSISTENT);
}

csqlite_statement *csqlite_prepare_once(csqlite *database, const char *sql) { return prepare(database, sql, 0); }

csqlite_statement *csqlite_prepare_single(csqlite *database, const char *sql) {
    csqlite_statement *result = calloc(1, sizeof *result);
    const char *rest = NULL;
    if (!result) return NULL;
    if (sqlite3_prepare_v2(database->connection, sql, -1, &result->statement, &rest) == SQLITE_OK && result->statement) {
        sqlite3_stmt *next = NULL;
        // Blanks and comments are no statement.
        if (sqlite3_prepare_v2(database->connection, rest, -1, &next, NULL) == SQLITE_OK && !next) return result;
        sqlite3_finalize(next);
    }
    csqlite_finalize(result);
    return NULL;
}

int csqlite_step(csqlite_statement *statement) {
    int code = sqlite3_step(statement->statement);
    return code == SQLITE_ROW ? 1 : code == SQLITE_DONE ? 0 : -1;
}

int csqlite_reset(csqlite_statement *statement) { return sqlite3_reset(statement->statement); }

int64_t csqlite_column_int64(csqlite_statement *statement, int column) {
    return sqlite3_column_int64(statement->statement, column);
}

double csqlite_column_double(csqlite_statement *statement, int column) {
    return sqlite3_column_double(statement->statement, column);
}

int csqlite_column_count(csqlite_statement *statement) { return sqlite3_column_count(statement->statement); }

const char *csqlite_column_name(csqlite_statement *statement, int column) {
    return sqlite3_column_name(statement->statement, column);
}

const char *csqlite_column_declared_type(csqlite_statement *statement, int column) {
    return sqlite3_column_decltype(statement->statement, column);
}

int csqlite_column_kind(csqlite_statement *statement, int column) {
    switch (sqlite3_column_type(statement->statement, column)) {
    case SQLITE_INTEGER: return 1;
    case SQLITE_FLOAT: return 2;
    case SQLITE_TEXT: return 3;
    case SQLITE_BLOB: return 4;
    default: return 5;
    }
}

const void *csqlite_column_blob(csqlite_statement *statement, int column, size_t *length) {
    const void *bytes = sqlite3_column_blob(statement->statement, column);
    *length = (size_t)sqlite3_column_bytes(statement->statement, column);
    return bytes;
}

const char *csqlite_column_text(csqlite_statement *statement, int column, size_t *length) {
    const unsigned char *text = sqlite3_column_text(statement->statement, column);
    *length = (size_t)sqlite3_column_bytes(statement->statement, column);
    return (const char *)text;
}

void csqlite_finalize(csqlite_statement *statement) {
    if (!statement) return;
    sqlite3_finalize(statement->statement);
    free(statement->ids);
    free(statement);
}

void csqlite_bind_null(csqlite_statement *statement, int parameter) {
    sqlite3_bind_null(statement->statement, parameter);
}

void csqlite_bind_int64(csqlite_statement *statement, int parameter, int64_t value) {
    sqlite3_bind_int64(statement->statement, parameter, value);
}

void csqlite_bind_double(csqlite_statement *statement, int parameter, double value) {
    sqlite3_bind_double(statement->statement, parameter, value);
}

void csqlite_bind_text(csqlite_statement *statement, int parameter, const char *bytes, size_t length) {
    sqlite3_bind_text(statement->statement, parameter, bytes, (int)length, SQLITE_TRANSIENT);
}

int csqlite_run(csqlite_statement *statement) {
    int code = sqlite3_step(statement->statement);
    sqlite3_reset(statement->statement);
    return code == SQLITE_DONE || code == SQLITE_ROW ? 0 : code;
}

int64_t csqlite_count(csqlite_statement *statement) {
    int64_t count = -1;
    if (sqlite3_step(statement->statement) == SQLITE_ROW) count = sqlite3_column_int64(statement->statement, 0);
    sqlite3_reset(statement->statement);
    return count;
}

static int reserve(csqlite_statement *statement, int64_t count) {
    if (count <= statement->capacity) return 1;
    int64_t capacity = count * 2 > 1024 ? count * 2 : 1024;
    int64_t *ids = realloc(statement->ids, (size_t)capacity * sizeof *ids);
    if (!ids) return 0;
    statement->ids = ids;
    statement->capacity = capacity;
    return 1;
}

int64_t csqlite_ids(csqlite_statement *statement) {
    int code;
    statement->count = 0;
    while ((code = sqlite3_step(statement->statement)) == SQLITE_ROW) {
        if (!reserve(statement, statement->count + 1)) break;
        statement->ids[statement->count++] = sqlite3_column_int64(statement->statement, 0);
    }
    sqlite3_reset(statement->statement);
    return code == SQLITE_DONE ? statement->count : -1;
}

typedef struct {
    double distance;
    int64_t id;
} candidate;

static int by_distance(const void *a, const void *b) {
    const candidate *x = a, *y = b;
    if (x->distance != y->distance) return x->distance < y->distance ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/// The candidates within `radius` metres; NULL when memory ran out.
static candidate *within(
    sqlite3_stmt *box, double latitude, double longitude, double radius, candidate *found, int64_t *capacity,
    int64_t *count) {
    double height = radius / earth_radius / degree * (1 + 1e-9);
    double width = asin(fmin(1, sin(radius / earth_radius) / cos(latitude * degree))) / degree * (1 + 1e-9);
    sqlite3_bind_double(box, 1, latitude - height);
    sqlite3_bind_double(box, 2, latitude + height);
    sqlite3_bind_double(box, 3, longitude - width);
    sqlite3_bind_double(box, 4, longitude + width);
    *count = 0;
    while (sqlite3_step(box) == SQLITE_ROW) {
        double distance = haversine(sqlite3_column_double(box, 1), sqlite3_column_double(box, 2), latitude, longitude);
        if (distance >= radius) continue;
        if (*count == *capacity) {
            *capacity = *capacity * 2 + 64;
            candidate *larger = realloc(found, (size_t)*capacity * sizeof *found);
            if (!larger) break;
            found = larger;
        }
        found[*count] = (candidate){distance, sqlite3_column_int64(box, 0)};
        *count += 1;
    }
    sqlite3_reset(box);
    return found;
}

int64_t csqlite_nearest(csqlite_statement *statement, double latitude, double longitude, int64_t limit) {
    candidate *found = NULL;
    int64_t count = 0, capacity = 0;
    // A box grows until it holds enough: an R*Tree has no order of its own to walk by.
    for (double radius = 1000; radius < 2e7; radius *= 2) {
        found = within(statement->statement, latitude, longitude, radius, found, &capacity, &count);
        if (count >= limit) break;
    }
    if (found) qsort(found, (size_t)count, sizeof *found, by_distance);
    statement->count = count < limit ? count : limit;
    if (!reserve(statement, statement->count)) statement->count = 0;
    for (int64_t i = 0; i < statement->count; i++) statement->ids[i] = found[i].id;
    free(found);
    return statement->count;
}

uint64_t csqlite_ids_sum(const csqlite_statement *statement) {
    uint64_t sum = 0;
    for (int64_t i = 0; i < statement->count; i++) sum += (uint64_t)statement->ids[i];
    return sum;
}

int64_t csqlite_id(const csqlite_statement *statement, int64_t position) {
    return position >= 0 && position < statement->count ? statement->ids[position] : -1;
}
