import { describe, expect, it } from "vitest"
import { parseFieldSelector } from "../../../../src/kubernetes/meta/selectors/fieldSelectors.ts"
import { groupResourceOf, servedKinds, type Kind } from "../../../../src/kubernetes/meta/kinds.ts"
import type { KubeObject } from "../../../../src/kubernetes/meta/objects.ts"

const kindOf = (resource: string): Kind => {
  const kind = servedKinds.find((it) => groupResourceOf(it) === resource)
  if (kind === undefined) throw new Error(`no kind ${resource}`)
  return kind
}

const customWith = (selectableFields: ReadonlyArray<string>) =>
  ({ selectableFields }) as unknown as NonNullable<Kind["custom"]>

const selects = (kind: Kind, text: string, object: object): boolean => {
  const parsed = parseFieldSelector(text, kind)
  if (!parsed.ok) throw new Error(parsed.problem)
  return parsed.selector({ metadata: { name: "web", namespace: "shop" }, ...object } as KubeObject)
}

describe("a field selector selects an object", () => {
  const running = { status: { phase: "Running" } }
  const named = (name: string) => ({ metadata: { name } })

  it.each([
    { why: "an empty selector selects all", resource: "pods", text: "", object: {}, isSelected: true },
    { why: "= compares", resource: "pods", text: "metadata.name=web", object: {}, isSelected: true },
    { why: "== compares too", resource: "pods", text: "metadata.name==db", object: {}, isSelected: false },
    {
      why: "!= excludes",
      resource: "pods",
      text: "status.phase!=Running",
      object: running,
      isSelected: false
    },
    {
      why: "!= selects others",
      resource: "pods",
      text: "status.phase!=Failed",
      object: running,
      isSelected: true
    },
    {
      why: "all requirements must hold",
      resource: "pods",
      text: "metadata.name=web,status.phase=Failed",
      object: running,
      isSelected: false
    },
    {
      why: "empty requirements are skipped",
      resource: "pods",
      text: ",metadata.namespace=shop,,",
      object: {},
      isSelected: true
    },
    {
      why: "a Job that never ran has no successful Pod",
      resource: "jobs.batch",
      text: "status.successful=0",
      object: { status: {} },
      isSelected: true
    },
    {
      why: "a Job's successful Pods",
      resource: "jobs.batch",
      text: "status.successful=1",
      object: { status: { succeeded: 1 } },
      isSelected: true
    },
    {
      why: "the slices of one node",
      resource: "resourceslices.resource.k8s.io",
      text: "spec.nodeName=n1,spec.driver=gpu",
      object: { spec: { nodeName: "n1", driver: "gpu" } },
      isSelected: true
    },
    {
      why: "the Services of a type",
      resource: "services",
      text: "spec.type=LoadBalancer,spec.clusterIP!=None",
      object: { spec: { type: "LoadBalancer", clusterIP: "10.96.0.7" } },
      isSelected: true
    },
    {
      why: "the former name of a Pod's node",
      resource: "pods",
      text: "spec.host=n1",
      object: { spec: { nodeName: "n1" } },
      isSelected: true
    },
    {
      why: "no Pod by the list of its addresses",
      resource: "pods",
      text: "status.podIPs=10.0.0.1",
      object: { status: { podIPs: [{ ip: "10.0.0.1" }] } },
      isSelected: false
    },
    {
      why: "no StatefulSet by a field that it supports and does not have",
      resource: "statefulsets.apps",
      text: "status.successful=1",
      object: { status: { replicas: 1 } },
      isSelected: false
    },
    {
      why: "an exclamation mark belongs to the value",
      resource: "pods",
      text: "metadata.name=a!b",
      object: named("a!b"),
      isSelected: true
    },
    {
      why: "an escaped comma belongs to the value",
      resource: "pods",
      text: "metadata.name=a\\,b,metadata.name!=c",
      object: named("a,b"),
      isSelected: true
    },
    {
      why: "an escaped comma may end the selector",
      resource: "pods",
      text: "metadata.name=a\\,",
      object: named("a,"),
      isSelected: true
    },
    {
      why: "an escaped equals sign and an escaped backslash do",
      resource: "pods",
      text: "metadata.name=a\\=\\\\b",
      object: named("a=\\b"),
      isSelected: true
    },
    {
      why: "a comma after an escaped backslash ends the requirement",
      resource: "pods",
      text: "metadata.name=a\\\\,status.phase=Running",
      object: { ...named("a\\"), ...running },
      isSelected: true
    },
    {
      why: "a missing text is empty",
      resource: "pods",
      text: "spec.nodeName=",
      object: {},
      isSelected: true
    },
    {
      why: "a field of no object is empty",
      resource: "pods",
      text: "status.podIP=",
      object: { status: "x" },
      isSelected: true
    },
    {
      why: "null is missing",
      resource: "pods",
      text: "status.phase=",
      object: { status: null },
      isSelected: true
    },
    {
      why: "a missing boolean is false",
      resource: "nodes",
      text: "spec.unschedulable=false",
      object: { spec: { unschedulable: null } },
      isSelected: true
    },
    {
      why: "a boolean compares as its text",
      resource: "pods",
      text: "spec.hostNetwork=true",
      object: { spec: { hostNetwork: true } },
      isSelected: true
    },
    {
      why: "a missing number is 0",
      resource: "replicasets.apps",
      text: "status.replicas=0",
      object: {},
      isSelected: true
    },
    {
      why: "a number compares as its text",
      resource: "replicasets.apps",
      text: "status.replicas=3",
      object: { status: { replicas: 3 } },
      isSelected: true
    },
    {
      why: "an object is empty",
      resource: "pods",
      text: "spec.nodeName=",
      object: { spec: { nodeName: {} } },
      isSelected: true
    },
    {
      why: "an Event's source is the component that reports it",
      resource: "events",
      text: "source=kubelet",
      object: { source: { component: "kubelet" }, reportingComponent: "other" },
      isSelected: true
    },
    {
      why: "an Event without a source has the reporting component",
      resource: "events",
      text: "source=kubelet",
      object: { reportingComponent: "kubelet" },
      isSelected: true
    },
    {
      why: "an Event with an empty source has it too",
      resource: "events",
      text: "source=kubelet",
      object: { source: { component: "" }, reportingComponent: "kubelet" },
      isSelected: true
    },
    {
      why: "an Event without either has an empty one",
      resource: "events",
      text: "source=",
      object: { source: {} },
      isSelected: true
    },
    {
      why: "an Event of events.k8s.io calls the involved object `regarding`",
      resource: "events.events.k8s.io",
      text: "regarding.kind=Pod,reportingController=kubelet",
      object: { involvedObject: { kind: "Pod" }, reportingComponent: "kubelet" },
      isSelected: true
    }
  ])("$why", ({ resource, text, object, isSelected }) => {
    expect(selects(kindOf(resource), text, object)).toBe(isSelected)
  })
})

