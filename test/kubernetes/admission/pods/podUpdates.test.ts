import { describe, expect, it } from "vitest"
import { namespaceManifest } from "../../../builders.ts"
import {
  qosClassOf,
  validateCreate,
  validateUpdate,
  withDefaults
} from "../../../../src/kubernetes/admission/admit.ts"
import type { PodDraft } from "../../../../src/kubernetes/admission/pods/validatePod.ts"
import { aPod, edited, namespaces, nodes, pods, errorTexts, type Edit } from "../drafts.ts"

const stored = withDefaults(
  pods,
  aPod({
    activeDeadlineSeconds: 70,
    nodeName: "node-3",
    initContainers: [{ name: "init", image: "init:v1" }]
  })
)
const otherFields =
  "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`," +
  "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` " +
  "(only additions to existing tolerations),`spec.terminationGracePeriodSeconds` " +
  "(allow it to be set to 1 if it was previously negative)"
const someToleration = { key: "a", operator: "Exists", effect: "NoExecute" }

describe("an update of a Pod's spec (TestValidatePodUpdate)", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly edits: ReadonlyArray<Edit>
    readonly errors: ReadonlyArray<string>
  }> = [
    { why: "may change nothing", edits: [], errors: [] },
    {
      why: "may change images",
      edits: [
        ["spec.containers.0.image", "registry.example/app:v4"],
        ["spec.initContainers.0.image", "init:v2"]
      ],
      errors: []
    },
    {
      why: "validates images",
      edits: [["spec.containers.0.image", " app"]],
      errors: [
        'spec.containers[0].image: Invalid value: " app": must not have leading or trailing whitespace'
      ]
    },
    { why: "may lower the deadline", edits: [["spec.activeDeadlineSeconds", 30]], errors: [] },
    {
      why: "may not raise the deadline",
      edits: [["spec.activeDeadlineSeconds", 71]],
      errors: ["spec.activeDeadlineSeconds: Invalid value: 71: must be less than or equal to previous value"]
    },
    {
      why: "may not remove the deadline",
      edits: [["spec.activeDeadlineSeconds", undefined]],
      errors: [
        "spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to " +
          "nil value"
      ]
    },
    { why: "may add tolerations", edits: [["spec.tolerations.2", someToleration]], errors: [] },
    { why: "may change tolerationSeconds", edits: [["spec.tolerations.0.tolerationSeconds", 7]], errors: [] },
    {
      why: "may not change another field of a toleration",
      edits: [["spec.tolerations.0.operator", "Equal"]],
      errors: [
        "spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds"
      ]
    },
    {
      why: "may not add containers",
      edits: [["spec.containers.1", { ...aPod().spec, name: "b", image: "b" }]],
      errors: ["spec.containers: Forbidden: pod updates may not add or remove containers"]
    },
    {
      why: "may not remove init containers",
      edits: [["spec.initContainers", undefined]],
      errors: ["spec.initContainers: Forbidden: pod updates may not add or remove init containers"]
    },
    {
      why: "may not change the node",
      edits: [["spec.nodeName", "node-4"]],
      errors: [`${otherFields}\n- nodeName: "node-3"\n+ nodeName: "node-4"`]
    },
    {
      why: "may not change a grace period that is not negative",
      edits: [["spec.terminationGracePeriodSeconds", 1]],
      errors: [`${otherFields}\n- terminationGracePeriodSeconds: 30\n+ terminationGracePeriodSeconds: 1`]
    }
  ]
  it.each(rows)("$why", ({ edits, errors }) => {
    const pod = withDefaults(pods, edited(stored, ...edits))
    // Errors of the added container itself are not tested here.
    expect(errorTexts(validateUpdate(pods, pod, stored)).filter((text) => !text.includes("[1]"))).toEqual(
      errors
    )
  })
})

