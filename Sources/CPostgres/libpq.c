// Every function of libpq under its own name. Each one calls the function of the loaded library.
#include "CPostgres.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static struct {
    PQconninfoOption *(*PQconninfoParse)(const char *conninfo, char **errmsg);
    void (*PQconninfoFree)(PQconninfoOption *options);
    void (*PQfreemem)(void *memory);
    PGconn *(*PQconnectdbParams)(const char *const *keywords, const char *const *values, int expand_dbname);
    void (*PQfinish)(PGconn *conn);
    ConnStatusType (*PQstatus)(const PGconn *conn);
    PGTransactionStatusType (*PQtransactionStatus)(const PGconn *conn);
    PGpipelineStatus (*PQpipelineStatus)(const PGconn *conn);
    char *(*PQerrorMessage)(const PGconn *conn);
    int (*PQsocket)(const PGconn *conn);
    PQnoticeReceiver (*PQsetNoticeReceiver)(PGconn *conn, PQnoticeReceiver receiver, void *arg);
    PGcancel *(*PQgetCancel)(PGconn *conn);
    void (*PQfreeCancel)(PGcancel *cancel);
    int (*PQcancel)(PGcancel *cancel, char *errbuf, int errbufsize);
    PGresult *(*PQexec)(PGconn *conn, const char *query);
    PGresult *(*PQprepare)(PGconn *conn, const char *name, const char *query, int count, const Oid *types);
    PGresult *(*PQexecPrepared)(PGconn *conn, const char *name, int count, const char *const *values,
        const int *lengths, const int *formats, int result_format);
    int (*PQenterPipelineMode)(PGconn *conn);
    int (*PQexitPipelineMode)(PGconn *conn);
    int (*PQpipelineSync)(PGconn *conn);
    int (*PQsendQueryPrepared)(PGconn *conn, const char *name, int count, const char *const *values,
        const int *lengths, const int *formats, int result_format);
    PGresult *(*PQgetResult)(PGconn *conn);
    int (*PQconsumeInput)(PGconn *conn);
    PGnotify *(*PQnotifies)(PGconn *conn);
    void (*PQclear)(PGresult *result);
    ExecStatusType (*PQresultStatus)(const PGresult *result);
    char *(*PQresultErrorField)(const PGresult *result, int field);
    char *(*PQcmdStatus)(PGresult *result);
    int (*PQntuples)(const PGresult *result);
    char *(*PQfname)(const PGresult *result, int column);
    int (*PQgetisnull)(const PGresult *result, int row, int column);
    int (*PQgetlength)(const PGresult *result, int row, int column);
    char *(*PQgetvalue)(const PGresult *result, int row, int column);
} libpq;

static char trouble[512];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void note(const char *what) {
    if (trouble[0] == 0) snprintf(trouble, sizeof trouble, "%s", what != NULL ? what : "libpq cannot be loaded");
}

static void find(void *library, const char *name, void **place) {
    *place = dlsym(library, name);
    if (*place == NULL) note(dlerror());
}

#ifdef __APPLE__
// The system does not look into the folders of Homebrew.
static const char *const names[] = {
    "libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib", "/usr/local/opt/libpq/lib/libpq.5.dylib",
};
#else
static const char *const names[] = {"libpq.so.5"};
#endif

static void load(void) {
    void *library = NULL;
    for (unsigned index = 0; library == NULL && index < sizeof names / sizeof names[0]; index++) {
        library = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);
    }
    if (library == NULL) {
        note(dlerror());
        return;
    }
#define FIND(name) find(library, #name, (void **)&libpq.name)
    FIND(PQconninfoParse);
    FIND(PQconninfoFree);
    FIND(PQfreemem);
    FIND(PQconnectdbParams);
    FIND(PQfinish);
    FIND(PQstatus);
    FIND(PQtransactionStatus);
    FIND(PQpipelineStatus);
    FIND(PQerrorMessage);
    FIND(PQsocket);
    FIND(PQsetNoticeReceiver);
    FIND(PQgetCancel);
    FIND(PQfreeCancel);
    FIND(PQcancel);
    FIND(PQexec);
    FIND(PQprepare);
    FIND(PQexecPrepared);
    FIND(PQenterPipelineMode);
    FIND(PQexitPipelineMode);
    FIND(PQpipelineSync);
    FIND(PQsendQueryPrepared);
    FIND(PQgetResult);
    FIND(PQconsumeInput);
    FIND(PQnotifies);
    FIND(PQclear);
    FIND(PQresultStatus);
    FIND(PQresultErrorField);
    FIND(PQcmdStatus);
    FIND(PQntuples);
    FIND(PQfname);
    FIND(PQgetisnull);
    FIND(PQgetlength);
    FIND(PQgetvalue);