describe("a field selector is refused", () => {
  const onlyMetadata = 'is not a known field selector: only "metadata.name", "metadata.namespace"'

  it.each([
    {
      why: "without an operator",
      resource: "pods",
      text: "metadata.name=web,name",
      problem: "invalid selector: 'metadata.name=web,name'; can't understand 'name'"
    },
    {
      why: "with a second operator in the value",
      resource: "pods",
      text: "metadata.name=a=b",
      problem: "invalid field selector: unescaped character in value: 61"
    },
    {
      why: "with a backslash that escapes nothing",
      resource: "pods",
      text: "metadata.name=a\\",
      problem: "invalid field selector: invalid escape sequence: \\"
    },
    {
      why: "with a character that needs no escape",
      resource: "pods",
      text: "metadata.name=a\\b",
      problem: "invalid field selector: invalid escape sequence: \\b"
    },
    {
      why: "with a space before a field",
      resource: "pods",
      text: "status.phase=Running, metadata.name=web",
      problem: "field label not supported:  metadata.name"
    },
    {
      why: "for the first problem in alphabetical order",
      resource: "pods",
      text: "spec.image=x,metadata.labels=y",
      problem: "field label not supported: metadata.labels"
    },
    {
      why: "with the namespace of nodes",
      resource: "nodes",
      text: "metadata.namespace=shop",
      problem: "field label not supported: metadata.namespace"
    },
    {
      why: "with another field of a Job",
      resource: "jobs.batch",
      text: "status.failed=1",
      problem: 'field label "status.failed" not supported for Job'
    },
    {
      why: "with another field of a StatefulSet",
      resource: "statefulsets.apps",
      text: "status.replicas=1",
      problem: "field label not supported for appsv1.StatefulSet: status.replicas"
    },
    {
      why: "with another field of a slice",
      resource: "resourceslices.resource.k8s.io",
      text: "spec.pool=p",
      problem: "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: spec.pool"
    },
    {
      why: "with a field that the kind does not index",
      resource: "pods",
      text: "metadata.name=web,spec.image=x",
      problem: "field label not supported: spec.image"
    },
    {
      why: "with a field that the kind does not index, even if it indexes a single one",
      resource: "nodes",
      text: "spec.podCIDR=x",
      problem: "field label not supported: spec.podCIDR"
    },
    {
      why: "with a field of a kind that has only a name and a namespace",
      resource: "configmaps",
      text: "type=x",
      problem: `"type" ${onlyMetadata}`
    },
    {
      why: "with the stored name of a field that events.k8s.io calls otherwise",
      resource: "events.events.k8s.io",
      text: "involvedObject.kind=Pod",
      problem: "field label not supported: involvedObject.kind"
    }
  ])("$why", ({ resource, text, problem }) => {
    expect(parseFieldSelector(text, kindOf(resource))).toEqual({ ok: false, problem })
  })

  it("unless a custom resource names the field", () => {
    const kind: Kind = { ...kindOf("services"), custom: customWith(["spec.color"]) }
    expect(selects(kind, "spec.color=red", { spec: { color: "red" } })).toBe(true)
  })

  it("of a custom resource that names none", () => {
    const kind: Kind = { ...kindOf("services"), custom: customWith([]) }
    const problem = "field label not supported: spec.color"
    expect(parseFieldSelector("spec.color=red", kind)).toEqual({ ok: false, problem })
  })
})