describe("the scheduling gates of a Pod", () => {
  const gate = (name: string): object => ({ name })
  const a = "example.com/a"
  const onlyMore = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
  const gated = (spec: object): PodDraft =>
    withDefaults(
      pods,
      aPod({ schedulingGates: [gate(a), gate("b")], nodeSelector: { disk: "fast" }, ...spec })
    )

  it.each<{ why: string; spec: object; errors: ReadonlyArray<string> }>([
    { why: "may be several", spec: {}, errors: [] },
    {
      why: "must be unique qualified names",
      spec: { schedulingGates: [gate("b"), gate("/c"), gate("b")] },
      errors: [
        'spec.schedulingGates[1]: Invalid value: "/c": prefix part must be non-empty',
        'spec.schedulingGates[2]: Duplicate value: "b"'
      ]
    },
    {
      why: "forbid a node name",
      spec: { nodeName: "node-3" },
      errors: ["spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared"]
    },
    { why: "allow an empty node name", spec: { nodeName: "" }, errors: [] },
    {
      why: "forbid a node name even if there is a single one",
      spec: { schedulingGates: [gate(a)], nodeName: "node-3" },
      errors: ["spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared"]
    }
  ])("$why", ({ spec, errors }) => {
    expect(errorTexts(validateCreate(pods, gated(spec)))).toEqual(errors)
  })

  it.each<{ why: string; oldSpec?: object; spec: object; errors: ReadonlyArray<string> }>([
    { why: "may be removed one by one", spec: { schedulingGates: [gate("b")] }, errors: [] },
    { why: "may all be removed", spec: { schedulingGates: undefined }, errors: [] },
    {
      why: "may not be added",
      spec: { schedulingGates: [gate("b"), gate("x")] },
      errors: [
        "spec.schedulingGates[1].name: Forbidden: only deletion is allowed, but found new scheduling gate 'x'"
      ]
    },
    {
      why: "let the node selector be narrowed",
      spec: { nodeSelector: { disk: "fast", zone: "a" } },
      errors: []
    },
    {
      why: "do not let the node selector be changed",
      spec: { nodeSelector: { disk: "slow", zone: "a" } },
      errors: [`spec.nodeSelector: Invalid value: {"disk":"slow","zone":"a"}: ${onlyMore}`]
    },
    {
      why: "do not let a part of the node selector be changed",
      oldSpec: { nodeSelector: { disk: "fast", zone: "a" } },
      spec: { nodeSelector: { disk: "fast", zone: "b" } },
      errors: [`spec.nodeSelector: Invalid value: {"disk":"fast","zone":"b"}: ${onlyMore}`]
    },
    {
      why: "do not let the node selector be removed",
      spec: { nodeSelector: undefined },
      errors: [`spec.nodeSelector: Invalid value: null: ${onlyMore}`]
    },
    {
      why: "are required for changes of the node selector",
      oldSpec: { schedulingGates: undefined },
      spec: { schedulingGates: undefined, nodeSelector: { disk: "fast", zone: "a" } },
      errors: [`${otherFields}\n- nodeSelector: {"disk":"fast"}\n+ nodeSelector: {"disk":"fast","zone":"a"}`]
    }
  ])("$why", ({ oldSpec = {}, spec, errors }) => {
    expect(errorTexts(validateUpdate(pods, gated(spec), gated(oldSpec)))).toEqual(errors)
  })
})

