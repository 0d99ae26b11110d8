"""Holds deploy/ to the programs and to the Kubernetes API.

Every flag and MUSTER_* variable in the manifests and Dockerfiles must be in the --help of the
program that it is given to, every object must fit the schema of its kind (by the package
kubernetes-validate of requirements.txt), and every pod must run under the restricted profile, with
probes, requests and ports that exist.

usage: check_deploy.py ROOT BIN_FOLDER
"""

import json
import pathlib
import re
import shlex
import subprocess
import sys

import yaml

try:
    import kubernetes_validate
except ImportError:
    kubernetes_validate = None

API_VERSION = "1.32"
PROGRAMS = {"coordinator": ["muster-coordinator"], "worker": ["muster-worker", "exec"]}
FAULTS = []


def fault(where, text):
    FAULTS.append(f"{where}: {text}")


def known_options(folder, program):
    """Flags and variables that `program` tells of in its help."""
    command = [str(folder / program[0])] + program[1:] + ["--help"]
    text = subprocess.run(command, capture_output=True, text=True, check=True, timeout=30).stdout
    return set(re.findall(r"(--[a-z][a-z-]*)", text)), set(re.findall(r"MUSTER_[A-Z_]+", text))


def check_options(where, component, options, args, variables):
    flags, known_variables = options[component]
    for arg in args:
        if arg == "--":
            break
        if arg.startswith("--") and arg.split("=")[0] not in flags:
            fault(where, f"flag {arg.split('=')[0]} is not one of {' '.join(PROGRAMS[component])}")
    for name in variables:
        if name.startswith("MUSTER_") and name not in known_variables:
            fault(where, f"variable {name} is not one of {' '.join(PROGRAMS[component])}")


def check_container(where, container, pod):
    security = container.get("securityContext", {})
    if security.get("allowPrivilegeEscalation") is not False:
        fault(where, "allowPrivilegeEscalation is not false")
    if security.get("readOnlyRootFilesystem") is not True:
        fault(where, "readOnlyRootFilesystem is not true")
    if security.get("capabilities", {}).get("drop") != ["ALL"]:
        fault(where, "capabilities are not dropped")
    if not container.get("resources", {}).get("requests"):
        fault(where, "no resource requests")
    if ":" not in container["image"] or container["image"].endswith(":latest"):
        fault(where, f"image {container['image']} has no fixed tag")
    ports = {port["name"]: port["containerPort"] for port in container.get("ports", [])}
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        port = container.get(probe, {}).get("httpGet", {}).get("port")
        if port not in ports:
            fault(where, f"{probe} is missing or asks port {port}, which the container has not")
    volumes = {volume["name"] for volume in pod.get("volumes", [])}
    for mount in container.get("volumeMounts", []):
        if mount["name"] not in volumes:
            fault(where, f"mount {mount['name']} has no volume")
    for variable in container.get("env", []):
        if "secretKeyRef" in variable.get("valueFrom", {}):
            fault(where, f"variable {variable['name']} comes from a secret")


def check_pod(where, pod):
    security = pod.get("securityContext", {})
    if security.get("runAsNonRoot") is not True or not security.get("runAsUser"):
        fault(where, "the pod may run as root")
    if security.get("seccompProfile", {}).get("type") != "RuntimeDefault":
        fault(where, "no seccomp profile")
    if pod.get("automountServiceAccountToken") is not False:
        fault(where, "a service account token is mounted")
    for container in pod["containers"]:
        check_container(f"{where}/{container['name']}", container, pod)


def listening_port(container, flag, variable):
    """The port that the program is told to serve by a flag or a variable, or nothing."""
    for arg in container.get("args", []):
        if arg.startswith(flag + "="):
            return int(arg.rsplit(":", 1)[1])
    for entry in container.get("env", []):
        if entry["name"] == variable:
            return int(entry["value"].rsplit(":", 1)[1])
    return None


def check_health_port(where, container):
    ports = {port["name"]: port["containerPort"] for port in container.get("ports", [])}
    served = listening_port(container, "--health-http-address", "MUSTER_HEALTH_HTTP_ADDRESS")
    if served != ports.get("health"):
        fault(where, f"probes ask port {ports.get('health')}, health is served on {served}")


def check_service(where, service, workloads):
    """Its selector must pick the pods of one workload, and its ports must be theirs."""
    for workload in workloads:
        template = workload["spec"]["template"]
        labels = template["metadata"]["labels"].items()
        if not service["spec"]["selector"].items() <= labels:
            continue
        names = {port["name"] for container in template["spec"]["containers"]
                 for port in container.get("ports", [])}
        for port in service["spec"]["ports"]:
            if port["targetPort"] not in names:
                fault(where, f"target port {port['targetPort']} is no port of the pods")
        return
    fault(where, "it selects no pod")


def check_manifests(base, options):
    listed = yaml.safe_load((base / "kustomization.yaml").read_text())["resources"]
    found = sorted(path.name for path in base.glob("*.yaml") if path.name != "kustomization.yaml")
    if sorted(listed) != found:
        fault("kustomization.yaml", f"lists {sorted(listed)}, the folder has {found}")
    objects = []
    for name in found:
        objects += [(name, item) for item in yaml.safe_load_all((base / name).read_text()) if item]
    if kubernetes_validate is None:
        print("SKIPPED: no check against the API schemas, since PyPI's kubernetes-validate is not "
              "installed (./dev setup installs it where PyPI can be reached)")
    for name, item in objects if kubernetes_validate is not None else []:
        where = f"{name}: {item['kind']} {item['metadata']['name']}"
        try:
            kubernetes_validate.validate(item, API_VERSION, strict=True)
        except kubernetes_validate.ValidationError as error:
            fault(where, f"does not fit the schema: {error.message} at {list(error.path)}")
    workloads = [item for _, item in objects if item["kind"] == "StatefulSet"]
    for workload in workloads:
        where = f"StatefulSet {workload['metadata']['name']}"
        pod = workload["spec"]["template"]["spec"]
        check_pod(where, pod)
        component = workload["metadata"]["labels"]["app.kubernetes.io/component"]
        for container in pod["containers"]:
            check_options(where, component, options, container.get("args", []),
                          [entry["name"] for entry in container.get("env", [])])
            check_health_port(where, container)
    services = [item for _, item in objects if item["kind"] == "Service"]
    for service in services:
        check_service(f"Service {service['metadata']['name']}", service, workloads)
    if len(workloads) != 2 or len(services) != 2:
        fault("base", f"{len(workloads)} workloads and {len(services)} services, want 2 of each")


def check_dockerfile(path, component, options):
    text = path.read_text()
    users = re.findall(r"^USER (\S+)", text, re.MULTILINE)
    if not users or users[-1].split(":")[0] in ("0", "root"):
        fault(path.name, "the image runs as root")
    for line in re.findall(r"^(?:ENTRYPOINT|CMD) (\[.*\])", text, re.MULTILINE):
        check_options(path.name, component, options, json.loads(line), [])
    variables = [shlex.split(line)[0].split("=")[0]
                 for line in re.findall(r"^ENV (.*)", text, re.MULTILINE)]
    check_options(path.name, component, options, [], variables)


def main():
    root, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    options = {component: known_options(folder, program)
               for component, program in PROGRAMS.items()}
    check_manifests(root / "deploy/base", options)
    for component in PROGRAMS:
        check_dockerfile(root / f"deploy/docker/{component}.Dockerfile", component, options)
    for text in FAULTS:
        print(text)
    print(f"deploy: {len(FAULTS)} faults")
    return 1 if FAULTS else 0


if __name__ == "__main__":
    sys.exit(main())
