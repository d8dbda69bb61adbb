"""The manifests in Operations/ are valid, and their variables, ports and paths are those of Till."""

import json
import re
import subprocess
import sys
from pathlib import Path

import kubernetes_validate
import pytest
import requests
import yaml

from process_helpers import ROOT, Server, run_till

OPERATIONS = ROOT / "Operations"
FOLDERS = ["sqlite", "postgresql"]
# The oldest and a recent version of Kubernetes for which the manifests are checked.
VERSIONS = ["1.28", "1.34"]
COMPOSE = OPERATIONS / "compose.yml"


def documents(folder: str) -> list[dict]:
    files = sorted((OPERATIONS / "kubernetes" / folder).glob("*.yaml"))
    return [document for file in files for document in yaml.safe_load_all(file.read_text())]


def one(folder: str, kind: str) -> dict:
    found = [document for document in documents(folder) if document["kind"] == kind]
    assert len(found) == 1, f"{folder} has {len(found)} of {kind}"
    return found[0]


def pod(folder: str) -> dict:
    return one(folder, "StatefulSet" if folder == "sqlite" else "Deployment")["spec"]["template"]["spec"]


def variables(folder: str) -> dict[str, str | None]:
    """The environment variables of the server; None for a value that is not in the manifests."""
    container = pod(folder)["containers"][0]
    return one(folder, "ConfigMap")["data"] | {item["name"]: item.get("value") for item in container["env"]}


def compose() -> dict:
    return yaml.safe_load(COMPOSE.read_text())


def known_variables() -> set[str]:
    """Every variable of `till serve`; another test holds this page against the code."""
    return set(re.findall(r"\| `(TILL_[A-Z_]+)` \|", (ROOT / "docs/operating/settings.md").read_text()))


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("folder", FOLDERS)
def test_manifests_follow_the_schemas_of_kubernetes(folder, version):
    found = documents(folder)
    assert len(found) >= 5
    for document in found:
        kubernetes_validate.validate(document, version, strict=True)


def test_a_wrong_manifest_is_found():
    wrong = one("sqlite", "StatefulSet")
    wrong["spec"]["template"]["spec"]["containers"][0]["ports"][0]["containerPort"] = "8888"
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, VERSIONS[0], strict=True)


def test_the_compose_file_follows_the_compose_specification():
    checker = Path(sys.executable).with_name("check-jsonschema")
    done = subprocess.run(
        [checker, "--builtin-schema", "vendor.compose-spec", COMPOSE], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "given", [variables("sqlite"), variables("postgresql"), compose()["services"]["till"]["environment"]]
)
def test_every_variable_is_a_setting(given):
    # POD_IP only becomes a part of TILL_CONTROL_HOST.
    assert given.keys() - {"POD_IP"} <= known_variables()
    assert "TILL_DATABASE" not in one("postgresql", "ConfigMap")["data"]


@pytest.mark.parametrize("folder", FOLDERS)
def test_secrets_are_references(folder):
    """No manifest contains a secret or a value for one; only the README says how to create them."""
    assert all(document["kind"] != "Secret" for document in documents(folder))
    for item in pod(folder)["containers"][0]["env"]:
        if item["name"] in ("TILL_DATABASE", "TILL_CONTROL_TOKEN"):
            assert item["valueFrom"]["secretKeyRef"]["name"] == "till"
    text = (OPERATIONS / "kubernetes/README.md").read_text()
    keys = {item["valueFrom"]["secretKeyRef"]["key"] for item in pod(folder)["containers"][0]["env"]
            if "secretKeyRef" in item.get("valueFrom", {})}
    assert all(f"--from-literal={key}=" in text for key in keys)


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_cluster_sets_no_variable_of_till_and_prometheus_can_read_a_pod(folder):
    """Kubernetes would set TILL_CONTROL_PORT to a URL for the service till-control."""
    names = [document["metadata"]["name"] for document in documents(folder) if document["kind"] == "Service"]
    assert "till-control" in names and pod(folder)["enableServiceLinks"] is False
    items = [item["name"] for item in pod(folder)["containers"][0]["env"]]
    assert items.index("POD_IP") < items.index("TILL_CONTROL_HOST")
    assert variables(folder)["TILL_CONTROL_HOST"].endswith(",$(POD_IP)")


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_pod_is_restricted_and_its_labels_and_ports_agree(folder):
    spec = pod(folder)
    assert spec["securityContext"]["runAsNonRoot"] and not spec["automountServiceAccountToken"]
    for container in spec["containers"] + spec.get("initContainers", []):
        security = container["securityContext"]
        assert security["readOnlyRootFilesystem"] and not security["allowPrivilegeEscalation"]
        assert security["capabilities"] == {"drop": ["ALL"]} and container["resources"]["limits"]["memory"]
        volumes = {volume["name"] for volume in spec["volumes"]} | (
            {claim["metadata"]["name"] for claim in one(folder, "StatefulSet")["spec"]["volumeClaimTemplates"]}
            if folder == "sqlite" else set()
        )
        assert {mount["name"] for mount in container["volumeMounts"]} <= volumes
    ports = {port["name"]: port["containerPort"] for port in spec["containers"][0]["ports"]}
    assert ports == {"production": 8888, "sandbox": 8889, "control": 8890}
    services = [document for document in documents(folder) if document["kind"] == "Service"]
    for port in [port for service in services for port in service["spec"]["ports"]]:
        assert ports[port["targetPort"]] == port["port"]
    labels = {"app.kubernetes.io/name": "till"}
    assert all(service["spec"]["selector"] == labels for service in services)
    # The data directory must be a folder in the volume: Till gives it the mode 0700.
    mounts = [mount["mountPath"] for mount in spec["containers"][0]["volumeMounts"]]
    assert any(variables(folder)["TILL_DATA"].startswith(f"{mount}/") for mount in mounts)


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_pod_has_time_to_drain(folder):
    drain = int(variables(folder)["TILL_DRAIN"])
    ready = pod(folder)["containers"][0]["readinessProbe"]
    # /readyz must have failed often enough before the server stops to answer.
    assert drain > ready["periodSeconds"] * ready["failureThreshold"]
    assert pod(folder)["terminationGracePeriodSeconds"] >= drain + 30


