// The files of the page, in the program: nothing is installed beside it, and nothing is fetched from elsewhere.
#include "CExplorePage.h"
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char html[] = {
#embed "Page/index.html"
};
static const unsigned char css[] = {
#embed "Page/explore.css"
};
static const unsigned char explore[] = {
#embed "Page/explore.js"
};
static const unsigned char state[] = {
#embed "Page/state.js"
};
static const unsigned char conditions[] = {
#embed "Page/conditions.js"
};
static const unsigned char server[] = {
#embed "Page/server.js"
};
static const unsigned char editor[] = {
#embed "Page/editor.js"
};
static const unsigned char table[] = {
#embed "Page/table.js"
};
static const unsigned char values[] = {
#embed "Page/values.js"
};
static const unsigned char fields[] = {
#embed "Page/fields.js"
};
static const unsigned char record[] = {
#embed "Page/record.js"
};
static const unsigned char plan[] = {
#embed "Page/plan.js"
};
static const unsigned char map[] = {
#embed "Page/map.js"
};
static const unsigned char coarse[] = {
#embed "Page/world110.bin"
};
static const unsigned char fine[] = {
#embed "Page/world50.bin"
};

#define SCRIPT "text/javascript; charset=utf-8"
static const struct cexplore_file files[] = {
    {"/", "text/html; charset=utf-8", html, sizeof html},
    {"/explore.css", "text/css; charset=utf-8", css, sizeof css},
    {"/explore.js", SCRIPT, explore, sizeof explore},
    {"/state.js", SCRIPT, state, sizeof state},
    {"/conditions.js", SCRIPT, conditions, sizeof conditions},
    {"/server.js", SCRIPT, server, sizeof server},
    {"/editor.js", SCRIPT, editor, sizeof editor},
    {"/table.js", SCRIPT, table, sizeof table},
    {"/values.js", SCRIPT, values, sizeof values},
    {"/fields.js", SCRIPT, fields, sizeof fields},
    {"/record.js", SCRIPT, record, sizeof record},
    {"/plan.js", SCRIPT, plan, sizeof plan},
    {"/map.js", SCRIPT, map, sizeof map},
    {"/world110.bin", "application/octet-stream", coarse, sizeof coarse},
    {"/world50.bin", "application/octet-stream", fine, sizeof fine},
};

const struct cexplore_file *cexplore_page(size_t number) {
    return number < sizeof files / sizeof *files ? &files[number] : NULL;
}