#undef FIND
}

const char *till_libpq_load(void) {
    pthread_once(&once, load);
    return trouble[0] != 0 ? trouble : NULL;
}

PQconninfoOption *PQconninfoParse(const char *conninfo, char **errmsg) {
    return libpq.PQconninfoParse(conninfo, errmsg);
}
void PQconninfoFree(PQconninfoOption *options) { libpq.PQconninfoFree(options); }
void PQfreemem(void *memory) { libpq.PQfreemem(memory); }
PGconn *PQconnectdbParams(const char *const *keywords, const char *const *values, int expand_dbname) {
    return libpq.PQconnectdbParams(keywords, values, expand_dbname);
}
void PQfinish(PGconn *conn) { libpq.PQfinish(conn); }
ConnStatusType PQstatus(const PGconn *conn) { return libpq.PQstatus(conn); }
PGTransactionStatusType PQtransactionStatus(const PGconn *conn) { return libpq.PQtransactionStatus(conn); }
PGpipelineStatus PQpipelineStatus(const PGconn *conn) { return libpq.PQpipelineStatus(conn); }
char *PQerrorMessage(const PGconn *conn) { return libpq.PQerrorMessage(conn); }
int PQsocket(const PGconn *conn) { return libpq.PQsocket(conn); }
PQnoticeReceiver PQsetNoticeReceiver(PGconn *conn, PQnoticeReceiver receiver, void *arg) {
    return libpq.PQsetNoticeReceiver(conn, receiver, arg);
}
PGcancel *PQgetCancel(PGconn *conn) { return libpq.PQgetCancel(conn); }
void PQfreeCancel(PGcancel *cancel) { libpq.PQfreeCancel(cancel); }
int PQcancel(PGcancel *cancel, char *errbuf, int errbufsize) { return libpq.PQcancel(cancel, errbuf, errbufsize); }
PGresult *PQexec(PGconn *conn, const char *query) { return libpq.PQexec(conn, query); }
PGresult *PQprepare(PGconn *conn, const char *name, const char *query, int count, const Oid *types) {
    return libpq.PQprepare(conn, name, query, count, types);
}
PGresult *PQexecPrepared(PGconn *conn, const char *name, int count, const char *const *values, const int *lengths,
    const int *formats, int result_format) {
    return libpq.PQexecPrepared(conn, name, count, values, lengths, formats, result_format);
}
int PQenterPipelineMode(PGconn *conn) { return libpq.PQenterPipelineMode(conn); }
int PQexitPipelineMode(PGconn *conn) { return libpq.PQexitPipelineMode(conn); }
int PQpipelineSync(PGconn *conn) { return libpq.PQpipelineSync(conn); }
int PQsendQueryPrepared(PGconn *conn, const char *name, int count, const char *const *values, const int *lengths,
    const int *formats, int result_format) {
    return libpq.PQsendQueryPrepared(conn, name, count, values, lengths, formats, result_format);
}
PGresult *PQgetResult(PGconn *conn) { return libpq.PQgetResult(conn); }
void PQclear(PGresult *result) { libpq.PQclear(result); }
ExecStatusType PQresultStatus(const PGresult *result) { return libpq.PQresultStatus(result); }
char *PQresultErrorField(const PGresult *result, int field) { return libpq.PQresultErrorField(result, field); }
char *PQcmdStatus(PGresult *result) { return libpq.PQcmdStatus(result); }
int PQntuples(const PGresult *result) { return libpq.PQntuples(result); }
char *PQfname(const PGresult *result, int column) { return libpq.PQfname(result, column); }
int PQgetisnull(const PGresult *result, int row, int column) { return libpq.PQgetisnull(result, row, column); }
int PQgetlength(const PGresult *result, int row, int column) { return libpq.PQgetlength(result, row, column); }
char *PQgetvalue(const PGresult *result, int row, int column) { return libpq.PQgetvalue(result, row, column); }
int PQconsumeInput(PGconn *conn) { return libpq.PQconsumeInput(conn); }
PGnotify *PQnotifies(PGconn *conn) { return libpq.PQnotifies(conn); }
