"""Ends a test run's server when the run has ended, also after SIGKILL.

The owner starts this program in a session of its own, writes one line of JSON to its standard input, and keeps the pipe
open. The system closes the pipe when the owner ends, however it ends. With `command`, the program runs the server, and
stops it at the end. Without `command`, the server is not the run's own, and only the apps of the run are deleted.
"""

import json
import os
import shutil
import subprocess
import sys
import threading
import time

STOP_LIMIT = 30
SECOND_PASS = 0.5
# What the owner writes at its end, if it is not killed. Other lines are bundle ids of apps to keep.
CLEAN = "clean"


def wait_for_owner() -> list:
    """Waits until the owner ends or asks for the end, and returns the lines that it wrote."""
    lines = []
    while line := sys.stdin.readline():
        lines.append(line.strip())
        if lines[-1] == CLEAN:
            break
    return lines


def run_server(job: dict):
    folder = job["folder"]
    with open(os.path.join(folder, "log"), "wb") as log:
        try:
            server = subprocess.Popen(job["command"], stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=folder)
        except OSError as error:
            log.write(str(error).encode())
            server = None
    threading.Thread(target=report_end, args=(server, folder), daemon=True).start()
    wait_for_owner()
    if server is not None:
        server.terminate()
        try:
            server.wait(STOP_LIMIT)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
    shutil.rmtree(folder, ignore_errors=True)


def report_end(server, folder: str):
    """Tells the owner that the server has ended, or could not be started."""
    code = "none" if server is None else server.wait()
    try:
        # The file appears complete.
        with open(os.path.join(folder, "ending"), "w") as file:
            file.write(str(code))
        os.rename(file.name, os.path.join(folder, "ended"))
    except OSError:
        # The run has ended, too, and the folder is removed.
        pass


def delete_apps(job: dict):
    order = wait_for_owner()
    sys.path.insert(0, job["package"])
    from till_testing.cleanup import delete_apps_of
    from till_testing.transport import ControlConnection

    connection = ControlConnection(job["control"], job["token"])
    delete_apps_of(connection, job["prefix"], order)
    if CLEAN not in order:
        # The server may still have been creating an app when the run was killed.
        time.sleep(SECOND_PASS)
        delete_apps_of(connection, job["prefix"], order)


if __name__ == "__main__":
    given = json.loads(sys.stdin.readline())
    run_server(given) if "command" in given else delete_apps(given)
