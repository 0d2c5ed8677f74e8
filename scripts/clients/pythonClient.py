"""Plays Debian's python3-kubernetes. Prints one JSON document a line: what was tried, and what came of it."""

import inspect
import json
import re
import sys

from kubernetes import client, config, utils, watch
from kubernetes.client.rest import ApiException

config.load_kube_config()
namespace = "shop"


# The package refuses an eventTime of null, which the Events of upstream's controllers have, too.
client.EventsV1Event.event_time = client.EventsV1Event.event_time.setter(
    lambda event, time: setattr(event, "_event_time", time)
)


def report(what, is_ok, detail):
    print(json.dumps({"what": what, "isOk": is_ok, "detail": str(detail).split("\n")[0][:160]}), flush=True)


def attempt(what, run):
    try:
        report(what, True, run())
    except ApiException as error:
        report(what, False, f"{error.status} {error.reason}: {error.body}")
    except Exception as error:
        report(what, False, f"{type(error).__name__}: {error}")


def arguments_of(method):
    required = re.findall(r":param (?:str|object) (\w+):.*\(required\)", method.__doc__ or "")
    values = {"namespace": namespace, "group": "example.com", "version": "v1", "plural": "widgets"}
    return {name: values[name] for name in required}


def is_served(api):
    """Whether the server has the group and version of this class; only a 404 says that it has not."""
    try:
        api.get_api_resources()
        return True
    except ApiException as error:
        if error.status == 404:
            return False
        raise


def try_list(api, name, is_found):
    method = getattr(api, name)
    expected = re.search(r":return: (\w+)", method.__doc__).group(1)

    def run():
        try:
            answer = method(**arguments_of(method))
        except ApiException as error:
            if error.status == 404 and not is_found:
                return "404: the version is not served any more"
            raise
        if not is_found:
            raise Exception("a version that is not served answered")
        if expected == "object":
            kind, items = answer["kind"], answer["items"]
        else:
            kind, items = type(answer).__name__, answer.items
            if answer.kind is None or answer.api_version is None:
                raise Exception("a list without kind or apiVersion")
            if kind != expected or f"V1{answer.kind}"[-len(answer.kind):] not in kind:
                raise Exception(f"{answer.kind} as {kind}, and not {expected}")
        if not kind.endswith("List"):
            raise Exception(f"{kind} is no list")
        return f"{kind} of {len(items)}"

    attempt(f"{type(api).__name__}.{name}", run)


def try_typed_lists():
    for class_name, cls in inspect.getmembers(client, inspect.isclass):
        if not class_name.endswith("Api"):
            continue
        names = [it for it in dir(cls) if it.startswith("list_") and not it.endswith("_with_http_info")]
        if names == []:
            continue
        api = cls()
        is_found = is_served(api) if hasattr(api, "get_api_resources") else True
        for name in names:
            try_list(api, name, is_found)


def container(image):
    return client.V1Container(name="app", image=image, ports=[client.V1ContainerPort(container_port=80)])


def deployment(replicas):
    labels = {"app": "typed"}
    template = client.V1PodTemplateSpec(
        metadata=client.V1ObjectMeta(labels=labels), spec=client.V1PodSpec(containers=[container("web:1")])
    )
    return client.V1Deployment(
        metadata=client.V1ObjectMeta(name="typed"),
        spec=client.V1DeploymentSpec(
            replicas=replicas, selector=client.V1LabelSelector(match_labels=labels), template=template
        ),
    )


def wait_for(condition):
    apps = client.AppsV1Api()
    for event in watch.Watch().stream(
        apps.list_namespaced_deployment, namespace, field_selector="metadata.name=typed", timeout_seconds=60
    ):
        if condition(event["object"]):
            return f"{event['type']} at version {event['object'].metadata.resource_version}"
    raise Exception("the watch ended before that")


def is_rolled(image):
    def check(it):
        status = it.status
        return (
            status.observed_generation == it.metadata.generation
            and status.updated_replicas == it.spec.replicas == status.available_replicas == status.replicas
            and it.spec.template.spec.containers[0].image == image
        )

    return check


def change_by(method, body):
    return lambda: f"generation {method('typed', namespace, body).metadata.generation}"


