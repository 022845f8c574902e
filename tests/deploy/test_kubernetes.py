"""The manifests for Kubernetes: valid, and in step with the program."""

from __future__ import annotations

from typing import Any

import yaml  # type: ignore[import-untyped]

from noughts import __version__
from tests.project.reading import ROOT
from tests.support.programs import output_of, program

FOLDER = ROOT / "deploy" / "kubernetes"
PATH = FOLDER / "noughts.yaml"
KUSTOMIZATION: dict[str, Any] = yaml.safe_load((FOLDER / "kustomization.yaml").read_text())
MANIFESTS: dict[str, Any] = {each["kind"]: each for each in yaml.safe_load_all(PATH.read_text())}


def test_manifests_are_valid() -> None:
    output_of(program("kubernetes-validate"), "--strict", PATH)


def test_the_same_pods_are_meant_everywhere() -> None:
    labels = MANIFESTS["Deployment"]["spec"]["template"]["metadata"]["labels"]
    assert MANIFESTS["Deployment"]["spec"]["selector"]["matchLabels"] == labels
    assert MANIFESTS["Service"]["spec"]["selector"] == labels
    assert MANIFESTS["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"] == labels


def test_a_pod_has_time_to_drain() -> None:
    pod = MANIFESTS["Deployment"]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    drain_s = int(next(each["value"] for each in container["env"] if each["name"] == "NOUGHTS_DRAIN_S"))
    probe = container["readinessProbe"]
    assert drain_s > probe["periodSeconds"] * probe["failureThreshold"] + probe["timeoutSeconds"]
    assert pod["terminationGracePeriodSeconds"] >= drain_s + 10
    assert container["livenessProbe"]["httpGet"]["path"] == "/healthz"  # a restart does not bring Redis back
    assert container["image"] == f"noughts:{__version__}"


def test_a_kustomization_sets_image_host_and_size_and_nothing_else() -> None:
    """Each of its values replaces one that the manifests have."""
    assert set(KUSTOMIZATION) == {"apiVersion", "kind", "resources", "images", "replicas", "patches"}
    assert KUSTOMIZATION["resources"] == [PATH.name]
    deployment = MANIFESTS["Deployment"]
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    (image,), (size,), (patch,) = (KUSTOMIZATION[name] for name in ("images", "replicas", "patches"))
    assert (f"{image['name']}:{image['newTag']}", image["newName"]) == (container["image"], image["name"])
    assert size == {"name": deployment["metadata"]["name"], "count": deployment["spec"]["replicas"]}
    change = yaml.safe_load(patch["patch"])
    assert {name: change[name] for name in ("apiVersion", "kind")} == {
        name: deployment[name] for name in ("apiVersion", "kind")
    }
    assert change["metadata"]["name"] == deployment["metadata"]["name"]
    (changed,) = change["spec"]["template"]["spec"]["containers"]
    assert changed["name"] == container["name"]
    (host,) = changed["env"]
    assert host in container["env"]
    assert host["name"] == "NOUGHTS_PUBLIC_URL"
