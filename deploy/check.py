"""Checks the manifests without a cluster: names and numbers in them agree, and the program accepts its flags and configuration.

    python deploy/check.py PROGRAM
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

HERE = Path(__file__).parent
problems = []


def check(holds, what):
    if not holds:
        problems.append(what)


def run(*command):
    """What a command has to say, if it fails."""
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode and (done.stdout + done.stderr or f"exit code {done.returncode}")


def program_accepts(arguments, toml, where):
    """`serve` has the flags, with such values, and `check` finds nothing wrong with the configuration."""
    refused = run(sys.argv[1], *arguments, "--help")
    check(not refused, f"{where}: {refused}")
    joined = " ".join(arguments).replace("--limit=", "--limit ").split()
    flags = [f"--limit={value}" for flag, value in zip(joined, joined[1:]) if flag == "--limit"]
    flags += [flag for flag in joined if flag == "--allow-anonymous"]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "client.token").write_text("checked" * 10)
        config = Path(folder) / "disclosure.toml"
        config.write_text(toml.replace("/etc/disclosure-secrets", folder))
        # The upstreams are examples, which cannot be reached.
        command = ["check", f"--config={config}", "--strict", "--allow=unreachable-upstream", "--connect-timeout=5"]
        found = run(sys.argv[1], *command, *flags)
        check(not found, f"{where}: {found}")


def kubernetes():
    kustomization = yaml.safe_load((HERE / "kubernetes/kustomization.yaml").read_text())
    files = kustomization["resources"]
    found = sorted(path.name for path in (HERE / "kubernetes").glob("*.yaml") if path.name != "kustomization.yaml")
    check(sorted(files) == found, f"kustomization.yaml names {files}, there are {found}")
    objects = [one for file in files for one in yaml.safe_load_all((HERE / "kubernetes" / file).read_text())]
    by_kind = {(one["kind"], one["metadata"]["name"]): one for one in objects}
    check(len(by_kind) == len(objects), "two objects have one name")
    for kind in ("Deployment", "Service", "HorizontalPodAutoscaler", "PodDisruptionBudget", "NetworkPolicy"):
        check((kind, "disclosure") in by_kind, f"no {kind} of the gateway")
    for (kind, name), one in by_kind.items():
        if kind == "Deployment":
            labels = one["spec"]["template"]["metadata"]["labels"]
            check(one["spec"]["selector"]["matchLabels"] == labels, f"{name}: the selector is another")
            pod = one["spec"]["template"]["spec"]
            container = pod["containers"][0]
            containers = pod["containers"] + pod.get("initContainers", [])
            ports = {port[key] for one in containers for port in one["ports"] for key in ("name", "containerPort")}
            for probe in ("readinessProbe", "livenessProbe"):
                asked = container[probe].get("httpGet") or container[probe]["tcpSocket"]
                check(asked["port"] in ports, f"{name}: {probe} has no port")
            mounts = {mount["name"] for one in containers for mount in one.get("volumeMounts", [])}
            volumes = {volume["name"] for volume in pod.get("volumes", [])}
            check(mounts == volumes, f"{name}: mounts {mounts}, volumes {volumes}")
            for one in containers:
                check("limits" in one["resources"], f"{name}: {one['name']} has no limits")
        if kind == "Service":
            check(("Deployment", name) in by_kind, f"Service {name} has no Deployment")
    budget = by_kind["PodDisruptionBudget", "disclosure"]["spec"]["minAvailable"]
    least = by_kind["HorizontalPodAutoscaler", "disclosure"]["spec"]["minReplicas"]
    check(budget < least, "no node could be drained")
    container = by_kind["Deployment", "disclosure"]["spec"]["template"]["spec"]["containers"][0]
    named = [image["name"] for image in kustomization["images"]]
    check(container["image"] in named, f"kustomization.yaml does not name the image {container['image']}")
    config = by_kind["ConfigMap", "disclosure-config"]["data"]
    program_accepts(container["args"], config["disclosure.toml"], "gateway.yaml")
    operators_are_served(container, config["operators.cfg"])
    autoscaler = by_kind["HorizontalPodAutoscaler", "disclosure"]["spec"]["metrics"]
    documented = (HERE.parent / "docs/operating.md").read_text()
    for metric in [one["pods"]["metric"]["name"] for one in autoscaler if one["type"] == "Pods"]:
        counter = metric.replace("_per_second", "_total")
        check(f"| `{counter}" in documented, f"scaling.yaml: {counter} is no metric of docs/operating.md")


def operators_are_served(container, proxy):
    """What probes ask for is passed on to --admin by the proxy beside it."""
    admin = next(flag.split("=")[1] for flag in container["args"] if flag.startswith("--admin="))
    check(f"server gateway {admin}\n" in proxy, f"gateway.yaml: operators.cfg does not lead to {admin}")
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        path, port = container[probe]["httpGet"]["path"], container[probe]["httpGet"]["port"]
        check(f" {path} " in proxy and f"bind :{port}\n" in proxy, f"gateway.yaml: {probe} is not passed on")
    if shutil.which("haproxy"):
        with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
            file.write(proxy)
            file.flush()
            refused = run("haproxy", "-c", "-q", "-f", file.name)
            check(not refused, f"operators.cfg: {refused}")


def compose():
    services = yaml.safe_load((HERE / "compose/compose.yaml").read_text())["services"]
    check(set(services) == {"store", "gateway", "proxy"}, "compose.yaml has other services")
    check(services["gateway"]["deploy"]["replicas"] == 3, "not three replicas")
    arguments = services["gateway"]["command"]
    program_accepts(arguments, (HERE / "compose/disclosure.toml").read_text(), "compose.yaml")
    address = services["proxy"]["networks"]["inside"]["ipv4_address"]
    check(f"{address}/32" in arguments, f"compose.yaml: the proxy, {address}, is not trusted")
    build = HERE / "compose" / services["gateway"]["build"]["context"] / services["gateway"]["build"]["dockerfile"]
    check(build.is_file(), f"{build} is not there")


kubernetes()
compose()
for problem in problems:
    print(f"FAIL {problem}")
print(f"deploy: {len(problems)} problems")
sys.exit(bool(problems))