describe("the quality of service of a Pod (TestComputePodQOS)", () => {
  const container = (name: string, limits?: object, requests?: object) => ({
    name,
    image: name,
    resources: {
      ...(limits === undefined ? {} : { limits }),
      ...(requests === undefined ? {} : { requests })
    }
  })
  const all = { cpu: "500m", memory: "1Gi" }
  it.each([
    { why: "requests nothing", containers: [container("a")], qos: "BestEffort" },
    {
      why: "requests neither cpu nor memory",
      containers: [container("a", { "example.com/gpu": "1" })],
      qos: "BestEffort"
    },
    { why: "requests 0", containers: [container("a", undefined, { cpu: "0" })], qos: "BestEffort" },
    {
      why: "requests less than everything",
      containers: [container("a", undefined, { cpu: "100m" })],
      qos: "Burstable"
    },
    {
      why: "requests less than its limit",
      containers: [container("a", all, { ...all, cpu: "1m" })],
      qos: "Burstable"
    },
    {
      why: "has a limit and requests 0",
      containers: [container("a", { cpu: "1" }, { cpu: "0" })],
      qos: "Burstable"
    },
    {
      why: "requests 0 of one of two limited resources",
      containers: [container("a", all, { ...all, memory: "0" })],
      qos: "Burstable"
    },
    {
      why: "has one container, not the last, that requests less than its limit",
      containers: [container("a", all, { ...all, cpu: "300m" }), container("b", all, all)],
      qos: "Burstable"
    },
    { why: "requests its limits", containers: [container("a", all, all)], qos: "Guaranteed" },
    {
      why: "requests its limits in another notation",
      containers: [container("a", all, { cpu: "0.5", memory: "1024Mi" })],
      qos: "Guaranteed"
    },
    {
      why: "has one container with limits and one without",
      containers: [container("a", all, all), container("b")],
      qos: "Burstable"
    },
    { why: "has limits only, which are its requests", containers: [container("a", all)], qos: "Guaranteed" },
    {
      why: "requests its limits as a whole",
      containers: [container("a", undefined, { cpu: "1m" })],
      more: { resources: { limits: all, requests: all } },
      qos: "Guaranteed"
    },
    {
      why: "limits itself as a whole and requests nothing",
      containers: [container("a")],
      more: { resources: { limits: all } },
      qos: "Guaranteed"
    },
    {
      why: "limits one of two resources as a whole",
      containers: [container("a", all, all)],
      more: { resources: { limits: { cpu: "1" } } },
      qos: "Burstable"
    },
    { why: "limits one of two resources", containers: [container("a", { cpu: "1" })], qos: "Burstable" }
  ])("is $qos when the Pod $why", ({ containers, more = {}, qos }) => {
    const pod: PodDraft = withDefaults(pods, aPod({ containers, ...more }))
    expect(qosClassOf(pod.spec ?? {})).toBe(qos)
  })

  it("is cached only for frozen specs", () => {
    const resources = { limits: all, requests: { ...all } }
    const spec = { containers: [{ name: "a", image: "a", resources }] }
    expect(qosClassOf(spec)).toBe("Guaranteed")
    resources.requests.cpu = "1m"
    expect(qosClassOf(spec)).toBe("Burstable")
  })

  it("counts init containers as well", () => {
    const limited = { name: "a", image: "a", resources: { limits: all, requests: all } }
    expect(qosClassOf({ containers: [limited], initContainers: [{ name: "b", image: "b" }] })).toBe(
      "Burstable"
    )
  })
})

describe("Namespaces and Nodes (TestValidateNamespace, TestValidateNode)", () => {
  it("are valid without a spec", () => {
    expect(validateCreate(namespaces, namespaceManifest("shop"))).toEqual([])
    expect(validateCreate(nodes, { apiVersion: "v1", kind: "Node", metadata: { name: "node-3" } })).toEqual(
      []
    )
  })

  it("reject a taint without an effect", () => {
    const node = {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "node-3" },
      spec: { taints: [{ key: "a" }] }
    }
    expect(errorTexts(validateCreate(nodes, node))).toEqual(["metadata.taints[0].effect: Required value"])
  })

  it("reject a taint with an unknown effect", () => {
    const taints = [{ key: "a", effect: "NoLunch" }]
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "node-3" }, spec: { taints } }
    expect(errorTexts(validateCreate(nodes, node))).toEqual([
      'metadata.taints[0].effect: Unsupported value: "NoLunch": ' +
        'supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"'
    ])
  })
})