def scale():
    api = client.AppsV1Api()
    present = api.read_namespaced_deployment_scale("typed", namespace)
    present.spec.replicas = 3
    return f"replicas {api.replace_namespaced_deployment_scale('typed', namespace, present).spec.replicas}"


def conflict():
    api = client.CoreV1Api()
    stale = api.read_namespaced_config_map("settings", namespace)
    stale.metadata.resource_version = "1"
    try:
        api.replace_namespaced_config_map("settings", namespace, stale)
    except ApiException as error:
        reason = json.loads(error.body)["reason"]
        if (error.status, reason) == (409, "Conflict"):
            return reason
        raise
    raise Exception("a stale write was accepted")


def pods_of_watch():
    core = client.CoreV1Api()
    names = set()
    version = core.list_namespaced_pod(namespace, label_selector="app=typed").metadata.resource_version
    core.delete_collection_namespaced_pod(namespace, label_selector="app=typed")
    stream = watch.Watch().stream(
        core.list_namespaced_pod, namespace, label_selector="app=typed", resource_version=version, timeout_seconds=60
    )
    for event in stream:
        if event["type"] == "DELETED":
            names.add(event["object"].metadata.name)
        if len(names) == 3:
            return f"{len(names)} Pods were deleted"
    raise Exception(f"only {len(names)} Pods were deleted")


def widget():
    api = client.CustomObjectsApi()
    body = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "one"}, "size": 3}
    return api.create_namespaced_custom_object("example.com", "v1", namespace, "widgets", body)["metadata"]["uid"]


def token():
    request = client.V1TokenRequest if hasattr(client, "V1TokenRequest") else client.AuthenticationV1TokenRequest
    body = request(spec=client.V1TokenRequestSpec(audiences=[], expiration_seconds=900))
    text = client.CoreV1Api().create_namespaced_service_account_token("default", namespace, body).status.token
    review = client.V1TokenReview(spec=client.V1TokenReviewSpec(token=text))
    status = client.AuthenticationV1Api().create_token_review(review).status
    if not status.authenticated:
        raise Exception(status.error)
    return status.user.username


def evict():
    core = client.CoreV1Api()
    pod = core.list_namespaced_pod(namespace, label_selector="app=typed").items[0].metadata.name
    body = client.V1Eviction(metadata=client.V1ObjectMeta(name=pod))
    return core.create_namespaced_pod_eviction(pod, namespace, body).kind


def log():
    core = client.CoreV1Api()
    pod = core.list_namespaced_pod(namespace, label_selector="app=typed").items[0].metadata.name
    return f"{len(core.read_namespaced_pod_log(pod, namespace))} characters"


apps = client.AppsV1Api()
attempt("the version", lambda: client.VersionApi().get_code().git_version)
attempt("the API groups", lambda: f"{len(client.ApisApi().get_api_versions().groups)} groups")
attempt("create a Deployment", lambda: apps.create_namespaced_deployment(namespace, deployment(2)).metadata.uid)
attempt("watch until it is available", lambda: wait_for(is_rolled("web:1")))
image = {"spec": {"template": {"spec": {"containers": [{"name": "app", "image": "web:2"}]}}}}
attempt("patch its image", change_by(apps.patch_namespaced_deployment, image))
attempt("watch until it is rolled out", lambda: wait_for(is_rolled("web:2")))
attempt("replace its scale", scale)
attempt("watch until it is scaled", lambda: wait_for(lambda it: it.status.available_replicas == 3))
attempt("write to a stale version", conflict)
attempt("read the log of a Pod", log)
attempt("evict a Pod", evict)
attempt("watch until it has three Pods again", lambda: wait_for(lambda it: it.status.available_replicas == 3))
attempt("delete its Pods, and watch them go", pods_of_watch)
attempt("create a custom resource", widget)
attempt("create from a dictionary", lambda: utils.create_from_dict(
    client.ApiClient(),
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "from-dict", "namespace": namespace}},
)[0].metadata.name)
attempt("create a token, and review it", token)
attempt("OpenID configuration", lambda: json.loads(
    client.WellKnownApi().get_service_account_issuer_open_id_configuration().replace("'", '"')
)["issuer"])
attempt("OpenID keys", lambda: client.OpenidApi().get_service_account_issuer_open_id_keyset()[:60])
try_typed_lists()
attempt("delete the Deployment", lambda: apps.delete_namespaced_deployment("typed", namespace).status)
sys.exit(0)
