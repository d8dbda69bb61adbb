// PostgreSQL's client library, which is loaded only when it is needed. Till is a single binary that runs without the
// library; it is only required for a PostgreSQL database. This file declares the part of libpq's interface that Till
// uses, in the form of libpq.so.5, version 14 or newer.
#ifndef TILL_POSTGRES_H
#define TILL_POSTGRES_H

#include <stddef.h>

// Loads the library once. Returns NULL on success, otherwise the error message of the system. Call this function before
// any other function of this file.
const char *till_libpq_load(void);

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
typedef struct pg_cancel PGcancel;
typedef unsigned int Oid;

typedef enum { CONNECTION_OK = 0, CONNECTION_BAD = 1 } ConnStatusType;
typedef enum {
    PGRES_EMPTY_QUERY = 0,
    PGRES_COMMAND_OK = 1,
    PGRES_TUPLES_OK = 2,
    PGRES_FATAL_ERROR = 7,
    PGRES_PIPELINE_SYNC = 10,
    PGRES_PIPELINE_ABORTED = 11
} ExecStatusType;
typedef enum {
    PQTRANS_IDLE = 0,
    PQTRANS_ACTIVE,
    PQTRANS_INTRANS,
    PQTRANS_INERROR,
    PQTRANS_UNKNOWN
} PGTransactionStatusType;
typedef enum { PQ_PIPELINE_OFF = 0, PQ_PIPELINE_ON, PQ_PIPELINE_ABORTED } PGpipelineStatus;

typedef struct {
    char *keyword;
    char *envvar;
    char *compiled;
    char *val;
    char *label;
    char *dispchar;
    int dispsize;
} PQconninfoOption;
typedef void (*PQnoticeReceiver)(void *arg, const PGresult *result);

PQconninfoOption *PQconninfoParse(const char *conninfo, char **errmsg);
void PQconninfoFree(PQconninfoOption *options);
void PQfreemem(void *memory);

PGconn *PQconnectdbParams(const char *const *keywords, const char *const *values, int expand_dbname);
void PQfinish(PGconn *conn);
ConnStatusType PQstatus(const PGconn *conn);
PGTransactionStatusType PQtransactionStatus(const PGconn *conn);
PGpipelineStatus PQpipelineStatus(const PGconn *conn);
char *PQerrorMessage(const PGconn *conn);
int PQsocket(const PGconn *conn);
PQnoticeReceiver PQsetNoticeReceiver(PGconn *conn, PQnoticeReceiver receiver, void *arg);

PGcancel *PQgetCancel(PGconn *conn);
void PQfreeCancel(PGcancel *cancel);
int PQcancel(PGcancel *cancel, char *errbuf, int errbufsize);

PGresult *PQexec(PGconn *conn, const char *query);
PGresult *PQprepare(PGconn *conn, const char *name, const char *query, int count, const Oid *types);
PGresult *PQexecPrepared(PGconn *conn, const char *name, int count, const char *const *values, const int *lengths,
                         const int *formats, int result_format);
int PQenterPipelineMode(PGconn *conn);
int PQexitPipelineMode(PGconn *conn);
int PQpipelineSync(PGconn *conn);
int PQsendQueryPrepared(PGconn *conn, const char *name, int count, const char *const *values, const int *lengths,
                        const int *formats, int result_format);
PGresult *PQgetResult(PGconn *conn);

typedef struct pgNotify {
    char *relname;
    int be_pid;
    char *extra;
    struct pgNotify *next;
} PGnotify;
int PQconsumeInput(PGconn *conn);
PGnotify *PQnotifies(PGconn *conn);

void PQclear(PGresult *result);
ExecStatusType PQresultStatus(const PGresult *result);
char *PQresultErrorField(const PGresult *result, int field);
char *PQcmdStatus(PGresult *result);
int PQntuples(const PGresult *result);
char *PQfname(const PGresult *result, int column);
int PQgetisnull(const PGresult *result, int row, int column);
int PQgetlength(const PGresult *result, int row, int column);
char *PQgetvalue(const PGresult *result, int row, int column);

#endif