def test_a_disruption_leaves_a_node():
    budget, deployment = one("postgresql", "PodDisruptionBudget"), one("postgresql", "Deployment")
    assert budget["spec"]["maxUnavailable"] < deployment["spec"]["replicas"]
    assert budget["spec"]["selector"] == deployment["spec"]["selector"]
    assert deployment["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"] == 0
    assert one("sqlite", "StatefulSet")["spec"]["replicas"] == 1


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server with the settings of the pod on SQLite, but for its addresses and its data directory."""
    folder = tmp_path_factory.mktemp("operations")
    given = {name: value for name, value in variables("sqlite").items()
             if value and name not in ("TILL_DATA", "TILL_HOST", "TILL_CONTROL_ADDRESS", "TILL_DRAIN")}
    with Server(folder / "data", folder, TILL_CONTROL_TOKEN="0123456789" * 4, **given) as server:
        yield server


def test_a_server_starts_with_the_settings_and_answers_the_probes(server):
    for folder in FOLDERS:
        container = pod(folder)["containers"][0]
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            get = container[probe]["httpGet"]
            assert get["port"] == "control"
            # The kubelet sends the address of the pod as the host.
            url, host = server.address("control") + get["path"], {"Host": "10.0.0.7:8890"}
            answer = requests.get(url, headers=host, timeout=60)
            assert answer.status_code == 200, get["path"]
    assert "is not a setting" not in server.stderr()


def test_the_health_check_of_compose_works(server):
    test = compose()["services"]["till"]["healthcheck"]["test"]
    assert test[:3] == ["CMD", "bash", "-c"]

    def check(port) -> int:
        return subprocess.run(["bash", "-c", test[3].replace("8890", str(port))], timeout=60).returncode

    assert check(server.ports["control"]) == 0
    # The sandbox port has no such route.
    assert check(server.ports["sandbox"]) != 0


@pytest.mark.parametrize("command", [pod("sqlite")["containers"][0]["args"], compose()["services"]["till"]["command"]])
def test_the_command_exists(command):
    assert command == ["serve"] and run_till(*command, "--help", code=0)


def test_the_certificates_reach_the_data_directory(tmp_path):
    """The command of the init container, with the paths of this test."""
    (tmp_path / "first").mkdir()
    with Server(tmp_path / "first/data", tmp_path / "first"):
        pass
    subprocess.run(["tar", "--create", "--file", tmp_path / "ca.tar", "--directory", tmp_path / "first/data", "ca"],
                   check=True)
    shell, option, text = pod("postgresql")["initContainers"][0]["command"]
    text = text.replace("/run/till-ca", str(tmp_path)).replace("/data/till", str(tmp_path / "second/till"))
    (tmp_path / "second").mkdir()
    subprocess.run([shell, option, text], check=True)
    with Server(tmp_path / "second/till", tmp_path / "second") as second:
        root = json.loads((tmp_path / "second/ready-0").read_text())["rootCertificate"]
        assert Path(root).read_text() == (tmp_path / "first/data/ca/root.pem").read_text()
    assert run_till("doctor", "--data", second.data).returncode == 0
